import Control
import Dispatch
import Glibc
import Logging
import Service
import Synchronization
import Terminal

/// Writes the log to standard error, a line a message; a terminal's lines are broken between words.
///
/// Where standard error is the journal (`JOURNAL_STREAM` shows that), each message is handed over as fields, with the number by which
/// the journal's catalog knows it. Where that is not possible, each line begins with its priority, as sd-daemon(3) has it.
///
/// Never waits: on a terminal that was stopped with Ctrl-S, a pipe that is not read, or a disk that hangs, lines are left out, and
/// counted.
struct TerminalLog: LogHandler {
  /// `KEYDEBOUNCE_LOG=debug` shows more, for tests: exact counts, which are nothing for a log that others read.
  var logLevel =
    getenv("KEYDEBOUNCE_LOG").map { String(cString: $0) } == "debug" ? Logger.Level.debug : .info
  var metadata = Logger.Metadata()

  private let isJournal = getenv("JOURNAL_STREAM") != nil

  subscript(metadataKey key: String) -> Logger.MetadataValue? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  /// How many lines were left out since one was written, and whether the last one broke off.
  private static let omitted = Mutex((count: 0, brokeOff: false))

  /// The descriptor to which lines are written. A terminal may have room, but not enough for a line: an open file description
  /// of the log's own does not wait then, and leaves others that write to the terminal as they are.
  private static let output: CInt = {
    guard isatty(STDERR_FILENO) == 1 else { return STDERR_FILENO }
    let own = open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    return own >= 0 ? own : STDERR_FILENO
  }()

  /// The thread that writes to a file, because a disk may hang, and poll(2) does not tell; and to a terminal of another user's, which
  /// has no description of the log's own. `nil` elsewhere, or where the system gives no thread: whoever logs writes, and waits.
  private static let writer: Worker? = {
    var status = stat()
    let isForeign = isatty(STDERR_FILENO) == 1 && output == STDERR_FILENO
    guard
      isForeign || fstat(STDERR_FILENO, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    else { return nil }
    return try? Worker(mayHang: true)
  }()

  /// How many lines may wait for that thread, besides those that it has taken along.
  private static let mostWaiting = 4096

  /// Opens the descriptor, and starts the thread. Threads with descriptors of their own see only what was open when they started.
  static func openOutput() { _ = (output, writer) }

  /// Waits until the thread has written all lines; half a second at most, so that the watchdog does not end a daemon that stops.
  static func finish() { writer?.finish(by: .now() + .milliseconds(500)) }

  func log(event: LogEvent) {
    // Critical lines, after which the process ends, go to standard error: the journal finds no unit for a line whose process
    // is gone.
    if event.level < .critical, Self.leadsToJournal, send(event) { return }
    var poll = pollfd(fd: Self.output, events: Int16(POLLOUT), revents: 0)
    // poll(2) fails for files that are always ready, and for closed ones: both are written to.
    guard Glibc.poll(&poll, 1, 0) != 0, Self.writer.map({ $0.count < Self.mostWaiting }) ?? true
    else { return Self.omitted.withLock { $0.count += 1 } }
    let (message, level) = ("\(event.message)", event.level)
    guard let writer = Self.writer else { return write(message, at: level) }
    writer.add { write(message, at: level) }
  }

  // MARK: The journal

  /// Whether standard error leads to the journal, and not somewhere else to which it was sent since.
  private static let leadsToJournal: Bool = {
    var file = stat()
    guard let stream = getenv("JOURNAL_STREAM"), fstat(STDERR_FILENO, &file) == 0 else {
      return false
    }
    return String(cString: stream) == "\(file.st_dev):\(file.st_ino)"
  }()

  /// Hands a line to the journal, in its own protocol: a field a line.
  ///
  /// - Returns: Whether the journal has taken the line.
  private func send(_ event: LogEvent) -> Bool {
    var fields = [
      "MESSAGE=\("\(event.message)".printable)", "PRIORITY=\(event.level.syslogPriority)",
      "SYSLOG_IDENTIFIER=keydebounce",
    ]
    if let id = metadata[LogSubject.field] { fields.append("\(LogSubject.field)=\(id)") }
    let text = fields.map { $0 + "\n" }.joined()
    return (try? sendMessage(text, to: "/run/systemd/journal/socket")) != nil
  }

  // MARK: Standard error

  /// Writes a line, and before it how many were left out. One call writes both, so that lines of different processes stay apart.
  private func write(_ message: String, at level: Logger.Level) {
    let before = Self.omitted.withLock { exchange(&$0, with: (0, false)) }
    let news = "\(before.count) line(s) dropped: nobody read them, or the disk did not take them"
    let notice =
      (before.brokeOff ? "\n" : "") + (before.count > 0 ? line(news, at: .notice) : "")
    let bytes = Array((notice + line(message, at: level)).utf8)
    var written = -1
    repeat {
      written = Glibc.write(Self.output, bytes, bytes.count)
    } while written < 0 && errno == EINTR
    guard written < bytes.count else { return }
    let brokeOff = written > 0 ? bytes[written - 1] != UInt8(ascii: "\n") : before.brokeOff
    let untold = written < notice.utf8.count ? before.count : 0
    Self.omitted.withLock { $0 = ($0.count + untold + 1, brokeOff) }
  }

  private func line(_ message: String, at level: Logger.Level) -> String {
    // A device's name must not begin a line of its own: the journal would take it for a line of the daemon's.
    let message = message.printable
    if isJournal { return "<\(level.syslogPriority)>\(message)\n" }
    let word = level >= .error ? "error: " : level == .warning ? "warning: " : ""
    return Sheet(forMessagesOn: .errors).message(word + message) + "\n"
  }
}

extension Logger.Level {
  /// As syslog(3) numbers it.
  fileprivate var syslogPriority: Int {
    switch self {
    case .trace, .debug: 7
    case .info: 6
    case .notice: 5
    case .warning: 4
    case .error: 3
    case .critical: 2
    }
  }
}
