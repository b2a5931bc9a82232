import Debounce
import Randomness
import TypingModel

/// A way to use a keyboard that plain typing has too little of: sessions that are made for one question.
struct Input: Sendable {
  /// How many sessions there are.
  var sessions: Int
  /// The session of this number, from this seed. It may be cut in pieces, each for a fresh engine.
  var session: @Sendable (_ index: Int, _ seed: UInt64) -> [Session]
}

extension Input {
  /// One burst on a fresh device.
  private static func fresh(_ bursts: some Bursts, _ count: Int, uncounted: Int = 0) -> Input {
    Input(sessions: count) { index, seed in
      [bursts.session(link: link(index), uncounted: uncounted, seed: seed)]
    }
  }

  /// Bursts on the device of a person who types between them.
  private static func used(
    _ bursts: some Bursts, _ count: Int, wear: Wear = .none, countsTyping: Bool = false
  ) -> Input {
    Input(sessions: 120) { index, seed in
      [
        MixedUse(bursts).session(
          bursts: count / 120, countsTyping: countsTyping, wear: wear, link: link(index), seed: seed
        )
      ]
    }
  }

  /// What a machine types, at polls of 1 and of 8 ms in turns.
  private static func machine(_ text: MachineTyping.Text, _ count: Int) -> Input {
    Input(sessions: count) { index, seed in
      let link = machineLink(index)
      return [MachineTyping(text, poll: link.poll).session(link: link, seed: seed)]
    }
  }

  private static func link(_ index: Int) -> Link {
    Link(poll: [1000, 8000, 1000, 2000, 8000, 1000, 4000][index % 7])
  }

  private static func machineLink(_ index: Int) -> Link {
    Link(poll: index % 2 == 0 ? 1000 : 8000)
  }

  static let tapsFresh = fresh(FastTaps(), 2400)
  static let tapsUsed = used(FastTaps(), 4800)

  static let machineFresh = machine(.characters, 6000)
  static let machineUsed = Input(sessions: 240) { index, seed in
    let link = machineLink(index)
    return [
      MixedUse(MachineTyping(poll: link.poll)).session(bursts: 20, link: link, seed: seed)
    ]
  }
  static let machineOneKey = machine(.oneKey, 4000)
  static let machinePair = machine(.pair, 2000)

  static let crossedFresh = fresh(CrossedStrokes(), 3000)
  static let crossedUsed = used(CrossedStrokes(), 3600)

  /// Without what is learned of the key: its first thirty presses.
  static let rapidTrigger = fresh(Series.rapidTrigger, 240, uncounted: 30)

  /// Taps between typing on worn keyboards, with what is typed.
  static func tapsWorn(_ wear: Wear, countsTyping: Bool) -> Input {
    used(FastTaps(), 4800, wear: wear, countsTyping: countsTyping)
  }

  /// The people of an experiment at their worn keyboards, with a fresh engine for each 700 presses.
  static func oneSession(_ experiment: Experiment) -> Input {
    Input(sessions: experiment.people) { index, _ in
      experiment.session(of: index, wear: experiment.wear).pieces(ofPresses: 700)
    }
  }
}

/// What became of an input.
struct Account: Sendable {
  var tally = Tally()
  /// Sessions in which something was lost, doubled or out of order.
  var spoiled = Proportion()

  mutating func add(_ other: Account) {
    tally.add(other.tally)
    spoiled.add(other.spoiled)
  }

  /// Enters what became of one session.
  mutating func enter(_ session: Tally) {
    tally.add(session)
    spoiled.add(!session.isWhole)
  }
}

extension Input {
  /// Lets every contender judge the same sessions, and gives each one's account.
  func run(_ contenders: [Contender], seed: UInt64, workers: Int) async -> [Account] {
    await withTaskGroup(of: [Account].self) { group in
      for worker in 0..<workers {
        group.addTask {
          var accounts = contenders.map { _ in Account() }
          for index in stride(from: worker, to: sessions, by: workers) {
            for piece in session(index, SeededRandom.seed(of: index, of: seed)) {
              for (number, contender) in contenders.enumerated() {
                accounts[number].enter(contender.tally(piece))
              }
            }
          }
          return accounts
        }
      }
      var total = contenders.map { _ in Account() }
      for await accounts in group {
        for (index, account) in accounts.enumerated() { total[index].add(account) }
      }
      return total
    }
  }
}
