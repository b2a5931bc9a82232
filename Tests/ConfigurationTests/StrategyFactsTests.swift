import Debounce
import Testing

@testable import Configuration

@Suite("What the configuration knows of strategies and their parameters")
struct StrategyFactsTests {
  @Test("Limits begin at nothing, and only a named key of adaptive costs anything")
  func limits() {
    for kind in StrategyKind.allCases {
      let times = kind.parameters.filter { if case .times = $0.values { true } else { false } }
      #expect(times.allSatisfy { $0.values.limits.lowerBound == 0 })
      #expect(kind.parametersOfBadKeys.isEmpty == (kind != .adaptive))
    }
  }

  @Test("A sentence says what each strategy costs, with the times that it has")
  func costs() {
    #expect(
      Strategy.adaptive(Adaptive(threshold: 30_000, confirm: 20_000)).costs == [
        "a press soon after a release comes 20 ms late, and is lost if shorter",
        "on a bad key every release comes 30 ms late, and a key that is pressed again within 30 ms loses that press",
        "on a bad key a press within 72 ms of the key's last release comes late, and is lost if it is short",
      ])
    #expect(Strategy.defer(Defer(press: 0, release: 5_000)).costs.count == 1)
    for kind in StrategyKind.allCases {
      #expect(kind.strategy(threshold: 30_000).costs.isEmpty == (kind == .none), "\(kind.rawValue)")
    }
  }

  @Test("Each parameter has its name once")
  func names() {
    let names = StrategyKind.parameterNames
    #expect(Set(names).count == names.count)
    for kind in StrategyKind.allCases {
      #expect(Set(kind.parameters.map(\.name)).count == kind.parameters.count, "\(kind.rawValue)")
    }
    // What files of earlier versions may have.
    #expect(["short", "settle", "suspect", "spurious", "learn"].allSatisfy(names.contains))
    let learn = StrategyKind.allCases.flatMap(\.retired).filter { $0.name == "learn" }
    #expect(learn.map(\.values.limits) == [1...8])
  }

  @Test("The table says of each parameter whether the engine takes it from the threshold")
  func formulas() {
    for kind in StrategyKind.allCases {
      for parameter in kind.parameters {
        let formula = ManualStrategies.formula(of: parameter, in: kind)
        let name = "\(kind.rawValue) \(parameter.name)"
        #expect((parameter.formula == nil) == (formula == nil), "\(name)")
        #expect((parameter.formula == .threshold) == (formula == "T"), "\(name)")
      }
    }
  }

  @Test("Parameters are set and read by their names")
  func valuesByName() {
    let kind = StrategyKind.eager
    #expect(
      kind.strategy(threshold: 9_000, ["release": 3_000, "quiet": 4_000])
        == .eager(Eager(press: 9_000, release: 3_000)))
    var other = Strategy.prompt(Prompt(quiet: 1))
    for parameter in kind.parameters {
      #expect(parameter.value(in: other) == nil)
      parameter.set(5, in: &other)
    }
    #expect(other == .prompt(Prompt(quiet: 1)))
  }
}
