import Testing

@testable import Debounce

/// Keys that the settings name: what is worn, a person says. What they answer stands in `adaptive-named.strokes`.
@Suite struct NamedKeyTests {
  private static func rules(_ rule: Adaptive = Adaptive(threshold: 40.ms)) -> Rules {
    Rules(keys: [.a: Strategy.adaptive(rule).named])
  }

  /// A drop-out after 90 ms.
  private func withdrawsDropOut(_ engine: inout Debouncer, at time: Int) -> Bool {
    let dropOut = "A+\(time) A-\(time + 90) A+\(time + 110) A-\(time + 200)"
    return edges(in: engine.process(strokes: strokes(dropOut))).filter(\.isDown).count == 1
  }

  @Test("A named key is bad from the start, and after a reset")
  func start() {
    var engine = Debouncer(Self.rules())
    #expect(engine.isBad(.a))
    #expect(!engine.isBad(.s))
    #expect(withdrawsDropOut(&engine, at: 0))
    engine.reset(.a)
    #expect(withdrawsDropOut(&engine, at: 1000))
    engine.reset()
    #expect(withdrawsDropOut(&engine, at: 2000))
  }

  @Test("A named key counts as bad also on a device that lacks it")
  func absent() {
    var engine = Debouncer(Rules(keys: [248: Strategy.adaptive(Adaptive()).named]), upTo: 30)
    #expect(engine.play("A+0 A-90 A+300 A-342") == "A+0 A-90 A+300 A-357")
  }

  @Test("A named key stays bad whatever it shows")
  func evidence() {
    var engine = Debouncer(Self.rules(Adaptive(threshold: 40.ms, within: 1)))
    // A bounce would be evidence; of a key that is bad without it, it is none, and none runs out.
    engine.play("A+0 A-8 A+14 A-100")
    _ = engine.process(strokes: taps(29, held: 100.ms, every: 1000.ms, from: 1000.ms))
    #expect(engine.counters.learned == 0 && engine.counters.forgotten == 0)
    #expect(engine.habits.keys.allSatisfy { $0.badFor == nil })
    #expect(withdrawsDropOut(&engine, at: 50_000))
  }

  @Test("A named key is never taken for one without contacts")
  func contactless() {
    var engine = Debouncer(Self.rules())
    _ = engine.process(strokes: taps(30, held: 200.ms, every: 300.ms))
    #expect(engine.play("A+9050 A-9250 A+9320 A-9500") == "A+9050 A-9290 A+9345 A-9540")
  }

  @Test("A key counts as a bad one beside the others while it is named")
  func besideOthers() {
    var engine = Debouncer(Self.rules())
    // Early, and not very short.
    #expect(engine.play("S+0 S-40") == "S+0 S-55")
    engine.adopt(Rules())
    #expect(!engine.isBad(.a))
    #expect(engine.play("S+1000 S-1040") == "S+1000 S-1040")
    engine.adopt(Self.rules())
    #expect(engine.device.badKeys == 1)
    engine.pause()
    engine.resume()
    #expect(engine.device.badKeys == 1)
    engine.adopt(Rules(strategy: .none))
    #expect(engine.device.badKeys == 0)
  }

  /// What `[debounce]` sets is meant for keys when they become bad.
  @Test("Numbers for all keys name none")
  func numbers() {
    var engine = Debouncer(Rules(strategy: .adaptive(Adaptive(threshold: 60.ms, suspect: 80.ms))))
    #expect(!engine.isBad(.a))
    #expect(engine.play("A+0 A-90 A+160 A-174") == "A+0 A-90 A+160 A-215")
    var bad = Debouncer(Rules(strategy: .adaptive(Adaptive(threshold: 60.ms, suspect: 80.ms))))
    bad.install(LearnedHabits(keys: [.init(.a, badFor: 10)]))
    #expect(bad.play("A+0 A-90 A+165 A-175") == "A+0 A-150")
  }

  @Test("How late the bounces of a named key came is kept")
  func reach() {
    var first = Debouncer(Self.rules(Adaptive(threshold: 15.ms)))
    first.play("A+0 A-100 A+190 A-198")
    #expect(first.habits.keys == [.init(.a, offset: 500, reach: 90.ms)])
    var engine = Debouncer(Self.rules(Adaptive(threshold: 15.ms)))
    engine.install(first.habits)
    #expect(engine.habits.keys == first.habits.keys)
    #expect(
      edges(in: engine.process(strokes: strokes("A+0 A-100 A+190 A-198"))).filter(\.isDown).count
        == 1)
  }

  @Test("What a bad key costs follows from its threshold")
  func windows() {
    let windows = Adaptive(threshold: 60.ms).ofBadKeys
    #expect(
      windows
        == Adaptive.Windows(
          suspect: 144.ms, confirm: 25.ms, settle: 168.ms, dropout: 60.ms, earlyDropout: 90.ms))
    // No less than a healthy key's.
    let short = Adaptive(threshold: 10.ms, dropout: 5.ms).ofBadKeys
    #expect((short.suspect, short.settle, short.dropout) == (40.ms, 55.ms, 5.ms))
    let given = Adaptive(suspect: 20.ms).ofBadKeys
    #expect(given.suspect == 20.ms && given.suspectIsGiven == true)
  }
}
