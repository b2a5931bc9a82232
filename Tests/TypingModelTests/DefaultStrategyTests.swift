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

  // MARK: - Classes of the last table

  /// What comes through of the class's faults, and what is lost of its presses, in fewer sessions than there.
  private func figure(
    _ trial: Trial, sessions: Int, poll: Microseconds = 1000, seed: UInt64 = 1
  ) async throws -> TrialResult.Figure {
    var trial = trial
    trial.sessions = sessions
    let own = Array(trial.contenders.prefix(1))
    let figures = await trial.figures(of: own, poll: poll, seed: seed, workers: 2)
    print("\(trial.name), \(poll / 1000) ms, seed \(seed): \(TrialTable.cell(figures[0]))")
    return figures[0]
  }

  @Test("Healthy keys in games lose nothing or next to nothing")
  func games() async throws {
    for trial in Trial.games {
      // One in some hundred of keys without contacts is taken for bad, before it is known for what it is.
      let isContactless = trial.name.contains("without contacts")
      let sessions = isContactless ? 120 : 12
      let lost = try await figure(trial, sessions: sessions).lost
      #expect(lost.whole >= 2000)
      let most = isContactless ? 0.003 : trial.name.contains("16 a second") ? 0.002 : 0
      #expect(lost.share <= most, "\(trial.name)")
      let asked = try await figure(trial, sessions: sessions, poll: 8000).lost
      #expect(asked.share <= 0.003, "\(trial.name)")
    }
  }

  @Test("Neither do worn keys in games while they can be told from a finger's")
  func wornGames() async throws {
    let slow = try await figure(trial("worn, taps, 6 a second"), sessions: 6)
    #expect(slow.through.whole > 300)
    #expect(slow.through.share < 0.02)
    #expect(slow.lost.part == 0)
    let held = try await figure(trial("WASD held, drop-outs of 1-14 ms"), sessions: 4)
    #expect(held.lost.part == 0)
    #expect(held.through.share < 0.2)
  }

  /// At most so many percent of faults, and so many of a thousand presses: half as much again as the rule lets through, or
  /// loses, in the whole table.
  @Test(
    "Switches that are worn far come out clean",
    arguments: [
      ("all keys, 60 %, chains of 2-8, 0.5-6 ms", 2, 0.8, 2.1),
      ("15 % of keys, 30 %, chains of 4-10, 0.3-4 ms", 6, 1.5, 0.5),
      ("crackling, 0.5-3 ms", 6, 3.0, 1.0), ("crackling, 1-8 ms", 6, 3.0, 1.0),
      ("crackling, 2-20 and 1-10 ms", 6, 3.5, 1.0),
      ("late blips, gaps of 40-80 ms", 6, 20, 0.5),
      ("holds of 0.3-2 s that crackle, six kinds", 6, 2.5, 0),
      ("drop-outs late in long holds, 2-14 ms", 2, 6, 0),
      ("drop-outs late in long holds, 2-24 ms", 2, 7, 0),
      ("drop-outs late in long holds, 15-24 ms", 2, 9, 0),
      ("drop-outs late in long holds, 15-24, named 25", 1, 0, 0),
      ("worn, taps, 13 a second", 8, 0.5, 24), ("worn, taps, 16 a second", 8, 0.5, 92),
      ("worn, two keys in turn, 8 a second each", 8, 0.5, 0),
      ("worn, three keys in turn, 6 a second each", 8, 0.5, 0),
      ("WASD held, named 25", 2, 0.5, 0),
      ("named 40: 15 % of keys, 30 %, gaps up to 40 ms", 4, 1, 3.5),
      ("a scanner, 42-54 ms a character", 60, 0, 20),
      ("a knob on arrow keys, 30-70 ms a step", 6, 0, 25),
      ("a key spoilt by one stroke, 600 in fast doubles", 2, 0, 26),
    ] as [(String, Int, Double, Double)])
  func wornFar(name: String, sessions: Int, through: Double, lost: Double) async throws {
    let figure = try await figure(trial(name), sessions: sessions)
    #expect(figure.lost.whole >= 300)
    #expect(figure.through.share * 100 <= through)
    #expect(figure.lost.share * 1000 <= lost)
  }

  private func trial(_ name: String) throws -> Trial {
    try #require(Trial.all.first { $0.name == name })
  }
}
