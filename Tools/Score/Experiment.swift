import Debounce
import Randomness
import TypingModel

/// The people who type, and their keyboards.
struct Experiment: Sendable {
  var seed: UInt64
  var people: Int
  /// How many presses each of them makes.
  var presses: Int
  var wear: Wear
  var manner: Typing.Manner
  /// The link of every keyboard; `nil`: a mixture.
  var poll: Microseconds?

  /// The keyboard of the `index`-th person: four in ten ask every millisecond, as many every eight, one
  /// in ten each every two and four; one in ten is wireless.
  func link(_ index: Int) -> Link {
    let mixture: [Microseconds] = [1, 8, 1, 8, 2, 1, 8, 4, 1, 8]
    return Link(
      poll: poll ?? mixture[index % mixture.count] * 1000,
      isWireless: poll == nil && index / mixture.count % 10 == index % mixture.count)
  }

  /// Lets every contender judge the same sessions, one person at a time.
  func run(_ contenders: [Contender], workers: Int) async -> [Result] {
    await withTaskGroup(of: [Result].self) { group in
      for worker in 0..<workers {
        group.addTask {
          var results = contenders.map { Result(contender: $0) }
          for person in stride(from: worker, to: people, by: workers) {
            judge(person, into: &results)
          }
          return results
        }
      }
      var total = contenders.map { Result(contender: $0) }
      for await results in group {
        for (index, result) in results.enumerated() {
          total[index].clean.add(result.clean)
          total[index].worn.add(result.worn)
        }
      }
      return total
    }
  }

  private func judge(_ person: Int, into results: inout [Result]) {
    let clean = session(of: person, wear: .none)
    for index in results.indices {
      results[index].clean.add(results[index].contender.tally(clean))
    }
    let worn = session(of: person, wear: wear)
    for index in results.indices {
      results[index].worn.add(results[index].contender.tally(worn))
    }
  }

  /// What the person types on a keyboard that is so worn.
  func session(of person: Int, wear: Wear) -> Session {
    Session(
      presses: presses, manner: manner, wear: wear, link: link(person),
      seed: SeededRandom.seed(of: person, of: seed))
  }
}

extension SeededRandom {
  /// A seed for each person of an experiment.
  static func seed(of person: Int, of seed: UInt64) -> UInt64 {
    var random = SeededRandom(seed: seed, stream: person)
    return random.next()
  }
}
