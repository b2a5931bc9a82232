import Debounce
import Testing
import TypingModel

@testable import score

/// What the strategy that is used where nobody chooses owes to hands and to machines: a small part of what
/// `make score` prints.
@Suite struct DefaultStrategyTests {
  private func account(_ input: Input, sessions: Int, seed: UInt64 = 11) async -> Account {
    var input = input
    input.sessions = sessions
    let contenders = Contender.all.filter(\.isDefault)
    return await input.run(contenders, seed: seed, workers: 2)[0]
  }

  @Test("Of what a machine types, nothing is lost or doubled")
  func machine() async {
    for (input, sessions) in [(Input.machineFresh, 400), (.machineUsed, 12)] {
      let tally = await account(input, sessions: sessions).tally
      #expect(tally.lost.whole > 4000)
      #expect(tally.lost.part == 0)
      #expect(tally.extra == 0)
    }
  }

  @Test("Of fast taps less than one of a thousand is lost")
  func taps() async {
    for (input, sessions) in [(Input.tapsFresh, 200), (.tapsUsed, 8)] {
      let tally = await account(input, sessions: sessions).tally
      #expect(tally.lost.whole > 6000)
      #expect(tally.lost.share < 0.001)
    }
  }

  @Test("Presses keep the order of the switches")
  func order() async {
    for (input, sessions) in [(Input.crossedFresh, 800), (.crossedUsed, 20)] {
      let tally = await account(input, sessions: sessions).tally
      #expect(tally.lost.whole > 1500)
      #expect(tally.inversions == 0)
    }
  }
}
