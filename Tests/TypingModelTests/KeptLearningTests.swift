import Debounce
import Testing
import TypingModel

@testable import score

@Suite("What is kept between sessions, in the score")
struct KeptLearningTests {
  private let key: KeyCode = 30

  /// A stroke of one key with these edges, in milliseconds.
  private func session(_ times: Microseconds..., fault: Chatter) -> Session {
    let stroke = Stroke(key: key, press: times[0] * 1000, release: times[3] * 1000)
    return Session(
      strokes: [LabelledStroke(stroke, fault: fault, isOfFaultyKey: true)],
      edges: times.enumerated().map { index, time in
        RawEdge(
          time: time * 1000, key: key, down: index % 2 == 0, stroke: 0,
          fault: index == 0 || index == 3 ? nil : fault)
      })
  }

  @Test("A key that bounced is known for bad in the next session")
  func kept() {
    let sessions = [
      session(0, 8, 14, 200, fault: .pressBounce), session(0, 100, 108, 300, fault: .dropOut),
    ]
    let adaptive = Contender(
      family: "adaptive", parameters: "25", rule: .strategy(.adaptive(Adaptive())))
    let kept = adaptive.tally(following: sessions)
    #expect(kept.missed(.pressBounce).part == 0 && kept.missed(.dropOut).part == 0)
    let anew = sessions.reduce(into: Tally()) { $0.add(adaptive.tally($1)) }
    #expect(anew.missed(.dropOut).part == 1)
    // Of the first it learns all the same.
    let later = adaptive.tally(following: sessions, after: 1)
    #expect(later.missed(.dropOut) == kept.missed(.dropOut))
    #expect(later.missed(.pressBounce).whole == 0)
    let lockout = Contender(family: "gap lock-out", parameters: "5", rule: .lockout(5000))
    #expect(
      lockout.tally(following: sessions)
        == sessions.reduce(into: Tally()) { $0.add(lockout.tally($1)) })
  }
}
