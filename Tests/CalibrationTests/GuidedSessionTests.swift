import Debounce
import Foundation
import Testing

@testable import Calibration

@Suite("The guided session")
struct GuidedSessionTests {
  /// A session and a person who does what it asks, with a switch that fails every so often.
  private struct Person {
    var session: GuidedSession
    var now: Microseconds = 5_000_000
    /// Every how many strokes `key` bounces; 0: never.
    var every = 0
    private var strokes = 0

    init(_ session: GuidedSession, every: Int = 0) {
      self.session = session
      self.every = every
    }

    mutating func stroke(_ code: KeyCode, _ times: [Double], rest: Double) {
      for (index, time) in times.enumerated() {
        session.receive(Frame(time: now, [.key(code, down: index % 2 == 0)]))
        now += Microseconds(time * 1000)
      }
      session.receive(Frame(time: now, [.key(code, down: false)]))
      now += 160_000
      session.advance(to: now)
      now += Microseconds(rest * 1000)
    }

    mutating func tap(_ code: KeyCode, hold: Double = 90, rest: Double = 250) {
      strokes += 1
      if code == key, every > 0, strokes % every == 0 {
        stroke(code, [10, 9, hold], rest: rest)
      } else {
        stroke(code, [hold], rest: rest)
      }
    }

    /// Does what is asked, once.
    mutating func obey() {
      switch session.request {
      case .type: for code: KeyCode in [key, other, 20, 31] { tap(code, rest: 20) }
      case .tap(let code, _): tap(code)
      case .hold(let code, let time): tap(code, hold: Double(time / 1000))
      case .doubleTap(let code): stroke(code, [80, 70, 90], rest: 300)
      case .done: break
      }
    }
  }

  @Test("leads from typing over taps, holds and doubles of a bad key to its diagnosis")
  func bad() {
    var person = Person(GuidedSession(), every: 7)
    var requests: [GuidedSession.Request] = []
    var fraction = 0.0
    for _ in 0..<3000 where person.session.request != .done {
      if requests.last != person.session.request { requests.append(person.session.request) }
      #expect((0...1).contains(person.session.progress.fraction))
      #expect(person.session.fraction >= fraction - 0.35)
      fraction = person.session.fraction
      person.obey()
    }
    #expect(
      requests == [
        .type, .tap(key, beat: 500_000), .hold(key, 3_000_000), .doubleTap(key),
      ])
    #expect(person.session.fraction == 1)
    let diagnoses = person.session.analysis().diagnoses
    #expect(diagnoses.first?.key == key)
    #expect(diagnoses.first?.finding == .chatters)
    #expect(diagnoses.filter(\.isFaulty).count == 1)
    // Certain, and with ten faults: no need for all sixty taps.
    #expect(person.session.observer[key].taps.strokes < 60)
  }

  @Test("is done after typing where nothing is suspicious")
  func healthy() {
    var person = Person(GuidedSession())
    for _ in 0..<3000 where person.session.request == .type { person.obey() }
    #expect(person.session.request == .done)
    #expect(person.session.progress.fraction == 1)
    #expect(person.session.analysis().diagnoses.allSatisfy { !$0.isFaulty })
  }

  @Test("looks at a key that the person names, and spares a healthy one the doubles")
  func named() {
    var person = Person(GuidedSession())
    person.session.add(20)
    person.session.skip()
    #expect(person.session.request == .tap(20, beat: 500_000))
    #expect(person.session.progress.remaining == 60)
    for _ in 0..<30 { person.obey() }
    #expect(person.session.progress.done == 30)
    #expect(person.session.progress.fraction == 0.5)
    for _ in 0..<30 { person.obey() }
    #expect(person.session.request == .hold(20, 3_000_000))
    for _ in 0..<5 { person.obey() }
    #expect(person.session.request == .done)
    guard case .healthy = person.session.analysis().diagnosis(of: 20).finding else {
      Issue.record("\(person.session.analysis().diagnosis(of: 20).finding)")
      return
    }
    person.session.add(21)
    #expect(person.session.request == .tap(21, beat: 500_000))
  }

  @Test("does not count hasty taps and short holds, and says so")
  func hasty() {
    var person = Person(GuidedSession())
    person.session.add(key)
    person.session.skip()
    for _ in 0..<4 { person.tap(key, hold: 40, rest: -1) }
    #expect(person.session.progress.done == 1)
    #expect(person.session.progress.uncounted == 3)
  }

  @Test("goes on and back when told so; what was seen since is forgotten")
  func skipping() {
    var person = Person(GuidedSession())
    for _ in 0..<3 { person.obey() }
    person.session.add(20)
    person.session.add(21)
    let went = person.session.back()
    #expect(!went)
    person.session.skip()
    for _ in 0..<7 { person.obey() }
    person.session.skip()
    #expect(person.session.request == .hold(20, 3_000_000))
    person.session.back()
    #expect(person.session.request == .tap(20, beat: 500_000))
    #expect(person.session.progress.done == 0)
    #expect(person.session.observer[20].taps.strokes == 0)
    #expect(person.session.observer[20].typed.strokes == 3)
    person.session.skip()
    person.session.skip()
    #expect(person.session.request == .tap(21, beat: 500_000))
    person.session.skip()
    person.session.skip()
    #expect(person.session.request == .done)
    person.session.skip()
    #expect(person.session.request == .done)
  }

  @Test("asks for more taps where there were faults, and too few")
  func doubt() {
    var person = Person(GuidedSession(), every: 50)
    person.session.add(key)
    person.session.skip()
    for _ in 0..<70 { person.obey() }
    #expect(person.session.request == .tap(key, beat: 500_000))
    #expect(person.session.progress.remaining == 80)
  }

  @Test("can be put away and taken up again")
  func resuming() throws {
    var person = Person(GuidedSession(), every: 7)
    for _ in 0..<120 { person.obey() }
    let data = try JSONEncoder().encode(person.session)
    var resumed = person
    resumed.session = try JSONDecoder().decode(GuidedSession.self, from: data)
    #expect(resumed.session.request == person.session.request)
    #expect(resumed.session.progress == person.session.progress)
    #expect(resumed.session.analysis().diagnoses == person.session.analysis().diagnoses)
    // The machine was started anew meanwhile, and its clock with it.
    resumed.now = 3_000_000
    for _ in 0..<3000 where resumed.session.request != .done { resumed.obey() }
    #expect(resumed.session.analysis().diagnosis(of: key).isFaulty)
  }

  @Test("counts no time in which nobody types")
  func pauses() {
    var person = Person(GuidedSession())
    person.obey()
    let remaining = person.session.progress.timeRemaining
    for _ in 0..<600 {
      person.now += 100_000
      person.session.advance(to: person.now)
    }
    #expect(remaining - person.session.progress.timeRemaining <= 2_000_000)
    #expect(person.session.request == .type)
  }
}
