import ArgumentParser
import Calibration
import Configuration
import Debounce
import EventDevices
import Glibc
import Terminal

/// The calibration of a device that is plugged in.
struct LiveCalibration {
  let device: String?
  let isPassive: Bool
  /// Keys to be looked at closely, whatever the typing shows.
  let keys: [KeyCode]
  let settings: Settings
  /// Whether nothing is to move, for a screen reader.
  let isPlain: Bool

  /// What is found; `nil` if nothing was measured, or the person wants nothing.
  func findings() throws -> CalibrationFindings? {
    let meant =
      try device.map { try NamedDevices.chosen($0) }
      ?? NamedDevices.pressed { Selection.automatic.takes($0, by: settings) }
    guard let node = meant else { return nil }
    let description = DeviceDescription(node)
    let inForce = try InForce(for: description, by: settings)
    let chord = Settings.panicChord(
      try settings.device(for: description)?.panicChord ?? settings.panicChord, on: node.keys)
    var handover = DeviceHandover(node.path)
    let stream = isPassive ? try handover.stream() : nil
    let watched: any WatchedDevice = if let stream { stream } else { try handover.take() }
    var session: GuidedSession?
    if !isPassive {
      session = GuidedSession(inForce: inForce)
      for key in keys { session?.add(key) }
    }
    report("listening to “\(node.title)” (\(node.path)); Ctrl-C ends it")
    if stream != nil {
      report("the daemon holds the device and debounces it meanwhile")
    } else {
      handover.reportState()
    }
    let (isHandedOver, labels) = (handover.isHandedOver, handover.labels)
    let watch = DeviceWatch(
      [watched], handover, on: Measurement.screen(isGuided: session != nil, isPlain: isPlain))
    var measurement = Measurement(
      session, title: "\(node.title) (\(node.path))", chord: chord, labels: labels)
    let end = try watch.run(&measurement)
    if isHandedOver { report("the device is the daemon's again") }
    guard !measurement.isPanic else {
      report("ended by the panic chord; nothing was written")
      throw ExitCode.panicChord
    }
    var mayAsk = true
    switch end {
    case .gone: report("the device was unplugged")
    case .stopped(SIGINT), .finished: break
    case .stopped(SIGTERM): mayAsk = false
    case .stopped: return nil
    }
    var tape = measurement.tape
    tape.interrupt()
    guard tape.presses > 0 || isPassive else { return nil }
    return CalibrationFindings(
      of: tape, device: description, method: isPassive ? .passive : .guided, inForce: inForce,
      mayAsk: mayAsk, labels: labels)
  }
}
