import Configuration
import Debounce
import Testing

@testable import Calibration

/// What settings do with a recording of a key, by the engine.
@Suite("Settings tried on a recording")
struct SettingTrialTests {
  private let key: KeyCode = 18

  /// Strokes of 90 ms, every fifth of which drops out for so many milliseconds, and every seventh of which is doubled
  /// after a gap of 60 ms.
  private func observed(gap: Microseconds, strokes: Int, keepsRecordings: Bool = true) -> Observer {
    var observer = Observer(keepsRecordings: keepsRecordings)
    var time: Microseconds = 0
    func send(_ value: Int32, after wait: Microseconds) {
      time += wait * 1000
      observer.receive(key, value: value, at: time, during: .typing)
    }
    for index in 0..<strokes {
      send(1, after: 400)
      if index % 5 == 4 {
        send(0, after: 45)
        send(1, after: gap)
        send(0, after: 45)
      } else {
        send(0, after: 90)
      }
      guard index % 7 == 6 else { continue }
      send(1, after: 60)
      send(0, after: 90)
    }
    observer.advance(to: time + 1_000_000)
    return observer
  }

  @Test("count what is lost, what comes through, and how late all is")
  func trial() throws {
    let recording = try #require(observed(gap: 10, strokes: 70).recordings?[key])
    #expect([recording.strokes, recording.doubles, recording.faults] == [80, 10, 14])
    let none = SettingTrial(.none, on: recording)
    #expect([none.strokes, none.lost, none.faults, none.missed] == [80, 0, 14, 14])
    #expect(none.pressLatency == 0 && none.releaseLatency == 0)
    let late = SettingTrial(.eagerDefer(EagerDefer(threshold: 20_000)), on: recording)
    #expect([late.lost, late.missed] == [0, 0])
    #expect(late.releaseLatency == 20)
    let tooLate = SettingTrial(.eagerDefer(EagerDefer(threshold: 70_000)), on: recording)
    #expect([tooLate.lost, tooLate.missed] == [10, 0])
  }

  @Test("are tried with an engine that knows the key by then")
  func known() throws {
    let recording = try #require(observed(gap: 10, strokes: 70).recordings?[key])
    let adaptive = SettingTrial(.adaptive(Adaptive()), on: recording)
    #expect([adaptive.lost, adaptive.missed] == [0, 0])
    #expect(adaptive.releaseLatency > 20)
  }

  @Test("are foretold by the recording rather than by the model, where there are faults enough")
  func prediction() throws {
    // The model does not know that every drop-out of this key comes after 10 ms.
    let known = Analysis(observed(gap: 10, strokes: 700)).diagnosis(of: key)
    let modelled = Analysis(observed(gap: 10, strokes: 700, keepsRecordings: false))
      .diagnosis(of: key)
    #expect(known.isFaulty && modelled.isFaulty)
    let proposal = try #require(known.proposal)
    #expect(proposal.missed.value < 0.1)
    #expect(proposal.releaseLatency > 10)
    #expect(modelled.proposal.map { $0.missed.value > proposal.missed.value } ?? true)
    #expect(known.tradeOff != modelled.tradeOff)
  }

  @Test("keep no recording of a measurement")
  func privacy() {
    #expect(Observer().recordings == nil)
    #expect(observed(gap: 10, strokes: 70, keepsRecordings: false).recordings == nil)
    #expect(GuidedSession().observer.recordings == nil)
  }

  @Test("say how much longer it takes to find what two minutes do not show")
  func minutes() throws {
    var observer = Observer()
    for index in 0..<200 {
      let time = Microseconds(index) * 600_000
      observer.receive(index % 4 == 0 ? 31 : 30, value: 1, at: time, during: .typing)
      observer.receive(index % 4 == 0 ? 31 : 30, value: 0, at: time + 90_000, during: .typing)
    }
    observer.advance(to: 1_000_000_000)
    #expect(observer.typingTime == 119_490_000)
    let result = CalibrationResult(
      device: CalibrationSamples.result().device, method: .guided, of: observer)
    let missing = try #require(result.minutesMissing)
    #expect(missing.map(\.name) == ["KEY_A", "KEY_S"])
    // 75 strokes a minute, and 25.
    #expect(missing.map(\.minutes) == [4, 14])
    let text = CalibrationText(of: result, on: .init(columns: 400)).text
    #expect(text.contains("in 4 more minutes of typing like this for KEY_A"))
    let counted = CalibrationResult(device: result.device, method: .counts, diagnoses: [])
    #expect(counted.minutesMissing == nil)
  }
}
