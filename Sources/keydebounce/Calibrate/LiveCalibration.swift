import ArgumentParser
import Calibration
import Configuration
import Debounce
import DeviceSelection
import Devices
import EventDevices
import Glibc
import TerminalText

/// A calibration of a device that is there.
struct LiveCalibration {
  let device: String?
  let isPassive: Bool
  let resumes: Bool
  /// Keys to be looked at closely, whatever the typing shows.
  let keys: [KeyCode]
  /// The configuration folder.
  let folder: String

  /// What is found; `nil` if the person has broken off.
  func findings() throws -> CalibrationFindings? {
    let settings = try Settings(readingFrom: folder, mayBeMissing: true)
    guard let node = try node(settings) else { return nil }
    let description = DeviceDescription(node)
    let chord = try settings.device(for: description)?.panicChord ?? settings.panicChord
    let source = try Source(path: node.path)
    let store = isPassive ? nil : StoredSession(of: description)
    let task: CalibrationSession.Task =
      isPassive ? .passive(Observer()) : .guided(try guidedSession(from: store))
    if case .guided(let session) = task, session.request == .done {
      return try conclude(task, .done, description, store)
    }
    let loan = try BorrowedDevice(node.path)
    let isLent = loan.isLent
    report("listening to “\(node.title)” (\(node.path)); Ctrl-C ends it")
    if isLent { report("the daemon has lent the device: it is not debounced meanwhile") }

    var session = CalibrationSession(task, title: "\(node.title) (\(node.path))", chord: chord)
    let end = try session.listen(to: source, loan)
    if isLent { report("the device is the daemon's again") }
    return try conclude(session.task, end, description, store)
  }

  private func node(_ settings: Settings) throws -> DeviceNode? {
    if let device { return try WatchedDevice(named: device, settings).node() }
    return try PressedDevice(settings).node()
  }

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
    guard Terminal(STDIN_FILENO).isTerminal, Terminal.standardError.isTerminal else {
      report("\(what) --resume takes it up")
      return false
    }
    try Terminal.standardError.write("\(what) Take it up? [Y/n] ")
    let answer = (readLine() ?? "n").lowercased()
    return ["", "y", "yes"].contains(answer)
  }

  private func conclude(
    _ task: CalibrationSession.Task, _ end: CalibrationSession.End,
    _ description: DeviceDescription, _ store: StoredSession?
  ) throws -> CalibrationFindings? {
    if case .gone = end { report("the device was unplugged") }
    switch (task, end) {
    case (_, .panic):
      report("ended by the panic chord; nothing was written")
      throw ExitCode(ExitStatus.panicChord.rawValue)
    case (.passive(var observer), .stopped(SIGINT)), (.passive(var observer), .gone):
      observer.interrupt()
      return CalibrationFindings(
        CalibrationResult(device: description, method: .passive, of: observer))
    case (.passive(var observer), .stopped(SIGTERM)):
      observer.interrupt()
      var findings = CalibrationFindings(
        CalibrationResult(device: description, method: .passive, of: observer))
      findings.mayAsk = false
      return findings
    case (.guided(let session), .done):
      var findings = CalibrationFindings(
        CalibrationResult(device: description, method: .guided, of: session.observer))
      // Kept until its result is written: whoever says no, or is interrupted, need not tap it all again.
      if let store, (try? store.store(session)) != nil { findings.kept = store }
      return findings
    case (.guided(let session), _):
      guard session.observer.observedKeys.isEmpty == false, let store else { break }
      try store.store(session)
      report("ended; “--resume” goes on from here (kept in \(store.path.printable))")
    default: break
    }
    return nil
  }
}
