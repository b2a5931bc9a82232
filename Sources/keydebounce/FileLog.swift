import Dispatch
import Glibc
import Service

/// Standard error where it leads to a file: a pipe, which a thread copies into the file.
///
/// A disk may hang, and poll(2) does not tell. Lines that the pipe has no room for are left out, as on other pipes: see
/// ``TerminalLog``.
final class FileLog: Sendable {
  /// The byte after the last line; none of a line's.
  private static let end: UInt8 = 0

  private let file: CInt
  private let isWritten = DispatchSemaphore(value: 0)

  /// - Returns: `nil` where standard error does not lead to a file, or where the system has no pipe or thread for it.
  init?() {
    var status = stat()
    guard fstat(STDERR_FILENO, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    file = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)
    var ends: [CInt] = [-1, -1]
    guard file >= 0, pipe(&ends) == 0 else { return nil }
    let (output, input) = (ends[0], ends[1])
    guard fcntl(input, F_SETFL, O_NONBLOCK) == 0,
      Worker.startThread(
        mayHang: true,
        { [file, isWritten] in
          var lines = [UInt8](repeating: 0, count: 4096)
          while case let count = read(output, &lines, lines.count), count > 0 {
            let isLast = lines[count - 1] == Self.end
            _ = write(file, lines, isLast ? count - 1 : count)
            if isLast { break }
          }
          isWritten.signal()
        })
    else { return nil }
    dup2(input, STDERR_FILENO)
  }

  /// Has standard error lead to the file again when the file has all lines, or after two seconds.
  func finish() {
    var end = Self.end
    if write(STDERR_FILENO, &end, 1) == 1 { _ = isWritten.wait(timeout: .now() + 2) }
    dup2(file, STDERR_FILENO)
  }
}
