import StrokeFixtures
import Testing

@testable import Debounce

/// Keys whose suspicious presses have always lasted, as those of switches without contacts do, which cannot bounce.
@Suite struct ContactlessKeyTests {
  /// How late each press went out.
  private static func waits(_ raw: [Edge], _ clean: [Edge]) -> [Microseconds] {
    zip(raw.filter(\.isDown), clean.filter(\.isDown)).map { $1.time - $0.time }
  }

  /// An engine that has seen so many presses of the key `a`, and when the next one would come.
  private func engine(after presses: Int) -> (Debouncer, Microseconds) {
    var engine = Debouncer()
    _ = engine.process(strokes: taps(presses, held: 200.ms, every: 220.ms), completely: false)
    return (engine, Microseconds(presses) * 220.ms)
  }

  /// What comes of strokes that are given by their times after `start`.
  private func send(
    _ text: String, at start: Microseconds, to engine: inout Debouncer
  ) -> String {
    let later = strokes(text).map { Edge($0.key, down: $0.isDown, at: $0.time + start) }
    let clean = edges(in: engine.process(strokes: later, completely: false))
    let rest = edges(in: engine.advance(to: start + 10_000.ms))
    return (clean + rest).map { Edge($0.key, down: $0.isDown, at: $0.time - start) }.text
  }

  @Test("Presses no longer wait once twenty have lasted")
  func twenty() {
    let raw = taps(40, held: 200.ms, every: 220.ms)
    let clean = debounce(raw)
    #expect(clean.map(\.key) == raw.map(\.key))
    let waits = Self.waits(raw, clean)
    // The first one has no gap before it.
    #expect(waits == [0] + Array(repeating: 25.ms, count: 20) + Array(repeating: 0, count: 19))
  }

  /// A switch that bounces now and then would otherwise pass for one that cannot, and its bounces would come through.
  @Test("A press that did not last begins the count of twenty anew, though it is no evidence")
  func anew() {
    // The press is let go 61 ms after the release before it. A finger can do that.
    let raw = taps(30, held: 200.ms, every: 220.ms, from: 281.ms)
    let clean = debounce(strokes("A+0 A-200 A+238 A-261") + raw)
    #expect(clean.count == 62)
    let waits = Self.waits(raw, Array(clean.dropFirst(2)))
    #expect(waits == Array(repeating: 25.ms, count: 20) + Array(repeating: 0, count: 10))
  }

  /// A switch without contacts comes back so soon as a matter of course: fast players would otherwise wait.
  @Test(
    "A gap of 15 ms may be a finger's, a shorter one says nothing", arguments: [15.ms, 14_999])
  func fingersGap(gap: Microseconds) {
    // The hold is too short for a late drop-out.
    let raw = taps(30, held: 140.ms, every: 140.ms + gap)
    let waits = Self.waits(raw, debounce(raw))
    #expect(waits.count == 30)
    #expect(waits[1...20].allSatisfy { $0 > 0 })
    #expect(waits[21...].allSatisfy { ($0 == 0) == (gap == 15.ms) })
  }

  @Test("Each key is judged by itself")
  func eachKey() {
    var (engine, now) = engine(after: 25)
    #expect(send("S+0 S-100 S+120 S-220", at: now + 500.ms, to: &engine).contains("S+145"))
    now += 2000.ms
    #expect(send("A+0 A-100 A+120 A-220", at: now, to: &engine).contains("A+120"))
  }

  @Test("Nothing waits behind a press that passes")
  func behind() {
    var (engine, now) = engine(after: 25)
    #expect(send("A+0 S+2 A-100 S-110", at: now, to: &engine).hasPrefix("A+0 S+2"))
  }

