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

/// What there is to find out without a measurement: from recordings, and from what the service has counted.
enum CalibrationEvidence {
  /// What a recording shows, evaluated as ordinary work.
  static func recording(_ file: String) throws -> CalibrationResult {
    var reader = try InputFile(file).recording()
    var observer = Observer(keepsRecordings: true)
    while let entry = try reader.next() {
      // What was passed on when the recording was made shows nothing about the switch.
      guard case .raw(let frame) = entry else { continue }
      if frame.saysEventsWereLost {
        observer.interrupt()
      } else {
        observer.receive(frame, during: .typing)
      }
    }
    observer.advance(to: .max)
    return CalibrationResult(
      device: DeviceDescription(reader.device.identity),
      method: .recording(file == "-" ? "from standard input" : file), of: observer)
  }

  /// What the service has counted of a device.
  ///
  /// - Parameters:
  ///   - name: The device's node or a part of its name; `nil` for the only one.
  ///   - file: What “keydebounce status --json” has written, or a file of stored counts; `nil` to ask the service.
  static func counts(of name: String?, in file: String?) throws -> CalibrationResult {
    let devices =
      try file.map { try DevicesWithCounts.all(in: InputFile($0).contents(), of: $0) }
      ?? DaemonClient().status().devices
    let device = try DevicesWithCounts.named(
      name, leadingTo: name.map(NamedDevices.path), among: devices)
    guard let keys = device.keys else { throw ControlError.refused(member: "Statistics") }
    let counts = Dictionary(
      keys.map { ($0.code, $0.counts) }, uniquingKeysWith: { first, _ in first })
    var result = CalibrationResult(
      device: DeviceDescription(device.device), method: .counts,
      diagnoses: Analysis.diagnoses(of: counts))
    result.typesLikeAMachine = device.counts?.typesLikeAMachine ?? false
    if file == nil, let node = try? NamedDevices.all().first(where: { $0.path == device.node }) {
      result.device = DeviceDescription(node)
    }
    return result
  }
}
