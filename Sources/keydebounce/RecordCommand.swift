import ArgumentParser
import Configuration
import Debounce
import EventDevices
import Files
import Recording
import Status
import SystemPackage
import Terminal

struct RecordCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Record what a device sends, passwords too.",
    discussion: """
      The recording is for bug reports, and for “keydebounce replay”, which tries strategies on it. It has the form of \
      evemu-record: the device's name and numbers, and every press and release. Ctrl-C ends it.

      record grabs nothing; the device works on. If the daemon holds the device, it hands it over: the device is not \
      debounced until record ends. While another program has grabbed the device, record sees nothing of it. It then names \
      the programs that have it open, if the daemon wants it, too.
      """)

  @Argument(
    help: .device("The device; “keydebounce list” shows all."), completion: NamedDevices.completion)
  var device: String

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp(
      "The file to write. It must not exist yet.", valueName: "file"),
    completion: .file())
  var output: String

  func run() throws {
    var handover = DeviceHandover(try NamedDevices.path(named: device))
    let source = try open(&handover)
    report(
      "everything that you type on \(device) from now on is written to \(output), passwords too; delete it when you"
        + " are done")
    handover.reportState()
    let habits = handover.habits
    // Before anything that a signal to stop could leave half done.
    let watch = DeviceWatch([source], handover)
    let file = try PrivateFile.open(output)
    var recording = DeviceRecording(of: source.device, to: file, at: output, knowing: habits)
    report("recording “\(source.device.identity.title)”; Ctrl-C ends it")
    let end = try watch.run(&recording)
    let reason = if case .gone = end { "the device was unplugged" } else { "stopped" }
    report("\(reason); presses recorded: \(recording.presses)")
  }

  private func open(_ handover: inout DeviceHandover) throws -> OpenDevice {
    do {
      return try handover.take()
    } catch let error as DeviceError where error.meansNoEventDevice {
      throw NoSuchDevice(path: device)
    }
  }
}

/// The recording of a device while it is being made: its file, and which keys are down.
struct DeviceRecording: DeviceWatcher {
  /// How much is kept before it is written, in bytes.
  private static let portion = 1 << 16

  private(set) var presses = 0

  private let path: String
  private let file: FileDescriptor
  private var text: RecordingText
  private var held = KeySet()

  /// - Parameter habits: What the daemon has learned of the device, as far as it tells.
  init(
    of device: RecordedDevice, to file: FileDescriptor, at path: String,
    knowing habits: LearnedHabits
  ) {
    (self.file, self.path) = (file, path)
    text = RecordingText(of: device)
    text.append(habits)
  }

  mutating func receive(_ entry: RecordingParser.Entry, from device: Int) throws {
    let frame: Frame
    switch entry {
    case .raw(let read):
      frame = read
      presses += frame.saysEventsWereLost ? 0 : frame.presses
    case .lost(_, let held, let time):
      frame = Frame(resynchronisedTo: held, before: self.held, others: Frame(time: time))
    default: return
    }
    held = frame.keysHeld(before: held)
    text.append(raw: frame)
    if text.bytes.count > Self.portion { try flush() }
  }

  mutating func advance(
    to now: Microseconds, on screen: inout LiveScreen
  ) throws -> DeviceWatch.Next {
    try flush()
    return .wait(until: nil)
  }

  private mutating func flush() throws {
    guard !text.bytes.isEmpty else { return }
    try FileError.naming(path, "write to") { _ = try file.writeAll(text.bytes) }
    text.removeBytes()
  }
}
