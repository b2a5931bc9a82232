import ArgumentParser
import Configuration
import Debounce
import EventDevices
import Files
import Recording
import Reports
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

      record grabs nothing; the device works on. If the daemon holds the device, the daemon goes on debouncing it, and shows \
      root what the device sends: that is recorded, not what the daemon passes on. While another program has grabbed the \
      device, record sees nothing of it. It then names the programs that have it open, if the daemon wants it, too.
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
    let view = try open(NamedDevices.path(named: device))
    // Before anything that a signal to stop could leave half done.
    let watch = DeviceWatch([view.device])
    let file = try PrivateFile.open(output)
    report(
      "everything that you type on \(device) from now on is written to \(output), passwords too; delete it when you"
        + " are done")
    view.reportState()
    var recording = DeviceRecording(of: view.head, to: file, at: output, knowing: view.habits)
    report("recording “\(view.head.identity.title)”; Ctrl-C ends it")
    let end = try watch.run(&recording)
    let reason = if case .gone = end { view.device.endInWords } else { "stopped" }
    if recording.losses > 0 { report("events were lost \(recording.losses.times)") }
    report("\(reason); presses recorded: \(recording.presses)")
  }

  private func open(_ path: String) throws -> DeviceView {
    do {
      return try DeviceView(path)
    } catch DeviceError.gone, DeviceError.system(_, _, .inappropriateIOCTLForDevice) {
      // The path leads to nothing, or to something that is no event device.
      throw NoSuchDevice(path: device)
    }
  }
}

/// The recording of a device while it is being made: its file, and which keys are down.
struct DeviceRecording: DeviceWatcher {
  /// How much is kept before it is written, in bytes.
  private static let portion = 1 << 16

  private(set) var presses = 0
  /// How often events were lost before they came here.
  private(set) var losses = 0

  private let path: String
  private let file: FileDescriptor
  private var text: RecordingText
  private var held = KeySet()
  private var hasBegun = false

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
      losses += frame.saysEventsWereLost ? 1 : 0
    case .lost(let lines, let held, let time):
      // A daemon's stream begins with the keys that are down.
      guard hasBegun || !held.isEmpty else { return }
      losses += lines > 0 ? 1 : 0
      frame = Frame(resynchronisedTo: held, before: self.held, others: Frame(time: time))
    default: return
    }
    hasBegun = true
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
