import Testing

@testable import Debounce

@Suite struct StrategyTableTests {
  @Test func namesAreUnique() {
    #expect(
      StrategyKind.allCases.map(\.name) == [
        "none", "defer", "eager", "eager-defer", "prompt", "confirm", "adaptive", "throttle",
        "bounce-keys", "slow-keys",
      ])
    for kind in StrategyKind.allCases {
      #expect(Set(kind.parameters.map(\.name)).count == kind.parameters.count, "\(kind.name)")
      #expect(StrategyKind(rawValue: kind.name) == kind)
    }
    #expect(StrategyKind(rawValue: "eagerDefer") == nil)
  }

  @Test func kindsKnowTheirOwn() {
    let rules: [Strategy] = [
      .none, .defer(Defer(threshold: 1)), .eager(Eager(threshold: 1)),
      .eagerDefer(EagerDefer(threshold: 1)), .prompt(Prompt(threshold: 1)), .confirm(Confirm()),
      .adaptive(Adaptive()), .throttle(Throttle(threshold: 1)),
      .bounceKeys(BounceKeys(threshold: 1)), .slowKeys(SlowKeys(threshold: 1)),
    ]
    #expect(rules.map(\.kind) == StrategyKind.allCases)
  }

  /// The packaged parameters, and how late they make presses and releases at most.
  @Test func packaged() {
    func text(_ name: String) -> String {
      guard let kind = StrategyKind(rawValue: name) else { return "" }
      let parameters = kind.parameters.map { parameter in
        "\(parameter.name) \(parameter.value(in: kind.packaged).map(parameter.text) ?? "")"
      }
      let waits = [true, false].map { kind.packaged.longestWait(ofPress: $0) / 1000 }
      return "\(parameters.joined(separator: ", ")): \(waits[0]), \(waits[1])"
    }
    #expect(text("none") == ": 0, 0")
    #expect(text("defer") == "press 25, release 25: 25, 25")
    #expect(text("eager") == "press 25, release 25: 25, 25")
    #expect(text("eager-defer") == "press 25, release 25: 0, 25")
    #expect(text("prompt") == "quiet 25: 25, 25")
    #expect(
      text("confirm") == "short 30, settle 55, suspect 50, confirm 30, dropout 0: 30, 55")
    #expect(text("adaptive") == "confirm 25, dropout 25, suspect 60, within 1000: 106, 106")
    #expect(text("throttle") == "interval 25, latest false: 0, 0")
    #expect(text("bounce-keys") == "delay 300: 0, 0")
    #expect(text("slow-keys") == "delay 300: 300, 0")
    #expect(Rules().strategy == StrategyKind(rawValue: "adaptive")?.packaged)
  }

  @Test func thresholds() {
    // Of `confirm`, and of those for hands, the packaged parameters are not those of 25 ms.
    let others: Set = ["confirm", "bounce-keys", "slow-keys"]
    for kind in StrategyKind.allCases {
      let isPackaged = kind.strategy(threshold: Strategy.packagedThreshold) == kind.packaged
      #expect(isPackaged == !others.contains(kind.name), "\(kind.name)")
    }
    for (threshold, settle, suspect) in [(0, 55, 50), (20, 55, 50), (26, 56, 52), (40, 70, 80)] {
      let rule = Confirm(threshold: threshold.ms)
      #expect(
        rule
          == Confirm(
            short: 30.ms, settle: settle.ms, suspect: suspect.ms,
            confirm: 30.ms, dropout: threshold.ms))
    }
    #expect(EagerDefer(threshold: 7.ms) == EagerDefer(press: 7.ms, release: 7.ms))
    #expect(Throttle(threshold: 7.ms) == Throttle(interval: 7.ms, latest: false))
  }

  @Test func aThresholdIsKeptWhateverFollowsFromIt() {
    let kind = Strategy.adaptive(Adaptive()).kind
    let strategy = kind.strategy(threshold: 40.ms, ["dropout": 10.ms])
    #expect(strategy == .adaptive(Adaptive(threshold: 40.ms, dropout: 10.ms)))
    #expect(strategy.threshold == 40.ms)
    #expect(kind.parameter(named: "suspect")?.value(in: strategy) == 96.ms)
    let given = kind.strategy(["suspect": 80.ms])
    #expect(given == .adaptive(Adaptive(suspect: 80.ms)))
    #expect(given.limited == given && strategy.limited == strategy)
    #expect(Strategy.eagerDefer(EagerDefer(threshold: 7.ms)).threshold == 7.ms)
    #expect(Strategy.none.threshold == nil)
  }

  @Test func adaptiveAloneKnowsNames() {
    for kind in StrategyKind.allCases {
      let isAdaptive = kind.name == "adaptive"
      #expect(kind.naming == (isAdaptive ? ["threshold", "dropout", "suspect"] : []))
      #expect(kind.packaged.named.isNamed == isAdaptive)
      #expect(!kind.packaged.isNamed)
    }
    #expect(Strategy.adaptive(Adaptive()).named == .adaptive(Adaptive(isNamed: true)))
  }

  @Test func formulas() {
    #expect(ThresholdFormula.threshold.description == "T")
    #expect(ThresholdFormula(times: 3, over: 2).description == "1.5 T")
    #expect(ThresholdFormula(times: 3, over: 2).value(at: 25.ms) == 37_500)
    let formula = ThresholdFormula(times: 2, plus: 500, atLeast: 50.ms)
    #expect(formula.description == "the larger of 50 and 2 T + 0.5")
    #expect(formula.value(at: 24.ms) == 50.ms)
    #expect(formula.value(at: 30.ms) == 60_500)
  }

  /// From when on a time is one to be warned of.
  @Test func longTimes() {
    for kind in StrategyKind.allCases {
      for parameter in kind.parameters {
        guard let long = parameter.longTime else { continue }
        let limits = ["confirm settle": 85.ms, "adaptive suspect": 100.ms]
        let name = "\(kind.name) \(parameter.name)"
        #expect(long.limit == limits[name] ?? 50.ms, "\(name)")
      }
      if let long = kind.longThreshold { #expect(long.limit == 50.ms, "\(kind.name)") }
    }
  }

  @Test func valuesByName() {
    let kind = Strategy.eager(Eager(threshold: 0)).kind
    #expect(
      kind.strategy(threshold: 9.ms, ["release": 3.ms, "quiet": 4.ms])
        == .eager(Eager(press: 9.ms, release: 3.ms)))
    var other = Strategy.prompt(Prompt(quiet: 1))
    for parameter in kind.parameters {
      #expect(parameter.value(in: other) == nil)
      parameter.set(5, in: &other)
    }
    #expect(other == .prompt(Prompt(quiet: 1)))
  }

  @Test func limits() {
    let strategy = Strategy.adaptive(
      Adaptive(confirm: -1, dropout: .max))
    guard case .adaptive(var rule) = strategy.limited else {
      Issue.record("another strategy")
      return
    }
    #expect(rule.confirm == 0)
    #expect(rule.dropout == 1 << 50)
    rule.within = 0
    #expect(
      Strategy.adaptive(rule).limited
        == .adaptive(Adaptive(confirm: 0, dropout: 1 << 50, within: 1)))
  }
}
