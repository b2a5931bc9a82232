import StrokeFixtures
import Testing

@testable import Debounce

/// What follows from a threshold, and what is kept in range.
@Suite struct StrategyTests {
  @Test("One threshold means every wait where there is one number")
  func oneThreshold() {
    #expect(Defer(threshold: 25.ms) == Defer(press: 25.ms, release: 25.ms))
    #expect(Eager(threshold: 25.ms) == Eager(press: 25.ms, release: 25.ms))
    #expect(EagerDefer(threshold: 25.ms) == EagerDefer(press: 25.ms, release: 25.ms))
    #expect(Prompt(threshold: 25.ms) == Prompt(quiet: 25.ms))
    #expect(Throttle(threshold: 25.ms) == Throttle(interval: 25.ms, latest: false))
    #expect(BounceKeys(threshold: 25.ms) == BounceKeys(delay: 25.ms))
    #expect(SlowKeys(threshold: 25.ms) == SlowKeys(delay: 25.ms))
  }

  @Test("Each key has its own strategy")
  func eachKey() {
    let rules = Rules(
      strategy: .defer(Defer(threshold: 5.ms)),
      keys: [.a: .none, .s: .eagerDefer(EagerDefer(threshold: 10.ms)), 0xffff: .none])
    #expect(
      debounce(strokes("A+0 S+0 D+0 A-50 S-50 D-50"), rules).text
        == "A+0 S+0 D+5 A-50 D-55 S-60")
  }

  @Test("A press that has waited long enough for its own sake is not taken back")
  func notTakenBack() {
    // The short contacts of A may be several strokes: D waits behind them.
    for strategy in [Strategy.defer(Defer(threshold: 5.ms)), .slowKeys(SlowKeys(delay: 5.ms))] {
      let clean = debounce(strokes("A+0 A-10 A+20 A-30 D+35 D-55"), Rules(keys: [32: strategy]))
      #expect(clean.filter { $0.key == 32 }.map(\.isDown) == [true, false], "\(clean.text)")
      let short = debounce(strokes("A+0 A-10 A+20 A-30 D+35 D-38"), Rules(keys: [32: strategy]))
      #expect(!short.contains { $0.key == 32 }, "\(short.text)")
    }
  }

  /// `KEY_VOLUMEUP`, `KEY_VOLUMEDOWN`, `KEY_BRIGHTNESSUP`, `KEY_BRIGHTNESSDOWN`, `KEY_KBDILLUMUP`, `KEY_KBDILLUMDOWN`,
  /// `KEY_ZOOMIN`, `KEY_ZOOMOUT`, `KEY_SCROLLUP` and `KEY_SCROLLDOWN`, as the kernel numbers them.
  private static let encoderKeys: [KeyCode] = [115, 114, 225, 224, 230, 229, 418, 419, 177, 178]

  @Test("Keys of encoders pass unless they have a strategy of their own")
  func encoders() {
    let all = Strategy.eagerDefer(EagerDefer(threshold: 10.ms))
    let own = Strategy.defer(Defer(threshold: 5.ms))
    let rules = Rules(strategy: all)
    for key in Self.encoderKeys {
      #expect(rules.strategy(of: key) == .none)
      #expect(Rules(strategy: all, keys: [key: own]).strategy(of: key) == own)
      #expect(Rules(strategy: all, keys: [key: all]).strategy(of: key) == all)
    }
    let spared = (0..<KeyCode(768)).filter { rules.strategy(of: $0) == .none }
    #expect(spared == Self.encoderKeys.sorted())
  }

  @Test("Detents of a knob pass at once")
  func knob() {
    let up: KeyCode = 115
    let detents = taps(10, of: up, held: 8.ms, every: 30.ms)
    #expect(debounce(detents, Rules()) == detents)
    // Where a file says so, it is a key like others.
    let rules = Rules(keys: [up: .eagerDefer(EagerDefer(threshold: 30.ms))])
    #expect(debounce(detents, rules).count == 2)
  }

  /// Lock-outs are half open: at its very end the lock has ended.
  @Test("An edge at the end of a lock passes at once")
  func endOfLock() {
    var engine = Debouncer(Rules(strategy: .eager(Eager(threshold: 20.ms))))
    _ = engine.process(at: 0, .down(.a))
    #expect(engine.process(at: 20.ms, .up(.a)) == [Frame(time: 20.ms, [.up(.a)])])
    #expect(engine.deadline == nil)
  }

  @Test("`adaptive` waits for no longer than it says")
  func adaptive() {
    #expect(Adaptive().longestWait == 106.ms)
    // A bad key's very short stroke, with a long threshold.
    #expect(Adaptive(threshold: 100.ms).longestWait == 280.ms)
  }

  @Test("A key waits for no longer than its rules say")
  func longestWaitOfKey() {
    let rules = Rules(
      strategy: .adaptive(Adaptive()),
      keys: [
        .s: .defer(Defer(press: 5.ms, release: 7.ms)), .d: .defer(Defer(press: 500.ms, release: 0)),
      ])
    func waits(_ key: KeyCode, _ rules: Rules) -> [Microseconds] {
      [true, false].map { rules.longestWait(of: key, isPress: $0) }
    }
    // A press may be one that was taken for chatter, and then comes after its own contact of 33 ms.
    #expect(waits(.a, rules) == [139.ms, 106.ms])
    // In order behind a press of A.
    #expect(waits(.s, rules) == [106.ms, 7.ms])
    #expect(waits(.d, rules) == [500.ms, 0])
    #expect(waits(.s, Rules(strategy: .none, keys: [.a: .none])) == [0, 0])
    let oneKey = Rules(strategy: .none, keys: [.a: .adaptive(Adaptive(threshold: 100.ms))])
    #expect(waits(.a, oneKey) == [313.ms, 280.ms])
    #expect(waits(.s, oneKey) == [280.ms, 0])
  }

  @Test("The shortest wait is a wait")
  func shortestWait() {
    let clean = debounce(strokes("A+0 A-10"), Rules(strategy: .slowKeys(SlowKeys(delay: 1))))
    #expect(clean.map(\.time) == [1, 10.ms])
    let deferred = debounce(strokes("A+0 A-10"), Rules(strategy: .defer(Defer(threshold: 1))))
    #expect(deferred.map(\.time) == [1, 10.ms + 1])
  }
}
