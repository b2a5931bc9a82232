import ArgumentParser
import Calibration
import Configuration
import Debounce
import EventDevices
import Glibc
import Service

/// A calibration of a device that is there.
struct LiveCalibration {
  let device: String?
  let isPassive: Bool
  let resumes: Bool
  /// The configuration folder.
  let folder: String

  /// What is found, and whether the person can still be asked; `nil` if they have broken off.
  func result() throws -> (result: CalibrationResult, mayAsk: Bool)? {
    let settings = try Settings(readingFrom: folder, mayBeMissing: true)
    guard let node = try node(settings) else { return nil }
    let identity = DeviceIdentity(node)
    let chord = try settings.device(for: identity)?.panicChord ?? settings.panicChord
    let source = try Source(path: node.path)
    let store = isPassive ? nil : StoredSession(of: identity)
    let task: CalibrationSession.Task =
      isPassive ? .passive(Observer()) : .guided(try guidedSession(from: store))
    let loan = try BorrowedDevice(node.path)
    let isLent = loan.isLent
    report("listening to “\(node.title)” (\(node.path)); Ctrl-C ends it")
    if isLent { report("the daemon has lent the device: it is not debounced meanwhile") }

    var session = CalibrationSession(task, title: "\(node.title) (\(node.path))", chord: chord)
    let end = try session.listen(to: source, loan)
    if isLent { report("the device is the daemon's again") }
    return try conclude(session.task, end, identity, store)
  }

  private func node(_ settings: Settings) throws -> DeviceNode? {
    if let device { return try WatchedDevice(named: device, settings).node() }
    return try PressedDevice(settings).node()
  }

  /// The session to begin with: a new one, or the one that was broken off, if that is wanted.
  private func guidedSession(from store: StoredSession?) throws -> GuidedSession {
    guard let store, let stored = store.session() else {
      if resumes { report("no measurement of this device was broken off; beginning a new one") }
      return GuidedSession()
    }
    guard try resumes || isWanted() else { return GuidedSession() }
    return stored
  }

  private func isWanted() throws -> Bool {
    guard Terminal(STDIN_FILENO).isTerminal, Terminal.standardError.isTerminal else {
      report("a measurement of this device was broken off; --resume takes it up")
      return false
    }
    try Terminal.standardError.write(
      "A measurement of this device was broken off. Take it up? [Y/n] ")
    let answer = (readLine() ?? "n").lowercased()
    return ["", "y", "yes"].contains(answer)
  }

  private func conclude(
    _ task: CalibrationSession.Task, _ end: CalibrationSession.End, _ identity: DeviceIdentity,
    _ store: StoredSession?
  ) throws -> (result: CalibrationResult, mayAsk: Bool)? {
    if case .gone = end { report("the device was unplugged") }
    switch (task, end) {
    case (_, .panic):
      report("ended by the panic chord; nothing was written")
      throw ExitCode(ExitStatus.panicChord.rawValue)
    case (.passive(var observer), .stopped(SIGINT)), (.passive(var observer), .gone):
      observer.interrupt()
      return (CalibrationResult(device: identity, method: .passive, of: observer), true)
    case (.passive(var observer), .stopped(SIGTERM)):
      observer.interrupt()
      return (CalibrationResult(device: identity, method: .passive, of: observer), false)
    case (.guided(let session), .done):
      store?.remove()
      return (CalibrationResult(device: identity, method: .guided, of: session.observer), true)
    case (.guided(let session), _):
      guard session.observer.observedKeys.isEmpty == false, let store else { break }
      try store.store(session)
      report("ended; “--resume” goes on from here (kept in \(store.path.printable))")
    default: break
    }
    return nil
  }
}
