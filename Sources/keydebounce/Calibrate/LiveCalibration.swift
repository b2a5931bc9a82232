import ArgumentParser
import Calibration
import Configuration
import Debounce
import EventDevices
import Glibc
import Terminal

extension CalibrateCommand {
  /// Measures a device that is plugged in.
  ///
  /// - Returns: What is found, and whether there may be a person to ask; `nil` if nothing was measured, or the person wants
  ///   nothing.
  func measured(by settings: Settings) throws -> (result: CalibrationResult, mayAsk: Bool)? {
    let meant =
      try device.map { try NamedDevices.chosen($0) }
      ?? NamedDevices.pressed { Selection.automatic.takes($0, by: settings) }
    guard let node = meant else { return nil }
    let description = DeviceDescription(node)
    let inForce = try InForce(for: description, by: settings)
    let chord = Settings.panicChord(
      try settings.device(for: description)?.panicChord ?? settings.panicChord, on: node.keys)
    var handover = DeviceHandover(node.path)
    let stream = passive ? try handover.stream() : nil
    let watched: any WatchedDevice = if let stream { stream } else { try handover.take() }
    report("listening to “\(node.title)” (\(node.path)); Ctrl-C ends it")
    if stream != nil {
      report("the daemon holds the device and debounces it meanwhile")
    } else {
      handover.reportState()
    }
    let (isHandedOver, labels) = (handover.isHandedOver, handover.labels)
    let watch = DeviceWatch(
      [watched], handover,
      on: LiveScreen(
        passive ? .line : .screen, least: passive ? (columns: 0, rows: 0) : GuidedScreen.least,
        isPlain: plain.isPlain))
    var session = passive ? nil : GuidedSession(inForce: inForce)
    for key in keys.compactMap({ KeyNames.code(named: $0) }) { session?.add(key) }
    var measurement = Measurement(
      session, title: "\(node.title) (\(node.path))", chord: chord, labels: labels)
    let end = try watch.run(&measurement)
    if isHandedOver { report("the device is the daemon's again") }
    guard !measurement.isPanic else {
      report("ended by the panic chord; nothing was written")
      throw ExitCode.panicChord
    }
    switch end {
    case .gone: report("the device was unplugged")
    case .stopped(SIGINT), .stopped(SIGTERM), .finished: break
    case .stopped: return nil
    }
    var tape = measurement.tape
    tape.interrupt()
    guard tape.presses > 0 || passive else { return nil }
    var result = CalibrationResult(
      of: tape, device: description, method: passive ? .passive : .guided, inForce: inForce)
    result.labels = labels
    if case .stopped(SIGTERM) = end { return (result, mayAsk: false) }
    return (result, mayAsk: true)
  }
}
