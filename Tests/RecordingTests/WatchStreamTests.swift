import Debounce
import Recording
import Testing

@Suite("What the daemon shows of a device")
struct WatchStreamTests {
  private struct Nothing: Error {}

  private let text = """
    # EVEMU 1.3
    N: Desk
    # lost: 1.000000 0 002a
    E: 2.000000 0001 001e 1
    E: 2.000000 0000 0000 0
    # outcome: 2.000000 001e down 2.000000 passed
    # lost: 3.000000 4 001f

    """

  @Test("is read as it comes, however it is torn", arguments: [1, 7, 4096])
  func torn(portion: Int) throws {
    var stream = WatchStream(named: "watch")
    var unread = Array(text.utf8)[...]
    // Each time there is nothing at first.
    var hasPaused = false
    var entries: [RecordingParser.Entry] = []
    var held: [KeySet] = []
    while true {
      do {
        let entry = try stream.next { buffer in
          hasPaused.toggle()
          guard !hasPaused else { throw Nothing() }
          let part = unread.prefix(portion)
          buffer.copyBytes(from: part)
          unread.removeFirst(part.count)
          return part.count
        }
        guard let entry else { break }
        entries.append(entry)
        held.append(stream.held)
      } catch is Nothing {
        continue
      }
    }
    #expect(
      entries == [
        .lost(lines: 0, held: KeySet([42]), at: 1_000_000),
        .raw(Frame(time: 2_000_000, [.key(30, down: true)])),
        .outcome(
          Outcome(key: 30, isPress: true, edge: 2_000_000, time: 2_000_000, kind: .passed)),
        .lost(lines: 4, held: KeySet([31]), at: 3_000_000),
      ])
    #expect(held == [[42], [30, 42], [30, 42], [31]].map { KeySet($0) })
    #expect(stream.device.identity.name == "Desk")
  }

  @Test(
    "compares as an engine does here: the same steps, the same counts",
    arguments: ["kbdcheck-modelm-chatter"])
  func comparison(trace: String) throws {
    let entries = try read(fixture: "traces/\(trace).evemu").entries
    let rules = Rules()
    var own = EdgeComparison(rules)
    var decided = EdgeComparison(deciding: [:])
    var engine = Debouncer(rules)
    var (output, outcomes) = (FrameQueue(), OutcomeLog())
    for case .raw(let frame) in entries {
      own.process(frame)
      engine.process(frame, into: &output, outcomes: &outcomes)
    }
    own.advance(to: .max)
    engine.advance(to: .max, into: &output, outcomes: &outcomes)
    for outcome in outcomes.outcomes { decided.receive(outcome) }
    let steps = own.steps.filter { if case .other = $0 { false } else { true } }
    #expect(decided.steps == steps && steps.count > 10)
    #expect(decided.tally.counters == own.tally.counters)
    #expect(decided.tally.mostRemoved == own.tally.mostRemoved)
    #expect(decided.deadline == nil)
  }
}
