import CLinux
import Glibc

/// The place where a command writes text: a terminal, a file or a pipe.
public struct TextOutput: Sendable {
  public static let standard = TextOutput(STDOUT_FILENO)
  public static let errors = TextOutput(STDERR_FILENO)

  public let descriptor: CInt
  public let isTerminal: Bool
  /// Whether the place is a terminal that can only write one line after the other, such as one in an editor.
  public let isDumb: Bool
  /// Whether to use colours. That is so on a terminal that is not dumb, unless `NO_COLOR` is set.
  public let hasColours: Bool

  public init(_ descriptor: CInt) {
    self.descriptor = descriptor
    isTerminal = isatty(descriptor) == 1
    let isRefused = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
    let isDumb = getenv("TERM").map { ["dumb", ""].contains(String(cString: $0)) } ?? true
    self.isDumb = isTerminal && isDumb
    hasColours = isTerminal && !isRefused && !isDumb
  }

  /// The number of columns; 80 if it is not known.
  public var columns: Int {
    size?.columns ?? getenv("COLUMNS").flatMap { Int(String(cString: $0)) } ?? 80
  }

  /// The number of rows; `nil` if it is not known.
  public var rows: Int? { size?.rows }

  private var size: (columns: Int, rows: Int)? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return nil
    }
    // A terminal may claim any size, and whoever draws on all of it would need gigabytes of memory.
    return (min(Int(size.ws_col), 1000), min(Int(size.ws_row), 1000))
  }

  public func write(_ text: String) throws(OutputError) {
    try write(Array(text.utf8))
  }

  /// Writes all bytes, and waits until there is room for them.
  public func write(_ bytes: [UInt8]) throws(OutputError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = Glibc.poll(&poll, 1, -1)
      } else if errno != EINTR {
        throw OutputError(descriptor: descriptor, reason: errno)
      }
    }
  }
}

/// Questions to the person who runs the command. They go to standard error, because standard output may be a file.
extension TextOutput {
  public static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && errors.isTerminal }

  /// - Returns: The answer in small letters; `nil` if the input has ended.
  public static func ask(_ question: String) throws(OutputError) -> String? {
    try errors.write(Characters.ofLocale.spell(question.printable))
    let answer = readLine()
    if answer == nil { try errors.write("\n") }
    return answer?.lowercased()
  }
}

public struct OutputError: Error, CustomStringConvertible {
  let descriptor: CInt
  let reason: CInt

  /// Whether nobody reads the text any more, because the pipe is closed or the terminal is gone.
  public var isUnread: Bool { reason == EPIPE || reason == EIO }

  public var description: String {
    "cannot write to standard \(descriptor == STDERR_FILENO ? "error" : "output"): \(String(cString: strerror(reason)))"
  }
}

extension Sheet {
  /// A sheet for text that is written to an output, in the person's locale.
  ///
  /// - Parameter isPlain: Whether the person wants the text plain. A dumb terminal gets it plain in any case.
  public init(for output: TextOutput, isPlain: Bool = false) {
    self.init(
      columns: output.columns, rows: output.rows, hasColours: output.hasColours,
      characters: .ofLocale, isPlain: isPlain || output.isDumb)
  }

  /// A sheet for messages. Their lines are broken on a terminal only, because programs read them whole.
  public init(forMessagesOn output: TextOutput, isPlain: Bool = false) {
    self.init(for: output, isPlain: isPlain)
    if !output.isTerminal { columns = .max }
  }

  /// A message of the program's. Lines that begin with a blank stay whole, because people copy them, or because one line marks
  /// a part of the other.
  public func message(_ text: some StringProtocol) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().flatMap {
      index, part in
      let line = [StyledText((index == 0 ? "keydebounce: " : "") + part)]
      return part.hasPrefix(" ") ? [self.line(line)] : wrapped(line, hang: 2)
    }.joined(separator: "\n")
  }
}
