import Debounce
import TypingModel

/// The engine as the daemon has it over many days: started anew for each session, with what the one before had learned.
final class RestartedEngine: Filter {
  private let strategy: Strategy
  private var filter: EngineFilter

  init(_ strategy: Strategy) {
    self.strategy = strategy
    filter = EngineFilter(strategy)
  }

  func take(_ edge: RawEdge, into clean: inout [CleanEdge]) {
    filter.take(edge, into: &clean)
  }

  func finish(into clean: inout [CleanEdge]) {
    filter.finish(into: &clean)
    filter = EngineFilter(strategy, filter.habits)
  }
}

extension Contender {
  /// What becomes of sessions that follow each other on one keyboard, with what was learned kept between them. Who learns
  /// nothing begins anew with each.
  func tally(following sessions: [Session]) -> Tally {
    var tally = Tally()
    if case .strategy(let strategy) = rule {
      let engine = RestartedEngine(strategy)
      for session in sessions { tally.add(Ledger.tally(session, engine)) }
    } else {
      for session in sessions { tally.add(self.tally(session)) }
    }
    return tally
  }
}

extension Question {
  /// Asks what is missed by an engine that is started anew for every 700 presses, if what it learned is kept.
  static func keptLearning(
    by contenders: [Contender], of experiment: Experiment, workers: Int
  ) async -> [Question] {
    let accounts = await withTaskGroup(of: [Account].self) { group in
      for worker in 0..<workers {
        group.addTask {
          var accounts = contenders.map { _ in Account() }
          for person in stride(from: worker, to: experiment.people, by: workers) {
            let pieces = experiment.session(of: person, wear: experiment.wear)
              .pieces(ofPresses: 700)
            for (number, contender) in contenders.enumerated() {
              accounts[number].tally.add(contender.tally(following: pieces))
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
    return [
      Question("the same, learning kept", "missed", accounts) {
        .share($0.tally.allMissed, of: 100)
      },
      Question("the same, learning kept", "lost", accounts) {
        .share($0.tally.lost, of: 1000)
      },
    ]
  }
}
