import StrokeFixtures
import Testing

@testable import Debounce

@Suite struct StrategyTableTests {
  @Test("Names are unique")
  func names() {
    #expect(
      StrategyKind.allCases.map(\.rawValue) == [
        "none", "defer", "eager", "eager-defer", "prompt", "adaptive", "throttle", "bounce-keys",
        "slow-keys",
      ])
    #expect(StrategyKind(rawValue: "eagerDefer") == nil)
  }

  @Test("How late the packaged strategies make presses and releases at most is this")
  func packaged() {
    let waits = StrategyKind.allCases.map { kind in
      [true, false].map { isPress in
        Rules(strategy: kind.packaged).longestWait(of: .a, isPress: isPress) / 1000
      }
    }
    #expect(
      waits == [
        [0, 0], [25, 25], [25, 25], [0, 25], [25, 25], [139, 106], [0, 0], [0, 0], [300, 0],
      ])
    #expect(Rules().strategy == StrategyKind.adaptive.packaged)
  }

  @Test("A strategy has the threshold that it was made with")
  func thresholds() {
    // Of those for hands, the packaged parameters are not those of 25 ms.
    for kind in StrategyKind.allCases {
      let isPackaged = kind.strategy(threshold: Strategy.packagedThreshold) == kind.packaged
      #expect(isPackaged == !kind.packaged.isAccessibility, "\(kind.rawValue)")
      #expect(kind.strategy(threshold: 7.ms).threshold == (kind == .none ? nil : 7.ms))
    }
    #expect(Adaptive(threshold: 7.ms) == Adaptive(threshold: 7.ms, confirm: 25.ms, within: 1000))
  }

  @Test("`adaptive` alone knows names")
  func naming() {
    for kind in StrategyKind.allCases {
      let isAdaptive = kind.rawValue == "adaptive"
      #expect(kind.packaged.named.isNamed == isAdaptive)
      #expect(!kind.packaged.isNamed)
    }
    #expect(Strategy.adaptive(Adaptive()).named == .adaptive(Adaptive(isNamed: true)))
  }

  @Test("Parameters are brought into their limits")
  func limits() {
    let strategy = Strategy.adaptive(Adaptive(confirm: -1, dropout: .max, suspect: .min))
    guard case .adaptive(var rule) = strategy.limited else {
      Issue.record("another strategy")
      return
    }
    #expect(rule.confirm == 0)
    #expect(rule.dropout == 1 << 50)
    rule.within = 0
    #expect(
      Strategy.adaptive(rule).limited
        == .adaptive(Adaptive(confirm: 0, dropout: 1 << 50, suspect: 0, within: 1)))
  }
}