  @Test("A press that is let go at once ends it")
  func end() {
    var (engine, now) = engine(after: 25)
    // A release bounce passes; the next one vanishes, as it is known now that the switch is bad.
    #expect(!engine.isBad(.a))
    let bounce = "A+0 A-8 A+300 A-500 A+510 A-518"
    #expect(send(bounce, at: now, to: &engine).filter { $0 == "+" }.count == 2)
    #expect(engine.isBad(.a))
    now += 3000.ms
    #expect(send("A+0 A-200 A+220 A-420", at: now, to: &engine) == "A+0 A-445")
  }

  @Test("What passes and is not suspicious is no evidence")
  func unsuspicious() {
    var (engine, now) = engine(after: 25)
    // Tapped so fast that a gap of 14 ms is nothing special.
    let taps = "A+300 A-346 A+362 A-400 A+414 A-460"
    #expect(send(taps, at: now, to: &engine) == taps)
    now += 1000.ms
    #expect(!engine.isBad(.a))
  }

  @Test(
    "A press that is let go at once is evidence where no finger makes it",
    arguments: [
      // Shorter than a finger's contact: the gap before it is of 20 ms.
      ("A+0 A-8", true), ("A+0 A-11.999", true), ("A+0 A-12", false),
      // So late after the release, that may be a finger's.
      ("A+109.999 A-120", true), ("A+110 A-120", false),
    ])
  func evidence(text: String, isEvidence: Bool) {
    let (engine, now) = engine(after: 25)
    var later = engine
    _ = send(text, at: now, to: &later)
    #expect(later.isBad(.a) == isEvidence)
  }

  @Test("The second of two strokes of a machine proves nothing")
  func machine() {
    var engine = Debouncer(Rules(strategy: .adaptive(Adaptive()), flush: .all))
    _ = engine.process(strokes: taps(25, held: 200.ms, every: 220.ms), completely: false)
    let now = 25 * 220.ms
    #expect(send("A+300 A-310 S+312 A+320 A-330 S-400", at: now, to: &engine).contains("A+320"))
    // The next suspicious press passes, too.
    let next = "A+500 A-700 A+720 A-900"
    #expect(send(next, at: now, to: &engine) == next)
  }

  @Test("A worn key is never taken for one")
  func worn() {
    // After each dozen strokes its release bounces: too late after the press before it to be evidence.
    var raw: [Edge] = []
    for round in 0..<5 {
      let start = Microseconds(round) * 3640.ms
      raw += taps(12, held: 200.ms, every: 220.ms, from: start)
      let end = raw[raw.count - 1].time
      raw += [
        Edge(.a, down: true, at: end + 38.ms), Edge(.a, down: false, at: end + 61.ms),
      ]
    }
    let pressed = Set(raw.filter(\.isDown).map(\.time))
    let emitted = debounce(raw).filter(\.isDown).map(\.time)
    #expect(emitted.count == 60)
    // The first of each dozen comes after a pause.
    #expect(emitted.filter { !pressed.contains($0) }.count == 5 * 11)
  }

  @Test("What was learned is forgotten with the events")
  func losses() {
    var (engine, now) = engine(after: 25)
    now += 1000.ms
    _ = engine.process(strokes: [Edge(.a, down: true, at: now)], completely: false)
    _ = engine.resynchronise(held: KeySet(), at: now + 10.ms)
    // The press whose release was lost is not judged by another one's release.
    #expect(send("A+100 A-300", at: now, to: &engine) == "A+100 A-300")
    #expect(!engine.isBad(.a))
  }

  @Test("Twenty suspicious presses must have lasted since one did not")
  func count() {
    var evidence = Evidence()
    for _ in 0..<19 { evidence.last() }
    #expect(!evidence.isContactless)
    evidence.lasted = 0
    for _ in 0..<19 { evidence.last() }
    #expect(!evidence.isContactless)
    evidence.last()
    #expect(evidence.isContactless)
    // Evidence ends it, and when that has run out all twenty count anew.
    _ = evidence.note(afterPress: 1, within: 1, isNamed: false)
    evidence.forget()
    for _ in 0..<19 { evidence.last() }
    #expect(!evidence.isContactless)
  }
}
