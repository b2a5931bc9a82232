import Bus
import Calibration
import Configuration
import Debounce
import EventDevices
import Recording
import Status
import Terminal

extension CalibrationResult {
  /// What a recording shows, evaluated as ordinary work.
  init(ofRecording file: String, by settings: Settings) throws {
    var reader = try InputFile(file).recording()
    var tape = Tape()
    while let entry = try reader.next() {
      switch entry {
      // What was passed on when the recording was made shows nothing about the switch.
      case .raw(let frame): tape.receive(frame, during: .typing)
      case .lost, .closed: tape.interrupt()
      default: break
      }
    }
    tape.interrupt()
    for note in reader.notes { report(note) }
    let pressed = tape.edges.map(\.key)
    // Where a recording does not say which keys the device has, buttons show that it is no keyboard.
    let isButtons = !pressed.isEmpty && pressed.allSatisfy { (0x100...0x15f).contains($0) }
    let keys = reader.device.capabilities.codes[EventType.key] ?? (isButtons ? pressed : nil)
    let device = DeviceDescription(reader.device.identity, keys: keys.map { KeySet($0) })
    self.init(
      of: tape, device: device, method: .recording(file == "-" ? "from standard input" : file),
      inForce: try InForce(for: device, by: settings))
  }

  /// What the service has counted of a device.
  ///
  /// - Parameters:
  ///   - name: The device's node or a part of its name; `nil` for the only one.
  ///   - file: What “keydebounce status --json” has written, or a file of stored counts; `nil` to ask the service.
  init(ofCountsOf name: String?, in file: String?, by settings: Settings) throws {
    let devices: [DeviceStatus]
    let labels: [KeyCode: String]
    if let file {
      devices = try DevicesWithCounts.all(in: InputFile(file).contents(), of: file)
      labels = LayoutLabels.ofSystem()
    } else {
      let client = try DaemonClient()
      (devices, labels) = (try client.status().devices, client.labels())
    }
    let device = try DevicesWithCounts.named(
      name, leadingTo: name.map(NamedDevices.path(_:)), among: devices)
    guard let keys = device.keys else { throw ControlError.refused(member: "Statistics") }
    var description = DeviceDescription(device.device)
    if file == nil, let node = try? NamedDevices.all().first(where: { $0.path == device.node }) {
      description = DeviceDescription(node)
    }
    let counts = Dictionary(
      keys.map { ($0.code, $0.counts) }, uniquingKeysWith: { first, _ in first })
    self.init(
      of: counts, isDriven: device.counts?.typesLikeAMachine ?? false, device: description,
      inForce: try InForce(for: description, by: settings))
    self.labels = labels
  }
}
