import Debounce
import Testing

/// Parameters that nobody means: the library takes them and goes on.
@Suite struct ParameterTests {
  private static let extremes: [Microseconds] = [.min, -1, 1 << 60, .max]

  private static func strategies(_ time: Microseconds) -> [Strategy] {
    func given(_ rule: some StrategyRule) -> Strategy {
      var rule = rule
      for path in type(of: rule).times { rule[keyPath: path] = time }
      return rule.strategy
    }
    return StrategyKind.allCases.map { $0.packaged.rule.map { given($0) } ?? .none }
      + [
        .throttle(Throttle(interval: time, latest: true)), .adaptive(Adaptive(suspect: time)),
      ]
  }

  @Test("No time brings the engine down", arguments: extremes)
  func times(time: Microseconds) {
    for strategy in Self.strategies(time) {
      let group = Group(keys: [.a, .s], lockout: time)
      var engine = Debouncer(Rules(strategy: strategy, groups: [group]))
      for step in 0..<20 {
        let key: KeyCode = step % 3 == 0 ? .s : .a
        _ = engine.process(at: Microseconds(step) * 7.ms, .key(key, down: step % 2 == 0))
      }
      engine.advance(to: .max)
      #expect(engine.deadline == nil)
      engine.close(at: 200.ms)
      #expect(engine.held.isEmpty)
    }
  }

  @Test("No number brings the engine down", arguments: [Int32.min, -1, 0, 9, Int32.max])
  func numbers(number: Int32) {
    var rule = Adaptive(threshold: 25.ms)
    rule.within = number
    var engine = Debouncer(Rules(strategy: .adaptive(rule)))
    // Drop-outs that are evidence: each press comes right after a release.
    for step in 0..<40 {
      let time = Microseconds(step / 2) * 200.ms + (step % 2 == 0 ? 0 : 195.ms)
      _ = engine.process(at: time, .key(.a, down: step % 2 == 0))
    }
    engine.advance(to: .max)
    #expect(engine.held.isEmpty)
  }

  @Test("Negative times are none")
  func negative() {
    let rules = Rules(strategy: .defer(Defer(press: -5.ms, release: .min)))
    var engine = Debouncer(rules)
    #expect(engine.play("A+0 A-10") == "A+0 A-10")
  }
}
