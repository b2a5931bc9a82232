import Debounce
import EventDevices
import Glibc
import Recording
import SystemPackage

/// Writes the frames of one device to a file: what it sent, and what was passed on.
///
/// Only for `run --record`, for tests and bug reports: the file holds what was typed.
struct Recorder: ~Copyable {
  private let file: CInt
  private var text: RecordingText

  /// Creates the file. One that exists already is left alone, unless it is a pipe.
  init(path: String, of source: borrowing Source) throws(RecorderError) {
    var status = stat()
    let isPipe = stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    let creation = isPipe ? 0 : O_CREAT | O_EXCL
    // Without waiting: a pipe whose reader sleeps must end the recording, not the typing.
    file = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | creation, 0o600)
    guard file >= 0 else { throw RecorderError(path: path, reason: Errno(rawValue: errno)) }
    text = RecordingText(of: RecordedDevice(source.identity, source.capabilities))
  }

  deinit {
    close(file)
  }

  mutating func append(raw frame: borrowing Frame) {
    text.append(raw: frame.events, at: frame.time)
  }

  /// Appends that events were lost (`SYN_DROPPED`), and which keys are down.
  mutating func append(resynchronisedTo held: KeySet, before: KeySet, others: borrowing Frame) {
    text.append(resynchronisedTo: held, before: before, others: others)
  }

  mutating func append(clean events: UnsafeBufferPointer<Event>, at time: Microseconds) {
    text.append(clean: events, at: time)
  }

  mutating func appendClosing(at time: Microseconds) {
    text.appendClosing(at: time)
  }

  /// Writes what has been added.
  mutating func flush() throws {
    guard !text.bytes.isEmpty else { return }
    _ = try FileDescriptor(rawValue: file).writeAll(text.bytes)
    text.removeBytes()
  }
}

/// Why a recording cannot be written.
public struct RecorderError: Error, CustomStringConvertible {
  public let path: String
  public let reason: Errno

  public var description: String {
    reason == .fileExists
      ? "cannot record to \(path): the file exists already; name another, or delete it"
      : "cannot record to \(path): \(reason)"
  }
}
