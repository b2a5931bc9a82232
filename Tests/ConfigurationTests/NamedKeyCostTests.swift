import Debounce
import Testing

@testable import Configuration

/// What the settings' naming a key costs, as `check --verbose` and `status` say it. What it does is in `adaptive-named.strokes`.
@Suite("What a name costs")
struct NamedKeyCostTests {
  private static func rule(
    _ threshold: Int, suspect: Int? = nil, dropout: Int? = nil
  ) -> Adaptive {
    Adaptive(
      threshold: threshold.ms, dropout: dropout?.ms, suspect: suspect?.ms, isNamed: true)
  }

  private func cost(_ rule: Adaptive) throws -> NamedKeyCost {
    try #require(NamedKeyCost(of: .adaptive(rule)))
  }

  @Test("is nothing for a key that is not named")
  func unnamed() {
    #expect(NamedKeyCost(of: .adaptive(Adaptive(threshold: 40.ms))) == nil)
    #expect(NamedKeyCost(of: Strategy.eagerDefer(EagerDefer(threshold: 40.ms)).named) == nil)
    #expect(NamedKeyCost(of: Strategy.adaptive(Adaptive()).named) != nil)
  }

  @Test("is said in full")
  func sentences() throws {
    let sentences = try cost(Self.rule(40)).sentences
    #expect(
      sentences.prefix(3) == [
        "a press within 96 ms of the key's last release (150 if it bounced so late) comes up to 25 ms late, and is lost if it is held for less",
        "a release comes 40 ms late, an early one 60, and that of a very short stroke up to 112 ms after its press; "
          + "a press that comes meanwhile is lost",
        "the end of a chain of such strokes, and another key's press behind it, come up to 112 ms late",
      ])
    #expect(
      sentences[3].hasPrefix(
        "lost taps of a hundred, each held for half of the time: 0 at 8 a second, ")
    )
    #expect(try cost(Self.rule(12, suspect: 80)).sentences[0].contains("within 80 ms"))
    for rule in [Self.rule(100), Self.rule(25, suspect: 200)] {
      #expect(try cost(rule).sentences[0].contains("within 150 ms of the key's last release comes"))
    }
    #expect(try cost(Adaptive(threshold: 12_500, isNamed: true)).sentences[1].contains(" 12.5 ms"))
  }

  @Test("is fast taps, more of them the longer the threshold, and none of a mouse's button")
  func taps() throws {
    let lost = try [15, 25, 40, 60].map { try cost(Self.rule($0)).lostTaps(perSecond: 12) }
    #expect(lost[0] == 0 && lost[1] < 2)
    #expect(lost[2] > 2 && lost[3] > 60, "\(lost)")
    #expect(try cost(Self.rule(20, suspect: 80)).lostTaps(perSecond: 12) == 0)
    // A threshold without its wait takes none for it.
    let short = try cost(Self.rule(60, dropout: 10))
    #expect(try short.lostTaps(perSecond: 12) < cost(Self.rule(60)).lostTaps(perSecond: 12))
  }

  @Test("is that of the times given, also where they are what would follow from the threshold")
  func given() throws {
    func lost(suspect: Microseconds?) throws -> Int {
      let rule = Adaptive(threshold: 25.ms, confirm: 45.ms, suspect: suspect, isNamed: true)
      return try cost(rule).lostTaps(perSecond: 12)
    }
    // What is given does not become shorter for a finger that taps fast.
    let (following, given) = (try lost(suspect: nil), try lost(suspect: 60.ms))
    #expect(given > following + 20, "\(given), \(following)")
    #expect(try lost(suspect: 61.ms) == given)
  }
}

extension Int {
  fileprivate var ms: Microseconds { Microseconds(self) * 1000 }
}
