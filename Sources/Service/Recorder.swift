import Debounce
import EventDevices
import Recording
import SystemPackage

/// Writes the frames of one device to a file: what it sent, and what was passed on.
///
/// Only for `run --record`, for tests and bug reports: the file holds what was typed.
struct Recorder: ~Copyable {
  private let file: FileDescriptor
  private var text: RecordingText

  /// Opens the file; see `PrivateFile`. A pipe whose reader sleeps must end the recording, not the typing.
  init(path: String, of source: borrowing Source) throws(RecorderError) {
    do {
      file = try PrivateFile.open(path)
    } catch {
      throw RecorderError(path: path, reason: error)
    }
    text = RecordingText(of: RecordedDevice(source.identity, source.capabilities))
  }

  deinit {
    try? file.close()
  }

  mutating func append(raw frame: borrowing Frame) {
    text.append(raw: frame)
  }

  /// Appends that events were lost (`SYN_DROPPED`), and which keys are down.
  mutating func append(resynchronisedTo held: KeySet, before: KeySet, others: borrowing Frame) {
    text.append(resynchronisedTo: held, before: before, others: others)
  }

  mutating func append(clean events: UnsafeBufferPointer<Event>, at time: Microseconds) {
    text.append(clean: events, at: time)
  }

  /// Appends what had been learned. Nothing must have been sent yet.
  mutating func append(_ habits: LearnedHabits) {
    text.append(habits)
  }

  /// Appends that what was learned of a key was dropped, or of all.
  mutating func appendReset(of key: KeyCode?, at time: Microseconds) {
    text.appendReset(of: key, at: time)
  }

  mutating func append(isPaused: Bool, at time: Microseconds) {
    text.append(isPaused: isPaused, at: time)
  }

  mutating func appendClosing(at time: Microseconds) {
    text.appendClosing(at: time)
  }

  /// Writes what has been added.
  mutating func flush() throws {
    guard !text.bytes.isEmpty else { return }
    _ = try file.writeAll(text.bytes)
    text.removeBytes()
  }
}

/// Why a recording cannot be written.
public struct RecorderError: Error, CustomStringConvertible {
  public let path: String
  public let reason: Errno

  public var description: String {
    switch reason {
    case .fileExists:
      """
      cannot record to \(path): the file exists already; name another, or delete it. (A pipe is passed open, as \
      /dev/stdout or /dev/fd/3)
      """
    default: "cannot record to \(path): \(reason)"
    }
  }
}
