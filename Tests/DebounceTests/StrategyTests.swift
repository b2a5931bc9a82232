import Debounce
import StrokeFixtures
import Testing

/// What follows from a threshold, and what is kept in range.
@Suite struct StrategyTests {
  @Test func oneThresholdMeansEveryWaitWhereThereIsOneNumber() {
    #expect(Defer(threshold: 25.ms) == Defer(press: 25.ms, release: 25.ms))
    #expect(Eager(threshold: 25.ms) == Eager(press: 25.ms, release: 25.ms))
    #expect(EagerDefer(threshold: 25.ms) == EagerDefer(press: 25.ms, release: 25.ms))
    #expect(Prompt(threshold: 25.ms) == Prompt(quiet: 25.ms))
    #expect(Throttle(threshold: 25.ms) == Throttle(interval: 25.ms, latest: false))
    #expect(BounceKeys(threshold: 25.ms) == BounceKeys(delay: 25.ms))
    #expect(SlowKeys(threshold: 25.ms) == SlowKeys(delay: 25.ms))
  }

  @Test func eachKeyHasItsOwnStrategy() {
    let rules = Rules(
      strategy: .defer(Defer(threshold: 5.ms)),
      keys: [.a: .none, .s: .eagerDefer(EagerDefer(threshold: 10.ms)), 0xffff: .none])
    #expect(
      debounce(strokes("A+0 S+0 D+0 A-50 S-50 D-50"), rules).text
        == "A+0 S+0 D+5 A-50 D-55 S-60")
  }

  @Test func aPressThatHasWaitedLongEnoughForItsOwnSakeIsNotTakenBack() {
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

  @Test func keysOfEncodersPassUnlessTheyHaveAStrategyOfTheirOwn() {
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

  @Test func detentsOfAKnobPassAtOnce() {
    let up: KeyCode = 115
    let detents = (0..<10).flatMap {
      [Edge(up, down: true, at: $0 * 30.ms), Edge(up, down: false, at: $0 * 30.ms + 8.ms)]
    }
    #expect(debounce(detents, Rules()) == detents)
    // Where a file says so, it is a key like others.
    let rules = Rules(keys: [up: .eagerDefer(EagerDefer(threshold: 30.ms))])
    #expect(debounce(detents, rules).count == 2)
  }
}
