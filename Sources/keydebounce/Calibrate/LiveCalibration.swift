import ArgumentParser
import Calibration
import Configuration
import Debounce
import DeviceSelection
import Devices
import EventDevices
import Glibc
import TerminalText

/// The calibration of a device that is plugged in.
struct LiveCalibration {
  let device: String?
  let isPassive: Bool
  let resumes: Bool
  /// Keys to be looked at closely, whatever the typing shows.
  let keys: [KeyCode]
  /// Where the configuration is.
  let places: ConfigurationPlaces
  /// Whether nothing is to move, for a screen reader.
  let isPlain: Bool

  /// What is found; `nil` if the person has broken off.
  func findings() throws -> CalibrationFindings? {
    let settings = try LoadedSettings(readingFrom: places).settings
    guard let node = try node(settings) else { return nil }
    let description = DeviceDescription(node)
    let chord = Settings.panicChord(
      try settings.device(for: description)?.panicChord ?? settings.panicChord, on: node.keys)
    let stream = isPassive ? try DaemonStream.open(node.path) : nil
    let store = isPassive ? nil : StoredSession(of: description)
    let method: Measurement.Method =
      isPassive ? .passive(Observer()) : .guided(try guidedSession(from: store))
    if case .guided(let session) = method, session.request == .done {
      return finished(session, description, store)
    }
    var watch: DeviceWatch
    var isLent = false
    report("listening to “\(node.title)” (\(node.path)); Ctrl-C ends it")
    if let stream {
      watch = DeviceWatch()
      watch.add(stream)
      report("the daemon holds the device and debounces it meanwhile")
    } else {
      let source = try Source(path: node.path)
      let loan = try BorrowedDevice(node.path)
      isLent = loan.isLent
      loan.reportState()
      watch = DeviceWatch(loan)
      watch.add(source)
    }

    var measurement = Measurement(
      method, title: "\(node.title) (\(node.path))", chord: chord, isPlain: isPlain)
    let end = try watch.run(&measurement)
    measurement.hide()
    if isLent { report("the device is the daemon's again") }
    guard !measurement.isPanic else {
      report("ended by the panic chord; nothing was written")
      throw ExitCode(ExitStatus.panicChord.rawValue)
    }
    if case .gone = end { report("the device was unplugged") }
    switch measurement.method {
    case .guided(let session): return try conclude(session, description, store)
    case .passive(var observer):
      observer.interrupt()
      return conclude(observer, end, description)
    }
  }

  private func node(_ settings: Settings) throws -> DeviceNode? {
    let chooser = DeviceChooser(settings: settings)
    return try device.map { try chooser.device(named: $0) } ?? chooser.pressedDevice()
  }

  private func conclude(
    _ observer: Observer, _ end: DeviceWatch.End, _ description: DeviceDescription
  ) -> CalibrationFindings? {
    var findings = CalibrationFindings(
      CalibrationResult(device: description, method: .passive, of: observer))
    switch end {
    case .gone, .stopped(SIGINT): return findings
    case .stopped(SIGTERM):
      findings.mayAsk = false
      return findings
    case .stopped, .finished: return nil
    }
  }

  private func conclude(
    _ session: GuidedSession, _ description: DeviceDescription, _ store: StoredSession?
  ) throws -> CalibrationFindings? {
    if session.request == .done { return finished(session, description, store) }
    guard !session.observer.observedKeys.isEmpty, let store else { return nil }
    try store.store(session)
    report("ended; “--resume” goes on from here (kept in \(store.path.printable))")
    return nil
  }

  private func finished(
    _ session: GuidedSession, _ description: DeviceDescription, _ store: StoredSession?
  ) -> CalibrationFindings {
    var findings = CalibrationFindings(
      CalibrationResult(device: description, method: .guided, of: session.observer))
    // Kept until its result is written: after a no, or an interruption, it need not all be tapped again.
    if let store, (try? store.store(session)) != nil { findings.kept = store }
    return findings
  }
}

// MARK: - Measurements that were broken off

extension LiveCalibration {
  /// The session to begin with: a new one, or the one that was kept, if that is wanted.
  private func guidedSession(from store: StoredSession?) throws -> GuidedSession {
    var session = try keptSession(in: store) ?? GuidedSession()
    for key in keys { session.add(key) }
    return session
  }

  private func keptSession(in store: StoredSession?) throws -> GuidedSession? {
    do {
      guard let kept = try store?.session() else {
        if resumes { report("no measurement of this device was broken off; beginning a new one") }
        return nil
      }
      return try resumes || isWanted(kept) ? kept : nil
    } catch let error as StoredSessionError where !resumes {
      report("\(error); beginning a new measurement, which will take its place")
      return nil
    }
  }

  private func isWanted(_ kept: GuidedSession) throws -> Bool {
    let what =
      kept.request == .done
      ? "A measurement of this device was done, and its result not written."
      : "A measurement of this device was broken off."
    guard Terminal.canAsk else {
      report("\(what) --resume takes it up")
      return false
    }
    return try ["", "y", "yes"].contains(Terminal.ask("\(what) Take it up? [Y/n] ") ?? "n")
  }
}
