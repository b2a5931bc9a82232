import Debounce
import Terminal
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
      if case .doubles? = session.request { session.advance(to: now + 150_000) }
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

    /// What the screen shows.
    var screen: String {
      GuidedScreen(title: "x", session: session, now: 0).lines(on: Sheet(columns: 80, rows: 24))
        .joined()
    }

    /// Does what is asked, once.
    mutating func obey() {
      switch session.request {
      case .typing: for code: KeyCode in [key, other, 20, 31] { tap(code, rest: 20) }
      case .taps(let code): tap(code)
      case .holds(let code): tap(code, hold: Double(session.effort.hold / 1000))
      case .doubles(let code): stroke(code, [80, 70, 90], rest: 300)
      case nil: break
      }
    }
  }

  @Test("leads from typing over taps, holds and doubles of a worn key to its verdict")
  func bad() {
    var person = Person(GuidedSession(), every: 7)
    var requests: [Exercise?] = []
    var fraction = 0.0
    for _ in 0..<3000 where person.session.request != nil {
      if requests.last != person.session.request { requests.append(person.session.request) }
      #expect((0...1).contains(person.session.progress.fraction))
      #expect(person.session.fraction >= fraction - 0.35)
      fraction = person.session.fraction
      person.obey()
    }
    #expect(
      requests == [
        .typing, .taps(key), .holds(key), .doubles(key),
        // A worn key is seldom the only one. Here it is.
        .typing,
      ])
    #expect(person.session.fraction == 1)
    let findings = Findings(of: person.session.tape).keys
    #expect(findings.first?.key == key)
    #expect(findings.filter(\.isWorn).count == 1)
    #expect(person.session.worn == [key])
    // Certain, and with enough faults: no need for all sixty taps.
    let labels = Labels(of: person.session.tape)
    #expect((20..<60).contains(labels.done[.taps(key)] ?? 0))
    #expect(labels.done[.holds(key)] == 5)
    #expect(labels.done[.doubles(key)] == 10)
  }

  @Test("asks for more taps while these would tell what to set, unless the person has had enough")
  func undecided() {
    var effort = GuidedSession.Effort()
    (effort.leastStrokes, effort.enoughStrokes) = (20, 20)
    (effort.taps, effort.mostTaps, effort.holds, effort.doubles) = (20, 20, 1, 1)
    effort.moreTaps = 20
    func taps(_ rules: Rules, hasEnough: Bool = false) -> (asked: Int, isDecided: Bool) {
      var person = Person(GuidedSession(effort, inForce: InForce(rules)), every: 9)
      var asked = 0
      var steps: Set<Int> = []
      for _ in 0..<1000 where person.session.request != nil {
        guard person.session.isAgain else {
          person.obey()
          continue
        }
        asked += 1
        steps.insert(person.session.steps)
        let screen = GuidedScreen(title: "x", session: person.session, now: 0)
        #expect(screen.heading == "Tap KEY_E again, one tap a beat")
        if hasEnough { person.session.skip() } else { person.obey() }
      }
      #expect(person.session.worn == [key])
      #expect(person.session.rounds == 2)
      let findings = Findings(of: person.session.tape, inForce: InForce(rules))
      #expect(hasEnough || steps.count == asked / effort.moreTaps)
      return (asked, !findings.keys.isUndecided)
    }
    // The default removes these faults. Where nothing does, they are too few at first.
    #expect(taps(Rules()) == (0, true))
    #expect(taps(Rules(strategy: .none)).isDecided)
    #expect(taps(Rules(strategy: .none)).asked >= effort.moreTaps)
    #expect(taps(Rules(strategy: .none), hasEnough: true) == (1, false))
  }

  @Test("is done after typing where nothing is suspicious")
  func healthy() {
    var person = Person(GuidedSession())
    for _ in 0..<3000 where person.session.request == .typing { person.obey() }
    #expect(person.session.request == nil)
    #expect(person.session.progress.fraction == 1)
    #expect(Findings(of: person.session.tape).keys.allSatisfy { !$0.isWorn })
  }

  @Test("looks at a key that the person names, and spares a healthy one the doubles")
  func named() {
    var person = Person(GuidedSession())
    person.session.add(20)
    person.session.skip()
    #expect(person.session.request == .taps(20))
    #expect(person.session.progress.remaining == 60)
    for _ in 0..<30 { person.obey() }
    #expect(person.session.progress.done == 30)
    #expect(person.session.progress.fraction == 0.5)
    for _ in 0..<30 { person.obey() }
    #expect(person.session.request == .holds(20))
    for _ in 0..<5 { person.obey() }
    #expect(person.session.request == nil)
    #expect(Findings(of: person.session.tape).keys.allSatisfy { !$0.isWorn })
    person.session.add(21)
    #expect(person.session.request == .taps(21))
  }

  @Test("does not count hasty taps and short holds, and says so")
  func hasty() {
    var person = Person(GuidedSession())
    person.session.add(key)
    person.session.skip()
    for _ in 0..<4 { person.tap(key, hold: 40, rest: -1) }
    #expect(person.session.progress.done == 1)
    #expect(person.screen.contains("3 too fast: one tap a beat"))
    // So fast that they look like one stroke.
    person.now += 300_000
    person.stroke(key, [60, 100, 60, 100, 60, 100, 60], rest: 300)
    #expect(person.session.progress.done == 2)
    #expect(person.session.progress.uncounted == 4)
    #expect(person.session.progress.faults == 0)
    person.session.skip()
    person.tap(key, hold: 900)
    person.tap(key, hold: 2000)
    #expect(person.session.progress.done == 1)
    #expect(person.screen.contains("1 let go too soon: keep it down for 1.5 seconds"))
  }

  @Test("does not count doubles that are too slow, and says what is missing")
  func slowDoubles() {
    var person = Person(GuidedSession(), every: 3)
    person.session.add(key)
    person.session.skip()
    for _ in 0..<150 where person.session.request != .doubles(key) { person.obey() }
    for _ in 0..<3 {
      person.stroke(key, [80], rest: 190)
      person.stroke(key, [80], rest: 400)
    }
    #expect(person.session.progress.done == 0)
    #expect(person.screen.contains("6 taps not counted: the second one must come within 300 ms"))
    person.obey()
    #expect(person.session.progress.done == 1)
  }

  @Test("goes on and back when told so; what was seen since is forgotten")
  func skipping() {
    var person = Person(GuidedSession())
    for _ in 0..<3 { person.obey() }
    person.session.add(20)
    person.session.add(21)
    person.session.back()
    #expect(person.session.request == .typing)
    #expect(person.session.progress.done == 12)
    person.session.skip()
    for _ in 0..<7 { person.obey() }
    person.session.skip()
    #expect(person.session.request == .holds(20))
    person.session.back()
    #expect(person.session.request == .taps(20))
    #expect(person.session.progress.done == 0)
    let kept = Labels(of: person.session.tape).strokes.filter { $0.key == 20 }
    #expect(kept.count == 3 && kept.allSatisfy { $0.exercise == .typing })
    person.session.skip()
    person.session.skip()
    #expect(person.session.request == .taps(21))
    person.session.skip()
    person.session.skip()
    #expect(person.session.request == nil)
    person.session.skip()
    #expect(person.session.request == nil)
  }

  @Test("asks for more taps where there were faults, and too few")
  func doubt() {
    var person = Person(GuidedSession(), every: 50)
    person.session.add(key)
    person.session.skip()
    for _ in 0..<70 { person.obey() }
    #expect(person.session.request == .taps(key))
    #expect(person.session.progress.remaining == 130)
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
    #expect(person.session.request == .typing)
  }
}
