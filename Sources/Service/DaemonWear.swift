import Calibration
import Debounce
import EventDevices
import Logging
import Status

/// A question about the switches of a device, for the worker to answer.
struct WearQuestion: Sendable {
  let device: DeviceID
  /// The switches in question.
  let keys: [KeyCode]
  /// The counts of all keys.
  let counts: [KeyCode: KeyCounts]
  /// When they were taken.
  let moment: Instant

  /// The verdicts on switches that are bad.
  func answer() -> WearAnswer {
    WearAnswer(
      device: device, verdicts: Analysis.verdicts(on: keys, countedAs: counts), moment: moment)
  }
}

/// Which of the switches are bad.
struct WearAnswer: Sendable {
  let device: DeviceID
  let verdicts: [KeyCode: KeyVerdict]
  let moment: Instant
}

extension Daemon {
  /// Reports to everyone on the bus which devices have switches that have become bad, without naming keys, and has those
  /// judged that have chattered since. Called when counts have been published, and at no other time.
  func reportWear(now: Instant) {
    let today = Day.today
    devices.updateAllWithID { id, pipeline in
      reportWear(of: &pipeline, on: today, now: now)
      guard let question = pipeline.wearQuestion(id, on: today, now: now) else { return }
      statistics.judge(question)
    }
  }

  private func reportWear(of pipeline: inout Pipeline, on today: Day, now: Instant) {
    guard pipeline.history.wear.isWaiting, bus.isConnected else { return }
    let due = pipeline.history.wear.takeDue(at: now, on: today)
    for verdict in due {
      bus.emitKeyWorn(device: pipeline.node.path, verdict)
      // Which key it is, is private.
      pipeline.log.notice(
        "\(pipeline.title): the switch of a key is worn: \(verdict.inWords). “keydebounce status” shows which"
      )
    }
    if !due.isEmpty, let device = pipeline.storage.device {
      statistics.keep(reported: pipeline.history.wear.reported, of: device)
    }
    if pipeline.history.wear.isWaiting { somethingHappened(at: now) }
  }

  /// Receives the verdicts of the worker.
  func takeVerdicts(now: Instant) {
    for answer in statistics.takeVerdicts() where !answer.verdicts.isEmpty {
      devices.update(answer.device) { pipeline in
        let keys = KeyDays(pipeline.keys)
        // It may have been reset meanwhile.
        let verdicts = answer.verdicts.filter { keys[$0.key].map { $0.chatter > 0 } ?? false }
        pipeline.history.wear.add(verdicts, at: answer.moment)
      }
      somethingHappened(at: now)
    }
  }
}

extension Pipeline {
  /// The question which of the device's switches have become bad; `nil` if that is known of all that may have.
  fileprivate func wearQuestion(_ id: DeviceID, on today: Day, now: Instant) -> WearQuestion? {
    if case .awaitingEarlier = storage { return nil }
    // What a machine types says nothing about switches.
    guard !path.engine.hasTypedLikeAMachine else { return nil }
    let keys = keys
    let ofToday = history.days.pending(KeyDays(keys), on: today)[today] ?? [:]
    let candidates = history.wear.candidates(today: ofToday, on: today)
    guard !candidates.isEmpty else { return nil }
    return WearQuestion(
      device: id, keys: candidates,
      counts: Dictionary(
        keys.map { ($0.code, $0.counts) }, uniquingKeysWith: { first, _ in first }),
      moment: now)
  }
}
