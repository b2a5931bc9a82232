import Debounce
import Randomness
import TypingModel

/// The people who type, and their keyboards.
struct Experiment: Sendable {
  var seed: UInt64
  var people: Int
  /// How many presses each of them makes.
  var presses: Int

  /// The keyboard of the `index`-th person: four in ten ask every millisecond, as many every eight, one
  /// in ten each every two and four; one in ten is wireless.
  func link(_ index: Int) -> Link {
    let mixture: [Microseconds] = [1, 8, 1, 8, 2, 1, 8, 4, 1, 8]
    return Link(
      poll: mixture[index % mixture.count] * 1000,
      isWireless: index / mixture.count % 10 == index % mixture.count)
  }

  /// Lets every contender judge the same sessions, one person at a time.
  func run(_ contenders: [Contender], workers: Int) async -> [Result] {
    let none = contenders.map { Result(contender: $0) }
    return await sums(of: people, startingAt: none, workers: workers) { person, results in
      let clean = session(of: person, wear: .none)
      for index in results.indices {
        results[index].clean.add(results[index].contender.tally(clean))
      }
      let worn = session(of: person)
      for index in results.indices {
        results[index].worn.add(results[index].contender.tally(worn))
      }
    }
  }

  /// What the person types on a keyboard with this wear.
  func session(of person: Int, wear: Wear = Wear()) -> Session {
    Session(
      presses: presses, wear: wear, link: link(person),
      seed: SeededRandom.seed(of: person, of: seed))
  }
}

/// Has workers share so many pieces of work, and adds up what each of them counts.
///
/// - Parameters:
///   - none: What has been counted of each contender before any work.
///   - work: Does the piece of this number, and adds what it counts.
func sums<Sum: Summable>(
  of pieces: Int, startingAt none: [Sum], workers: Int,
  _ work: @escaping @Sendable (_ piece: Int, _ sums: inout [Sum]) -> Void
) async -> [Sum] {
  await withTaskGroup(of: [Sum].self) { group in
    for worker in 0..<workers {
      group.addTask {
        var sums = none
        for piece in stride(from: worker, to: pieces, by: workers) { work(piece, &sums) }
        return sums
      }
    }
    var total = none
    for await sums in group {
      for (index, sum) in sums.enumerated() { total[index].add(sum) }
    }
    return total
  }
}

extension SeededRandom {
  /// A seed for each person of an experiment.
  static func seed(of person: Int, of seed: UInt64) -> UInt64 {
    var random = SeededRandom(seed: seed, stream: person)
    return random.next()
  }
}

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
  static func tapsWorn(countsTyping: Bool) -> Input {
    used(FastTaps(), 4800, wear: Wear(), countsTyping: countsTyping)
  }

  /// The people of an experiment at their worn keyboards, with a fresh engine for each 700 presses.
  static func oneSession(_ experiment: Experiment) -> Input {
    Input(sessions: experiment.people) { index, _ in
      experiment.session(of: index).pieces(ofPresses: 700)
    }
  }
}

/// What became of an input.
struct Account: Summable {
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
    let none = contenders.map { _ in Account() }
    return await sums(of: sessions, startingAt: none, workers: workers) { index, accounts in
      for piece in session(index, SeededRandom.seed(of: index, of: seed)) {
        for (number, contender) in contenders.enumerated() {
          accounts[number].enter(contender.tally(piece))
        }
      }
    }
  }
}
