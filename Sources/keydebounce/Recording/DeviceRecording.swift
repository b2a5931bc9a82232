import Debounce
import EventDevices
import Recording
import SystemPackage

/// The recording of a device while it is being made: its file, and which keys are down.
struct DeviceRecording: DeviceWatcher, ~Copyable {
  /// How much is kept before it is written, in bytes.
  private static let portion = 1 << 16

  /// How many presses have been recorded.
  private(set) var presses = 0

  private let path: String
  private let file: FileDescriptor
  private var text: RecordingText
  private var held = KeySet()

  /// Opens the file; see `PrivateFile`.
  ///
  /// - Parameter habits: What the daemon has learned of the device, as far as it tells.
  /// - Throws: ``FileError``.
  init(of source: borrowing Source, to path: String, knowing habits: LearnedHabits) throws {
    let file: FileDescriptor
    do {
      file = try PrivateFile.open(path)
    } catch {
      throw FileError(operation: "record to", path: path, reason: error)
    }
    var text = RecordingText(of: RecordedDevice(source.identity, source.capabilities))
    text.append(habits)
    self.init(to: file, at: path, beginningWith: text)
  }

  /// By itself, because Swift 6.2 does not clean up after an initialiser that throws.
  private init(to file: FileDescriptor, at path: String, beginningWith text: RecordingText) {
    self.file = file
    self.path = path
    self.text = text
  }

  deinit {
    try? file.close()
  }

  mutating func receive(_ frame: borrowing Frame, from device: Int) throws {
    text.append(raw: frame.events, at: frame.time)
    presses += frame.events.count { $0.type == EventType.key && $0.value == 1 }
    held = frame.keysHeld(before: held)
    if text.bytes.count > Self.portion { try flush() }
  }

  mutating func resynchronise(held: KeySet, others: borrowing Frame) {
    text.append(resynchronisedTo: held, before: self.held, others: others)
    self.held = held
  }

  mutating func advance(to now: Microseconds) throws -> DeviceWatch.Next {
    try flush()
    return .wait(until: nil)
  }

  mutating func resume(at now: Microseconds) {
    resynchronise(held: KeySet(), others: Frame(time: now))
  }

  private mutating func flush() throws {
    guard !text.bytes.isEmpty else { return }
    do {
      try file.writeAll(text.bytes)
    } catch let reason as Errno {
      throw FileError(operation: "write to", path: path, reason: reason)
    }
    text.removeBytes()
  }
}
