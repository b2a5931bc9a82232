import Calibration
import Configuration
import Control
import Debounce
import DeviceSelection
import Devices
import EventDevices
import Files
import Recording
import Status
import TerminalText

/// Evidence that lies there already: recordings, and what the service has counted.
enum CalibrationEvidence {
  /// What a recording tells, judged as ordinary work.
  static func recording(_ file: String) throws -> CalibrationResult {
    let input = try InputFile(file)
    var reader = input.recording()
    var observer = Observer()
    while let entry = try reader.next() {
      // What had been passed on in the run that was recorded says nothing of the switch.
      guard case .raw(let frame) = entry else { continue }
      if frame.saysEventsWereLost {
        observer.interrupt()
      } else {
        observer.receive(frame, during: .typing)
      }
    }
    observer.advance(to: .max)
    let device = reader.device
    return CalibrationResult(
      device: DeviceDescription(device.identity),
      method: .recording(file == "-" ? "from standard input" : file), of: observer)
  }

  /// What the service has counted of a device.
  ///
  /// - Parameters:
  ///   - name: The device's node or a part of its name; `nil` for the only one.
  ///   - file: What “keydebounce status --json” has written, or a file of stored counts; `nil` to ask the service.
  static func counts(of name: String?, in file: String?) throws -> CalibrationResult {
    let devices = try file.map(counts) ?? serving()
    let meant = devices.filter { device in
      name.map {
        device.node == $0 || device.node == "/dev/input/\($0)"
          || device.node == resolvedPath($0)
          || device.name.lowercased().contains($0.lowercased())
      } ?? true
    }
    guard let device = meant.first else { throw NoCounts.noDevice(name: name) }
    guard meant.count == 1 else { throw NoCounts.several(meant.map { "\($0.name) (\($0.node))" }) }
    guard let keys = device.keys else { throw ControlError.refused(member: "Statistics") }
    let counts = Dictionary(
      keys.map { ($0.code, $0.counts) }, uniquingKeysWith: { first, _ in first })
    var result = CalibrationResult(
      device: DeviceDescription(device.device), method: .counts,
      diagnoses: Analysis.diagnoses(of: counts))
    if file == nil, let node = try? NamedDevices.all().first(where: { $0.path == device.node }) {
      result.device = DeviceDescription(node)
    }
    return result
  }

  private static func serving() throws -> [DeviceStatus] {
    try DaemonClient().status().devices
  }

  private static func counts(in file: String) throws -> [DeviceStatus] {
    let bytes = try InputFile(file).contents()
    if let status = try? StatusJSON.decode(DaemonStatus.self, from: bytes) { return status.devices }
    guard let stored = try? StatusJSON.decode(StoredCounts.self, from: bytes) else {
      throw NoCounts.otherFile(file)
    }
    return [
      DeviceStatus(
        node: "", device: stored.device, state: .leaving, file: nil, strategy: "", ownKeys: 0,
        keys: stored.keys)
    ]
  }
}

/// Why there are no counts to judge by.
enum NoCounts: Error, CustomStringConvertible {
  case noDevice(name: String?)
  case several([String])
  case otherFile(String)

  var description: String {
    switch self {
    case .noDevice(let name?):
      "nothing was counted of a device that is called or named “\(name.printable)”; “keydebounce status” shows those"
    case .noDevice(nil):
      "the service debounces no device; “keydebounce list” shows what is done with each, and why"
    case .several(let names):
      "several devices were counted; name one:\n"
        + names.map { "  \($0.printable)" }.joined(separator: "\n")
    case .otherFile(let file):
      "\(file.printable) is neither what “keydebounce status --json” writes nor a file of stored counts"
    }
  }
}
