import Debounce
import Randomness
import Testing

@testable import Calibration

/// Whatever frames come, in whatever order: no trap, and no number that is none.
@Suite("Any frames")
struct AnyFramesTests {
  private static let seed = UInt64.testSeed

  private func time(_ numbers: inout SeededRandom, after time: Microseconds) -> Microseconds {
    switch Int.random(in: 0..<40, using: &numbers) {
    case 0: [Microseconds.min, .max, 0, -1, 1 << 62].randomElement(using: &numbers) ?? 0
    case 1: time &- .random(in: 0...5_000_000, using: &numbers)
    default:
      time.addingReportingOverflow(.random(in: 0...400_000, using: &numbers)).partialValue
    }
  }

  @Test("are borne by a session")
  func session() throws {
    print("any frames: seed \(Self.seed)")
    for round in 0..<40 {
      var numbers = SeededRandom(seed: Self.seed &+ UInt64(round))
      var effort = GuidedSession.Effort()
      (effort.typing, effort.leastStrokes) = (3_000_000, 20)
      (effort.taps, effort.holds, effort.doubles) = (5, 2, 3)
      var session = GuidedSession(effort)
      var now: Microseconds = 0
      for _ in 0..<400 {
        now = time(&numbers, after: now)
        let events = (0..<Int.random(in: 0...3, using: &numbers)).map { _ in
          Event(
            type: [0, 1, 1, 1, 4].randomElement(using: &numbers) ?? 1,
            code: [18, 30, 31, 0, 0x2ff, 0xffff].randomElement(using: &numbers) ?? 0,
            value: [0, 1, 1, 2, -7].randomElement(using: &numbers) ?? 0)
        }
        session.receive(Frame(time: now, events))
        switch Int.random(in: 0..<60, using: &numbers) {
        case 0: session.skip()
        case 1: session.back()
        case 2: session.add([18, 30, 0x2ff, 0xffff].randomElement(using: &numbers) ?? 0)
        case 3: session.lose(until: time(&numbers, after: now))
        case 4: session.advance(to: time(&numbers, after: now))
        default: break
        }
        #expect((0...1).contains(session.progress.fraction))
        #expect((0...1).contains(session.fraction))
      }
      for finding in Findings(of: session.tape, inForce: InForce(Rules(strategy: .none))).keys {
        #expect((0...1).contains(finding.certainty))
        #expect(finding.rate.interval.contains(finding.rate.share))
        #expect(finding.adviceInWords(settings: "the default").isEmpty == false)
      }
    }
  }
}
