import Debounce
import Recording
import Testing

@Suite("What the daemon shows of a device")
struct WatchComparisonTests {
  @Test(
    "compares as an engine does here: the same steps, the same counts",
    arguments: ["kbdcheck-modelm-chatter"])
  func comparison(trace: String) throws {
    let entries = try read(fixture: "traces/\(trace).evemu").entries
    let rules = Rules()
    var own = EdgeComparison(rules)
    var decided = EdgeComparison(deciding: [:])
    var engine = Debouncer(rules)
    engine.reportsOutcomes = true
    for case .raw(let frame) in entries {
      own.process(frame)
      engine.process(frame)
    }
    own.advance(to: .max)
    engine.advance(to: .max)
    for outcome in engine.outcomes { decided.process(.outcome(outcome)) }
    let steps = own.steps.filter { if case .other = $0 { false } else { true } }
    #expect(decided.steps == steps && steps.count > 10)
    #expect(decided.tally.counters == own.tally.counters)
    #expect(decided.tally == own.tally)
    #expect(decided.deadline == nil)
  }
}
