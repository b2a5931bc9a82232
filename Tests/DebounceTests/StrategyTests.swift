import Debounce
import Testing

/// What follows from a threshold, and what is kept in range.
@Suite struct StrategyTests {
  @Test func oneThresholdMeansEveryWaitWhereThereIsOneNumber() {
    #expect(Defer(threshold: 25.ms) == Defer(press: 25.ms, release: 25.ms))
    #expect(Eager(threshold: 25.ms) == Eager(press: 25.ms, release: 25.ms))
    #expect(EagerDefer(threshold: 25.ms) == EagerDefer(press: 25.ms, release: 25.ms))
    #expect(Prompt(threshold: 25.ms) == Prompt(quiet: 25.ms))
    #expect(Throttle(threshold: 25.ms) == Throttle(interval: 25.ms, latest: false))
  }

  @Test func confirmWidensItsWindowsWithTheThreshold() {
    let packaged = Confirm(
      short: 30.ms, settle: 55.ms, suspect: 50.ms, confirm: 30.ms, dropout: 0)
    #expect(Confirm() == packaged)
    var small = packaged
    small.dropout = 10.ms
    #expect(Confirm(threshold: 10.ms) == small)
    let large = Confirm(
      short: 30.ms, settle: 70.ms, suspect: 80.ms, confirm: 30.ms, dropout: 40.ms)
    #expect(Confirm(threshold: 40.ms) == large)
  }

  @Test func adaptiveIsPackagedWithAThresholdOf25() {
    let packaged = Adaptive(
      rule: Confirm(threshold: 25.ms), learn: 1, within: 300, spurious: 12.ms)
    #expect(Adaptive() == packaged)
    #expect(Adaptive(threshold: 25.ms) == packaged)
    #expect(Adaptive().rule.settle == 55.ms)
    #expect(Rules().strategy == .adaptive(packaged))
  }

  @Test func adaptiveKeepsItsCountsInRange() {
    #expect(Adaptive(learn: 0).learn == 1)
    #expect(Adaptive(learn: 99).learn == Adaptive.mostEvidence)
    #expect(Adaptive(within: 0).within == 1)
    #expect(Adaptive(within: .max).within > 1_000_000_000)
  }

  @Test func eachKeyHasItsOwnStrategy() {
    let rules = Rules(
      strategy: .defer(Defer(threshold: 5.ms)),
      keys: [.a: .none, .s: .eagerDefer(EagerDefer(threshold: 10.ms)), 0xffff: .none])
    #expect(
      debounce(strokes("A+0 S+0 D+0 A-50 S-50 D-50"), rules).text
        == "A+0 S+0 D+5 A-50 D-55 S-60")
  }
}
