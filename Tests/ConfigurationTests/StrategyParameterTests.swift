import Foundation
import Samples
import Testing

@testable import Configuration
@testable import Debounce

@Suite("What the configuration takes from the table of strategies")
struct StrategyParameterTests {
  @Test("Each strategy takes its own parameters, from the least value to the greatest")
  func limits() throws {
    for kind in StrategyKind.allCases {
      for parameter in kind.parameters {
        let limits = parameter.values.limits
        for value in [limits.lowerBound, limits.upperBound] {
          let line = "\(parameter.name) = \(parameter.text(of: value))"
          let settings = try loadedSettings([
            "keydebounce.toml": "[defaults]\nstrategy = \"\(kind.rawValue)\"\n\(line)\n"
          ]).settings
          #expect(settings.rules.strategy.kind == kind)
          #expect(parameter.value(in: settings.rules.strategy) == value, "\(kind): \(line)")
        }
      }
    }
  }

  @Test("Beyond the greatest value there is an error that says why")
  func beyond() throws {
    for kind in StrategyKind.allCases {
      for parameter in kind.parameters {
        let reason: String
        switch parameter.values {
        case .times(_, let tooLong): reason = tooLong
        case .counts(_, _, let tooMany): reason = tooMany
        case .flag: continue
        }
        let value = parameter.text(of: parameter.values.limits.upperBound + 1000)
        let folder = try Folder([
          "devices.d/10.toml":
            "[debounce]\nstrategy = \"\(kind.rawValue)\"\n\(parameter.name) = \(value)\n"
        ])
        let findings = folder.findings()
        #expect(findings.count == 1)
        #expect(findings.first?.contains(": \(reason)\n") == true, "\(findings)")
      }
    }
  }

  @Test("The manual says how many taps a name costs, as `check --verbose` does")
  func taps() throws {
    let lines = try #require(try ManualStrategies.Page()).rest.split(separator: "\n").compactMap {
      $0.wholeMatch(of: #/ *(\d+) +[0-9.]+ +(\d+, \d+, \d+)/#)
    }
    #expect(lines.map { $0.1 } == ["15", "25", "40"])
    for line in lines {
      let rule = Adaptive(threshold: (Microseconds(line.1) ?? 0) * 1000, isNamed: true)
      let cost = try #require(NamedKeyCost(of: .adaptive(rule)))
      let held: [Microseconds] = [35, 50, 60]
      let lost = held.map { "\(cost.lostTaps(perSecond: 12, held: $0))" }
      #expect(line.2 == lost.joined(separator: ", "))
    }
  }

  @Test("A parameter of earlier versions is read without effect, with a warning")
  func retired() throws {
    func read(_ value: String) throws -> (strategy: Strategy, findings: [String]) {
      let text = "[debounce]\nspurious = \(value)\n"
      var reader = try TableReader(file: "10.toml", bytes: Array(text.utf8))
      let item = try #require(reader.tables["debounce"])
      var flush = Flush.all
      let choice = reader.choice(
        of: item, refining: .packaged, beside: [], into: &flush)
      return (choice.strategy, reader.findings.map { "\($0.severity): \($0)" })
    }
    let (strategy, warnings) = try read("40")
    #expect(strategy == .adaptive(Adaptive()))
    #expect(
      warnings == [
        "warning: 10.toml:2:1: “spurious” no longer has an effect on the strategy “adaptive”: "
          + "what it was for is learned now; “threshold” sets how cautiously bad keys are treated"
      ])
    #expect(
      try read("2000").findings.last?.hasPrefix(
        "error: 10.toml:2:12: “spurious” is 2000; expected milliseconds from 0 to 1000: ") == true)
  }

  @Test("The manual page has each strategy and parameter, with the table's limits and defaults")
  func manualPage() throws {
    let page = try #require(try ManualStrategies.Page())
    #expect(page.entries.map(\.name).sorted() == StrategyKind.allCases.map(\.rawValue).sorted())
    for kind in StrategyKind.allCases {
      let entry = try #require(page.entries.first { $0.name == kind.rawValue })
      #expect(!entry.text.isEmpty, "\(kind.rawValue)")
      #expect(entry.parameters.map(\.name) == kind.parameters.map(\.name))
      for (item, parameter) in zip(entry.parameters, kind.parameters) {
        let figures = ManualStrategies.figures(of: parameter, in: kind)
        #expect(item.text.hasSuffix(figures), "\(kind.rawValue): \(item)")
      }
    }
  }
}
