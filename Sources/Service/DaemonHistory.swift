import Control
import Debounce
import DeviceSelection
import EventDevices
import Status

/// Those who ask what was counted on which day. Their answers are read from disk, by the worker, one after the other.
struct HistoryCalls {
  /// How many may wait.
  static let room = 16

  struct Question {
    let call: BusCall
    let device: DeviceID
    let isRoot: Bool
  }

  /// The first of them is being answered.
  private var questions: [Question] = []

  /// The question whose answer is being read.
  var current: Question? { questions.first }

  var hasRoom: Bool { questions.count < Self.room }

  /// Adds a question.
  ///
  /// - Returns: Whether it is the only one.
  mutating func add(_ question: Question) -> Bool {
    questions.append(question)
    return questions.count == 1
  }

  /// Takes the question whose answer has been read.
  mutating func takeAnswered() -> BusCall? {
    questions.isEmpty ? nil : questions.removeFirst().call
  }
}

extension Daemon {
  /// Has the device's days read for somebody who asks.
  func readHistory(of device: String, _ call: BusCall, isRoot: Bool) {
    guard let id = devices.first(where: { !$0.isClosed && $0.node.isNamed(by: device) }) else {
      return call.refuse(BusNames.Error.notHeld, "\(device) is not held by the daemon")
    }
    guard historyCalls.hasRoom else {
      return call.refuse(BusNames.Error.busy, "too many ask at once")
    }
    let question = HistoryCalls.Question(call: call, device: id, isRoot: isRoot)
    if historyCalls.add(question) { readNextHistory() }
  }

  /// Answers those whose days have been read.
  func answerHistoryCalls() {
    for days in statistics.takeDays() {
      historyCalls.takeAnswered()?.answer(days)
      readNextHistory()
    }
  }

  private func readNextHistory() {
    guard let question = historyCalls.current else { return }
    let today = Day.today
    var (device, pending): (CountedDevice?, [Day: KeyDays]) = (nil, [:])
    devices.update(question.device) { pipeline in
      if case .kept(let kept) = pipeline.storage { device = kept }
      pending = pipeline.history.days.pending(
        KeyDays(question.isRoot ? pipeline.keys : pipeline.published.counts.keys), on: today)
    }
    statistics.readDays(of: device, adding: pending, today: today)
  }
}
