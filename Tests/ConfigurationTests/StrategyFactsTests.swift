import Debounce
import Testing

@testable import Configuration

@Suite("What the configuration knows of strategies and their parameters")
struct StrategyFactsTests {
  @Test("The packaged parameters are these")
  func packaged() {
    func text(_ kind: StrategyKind) -> String {
      kind.parameters.map { parameter in
        "\(parameter.name) \(parameter.value(in: kind.packaged).map(parameter.text) ?? "")"
      }.joined(separator: ", ")
    }
    #expect(
      StrategyKind.allCases.map(text) == [
        "", "press 25, release 25", "press 25, release 25", "press 25, release 25", "quiet 25",
        "confirm 25, dropout 25, suspect 60, within 1000", "interval 25, latest false",
        "delay 300", "delay 300",
      ])
  }

  @Test("Limits begin at nothing, and only a named key of adaptive costs anything")
  func limits() {
    for kind in StrategyKind.allCases {
      #expect(kind.facts.thresholds.lowerBound == 0)
      let times = kind.parameters.filter { if case .times = $0.values { true } else { false } }
      #expect(times.allSatisfy { $0.values.limits.lowerBound == 0 })
      #expect(kind.facts.naming.isEmpty == (kind != .adaptive))
    }
  }

  @Test("A sentence says what each strategy costs, with the times that it has")
  func costs() {
    let costs = StrategyKind.allCases.map { $0.strategy(threshold: 30_000).cost }
    #expect(
      costs == [
        nil, "every press comes 30 ms late, and every release 30 ms; quicker strokes are lost",
        "a release within 30 ms of its press comes late; a press within 30 ms of the release, too, or it is lost",
        "every release comes 30 ms late; a press that comes meanwhile is lost",
        "a key that moves again within 30 ms types late, or loses that press; nothing else waits",
        "only what looks like chatter waits, and every release of a bad key: 30 ms, an early one 45 ms",
        "a press within 30 ms of one that passed is lost",
        "a press within 30 ms of the key's last release is lost",
        "every press comes 30 ms late, and is lost if it is shorter",
      ])
    let long = Strategy.eagerDefer(EagerDefer(press: 60_000, release: 30_000)).cost
    #expect(long?.contains("30 ms late, and 60 ms after its press at the earliest; ") == true)
    let latest = Strategy.throttle(Throttle(interval: 30_000, latest: true)).cost
    #expect(latest?.contains("is lost, save the last one, which comes when ") == true)
  }

  @Test("Each parameter has its name once")
  func names() {
    let names = StrategyKind.parameterNames
    #expect(Set(names).count == names.count)
    for kind in StrategyKind.allCases {
      #expect(Set(kind.parameters.map(\.name)).count == kind.parameters.count, "\(kind.name)")
      #expect(kind.parameters.allSatisfy { names.contains($0.name) })
      #expect(kind.facts.retired.allSatisfy { names.contains($0.name) })
    }
    // What files of earlier versions may have.
    #expect(["short", "settle", "suspect", "spurious", "learn"].allSatisfy(names.contains))
    let learn = StrategyKind.allCases.flatMap(\.facts.retired).filter { $0.name == "learn" }
    #expect(learn.map(\.values.limits) == [1...8])
  }

  @Test("The table says of each parameter whether the engine takes it from the threshold")
  func formulas() {
    for kind in StrategyKind.allCases {
      for parameter in kind.parameters {
        let formula = ManualStrategies.formula(of: parameter, in: kind)
        let name = "\(kind.name) \(parameter.name)"
        #expect((parameter.formula == nil) == (formula == nil), "\(name)")
        #expect((parameter.formula == .threshold) == (formula == "T"), "\(name)")
      }
    }
  }

  @Test("A time is one to be warned of above 50 ms, or above 100 ms where the strategy looks twice")
  func longTimes() {
    for kind in StrategyKind.allCases {
      for parameter in kind.parameters {
        guard let long = parameter.longTime else { continue }
        let limits: [String: Microseconds] = ["adaptive suspect": 100_000]
        let name = "\(kind.name) \(parameter.name)"
        #expect(long.limit == limits[name] ?? 50_000, "\(name)")
      }
      if let long = kind.facts.longThreshold { #expect(long.limit == 50_000, "\(kind.name)") }
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

  @Test("A threshold is kept, whatever follows from it")
  func thresholds() {
    let kind = StrategyKind.adaptive
    let strategy = kind.strategy(threshold: 40_000, ["dropout": 10_000])
    #expect(strategy == .adaptive(Adaptive(threshold: 40_000, dropout: 10_000)))
    #expect(strategy.threshold == 40_000)
    #expect(kind.parameter(named: "suspect")?.value(in: strategy) == 96_000)
    #expect(kind.strategy(["suspect": 80_000]) == .adaptive(Adaptive(suspect: 80_000)))
  }
}
