import Bus
import Calibration
import Configuration
import Debounce
import EventDevices
import Recording
import Status
import Terminal

/// What a calibration has found.
struct CalibrationFindings {
  private(set) var result: CalibrationResult
  /// Whether there may be a person to ask.
  var mayAsk = true

  /// What a tape shows, beside the settings that hold for the device. If these cannot be read, beside the packaged ones:
  /// what is wrong with them is told when the file is to be written.
  init(
    of tape: Tape, device: DeviceDescription, method: CalibrationResult.Method,
    places: ConfigurationPlaces, mayAsk: Bool = true, labels: [KeyCode: String] = [:]
  ) {
    let inForce = Self.inForce(for: device, in: places)
    result = CalibrationResult(
      device: device, method: method, keys: Findings(of: tape, inForce: inForce).keys)
    result.inForce = inForce
    result.labels = labels
    self.mayAsk = mayAsk
  }

  private static func inForce(
    for device: DeviceDescription, in places: ConfigurationPlaces
  ) -> InForce {
    let settings = try? LoadedSettings(readingFrom: places).settings
    return settings.flatMap { try? InForce(for: device, by: $0) } ?? InForce()
  }

  /// What a recording shows, evaluated as ordinary work.
  init(ofRecording file: String, places: ConfigurationPlaces) throws {
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
    self.init(
      of: tape,
      device: DeviceDescription(reader.device.identity, keys: keys.map { KeySet($0) }),
      method: .recording(file == "-" ? "from standard input" : file), places: places)
  }

  /// What the service has counted of a device.
  ///
  /// - Parameters:
  ///   - name: The device's node or a part of its name; `nil` for the only one.
  ///   - file: What “keydebounce status --json” has written, or a file of stored counts; `nil` to ask the service.
  init(ofCountsOf name: String?, in file: String?, places: ConfigurationPlaces) throws {
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
    let inForce = Self.inForce(for: description, in: places)
    let isDriven = device.counts?.typesLikeAMachine ?? false
    result = CalibrationResult(
      device: description, method: .counts,
      keys: Findings.ofCounts(counts, inForce: inForce, isDriven: isDriven))
    result.labels = labels
  }
}
