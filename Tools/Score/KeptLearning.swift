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
  ///
  /// - Parameter learned: How many sessions come first, from which is learned and of which nothing is counted.
  func tally(following sessions: [Session], after learned: Int = 0) -> Tally {
    var tally = Tally()
    if case .strategy(let strategy) = rule {
      let engine = RestartedEngine(strategy)
      for (number, session) in sessions.enumerated() {
        let result = Ledger.tally(session, engine)
        if number >= learned { tally.add(result) }
      }
    } else {
      for session in sessions.dropFirst(learned) { tally.add(self.tally(session)) }
    }
    return tally
  }
}

extension Question {
  /// Asks what is missed by an engine that is started anew for every 700 presses, if what it learned is kept: from the
  /// first press on a new keyboard, and on one that has been in use for as long before.
  static func keptLearning(
    by contenders: [Contender], of experiment: Experiment, workers: Int
  ) async -> [Question] {
    let new = await accounts(by: contenders, of: experiment, workers: workers) {
      ($0.session(of: $1, wear: $0.wear), 0)
    }
    let used = await accounts(by: contenders, of: experiment, workers: workers) {
      var longer = $0
      longer.presses *= 2
      return (longer.session(of: $1, wear: longer.wear), $0.presses)
    }
    func missed(_ account: Account) -> Figure { .share(account.tally.allMissed, of: 100) }
    func lost(_ account: Account) -> Figure { .share(account.tally.lost, of: 1000) }
    return [
      Question("the same, learning kept", "missed", new, missed),
      Question("the same, learning kept", "lost", new, lost),
      Question("the same, in use, learning kept", "missed", used, missed),
      Question("the same, in use, learning kept", "lost", used, lost),
    ]
  }

  /// Has contenders judge what each person types, in pieces of 700 presses.
  ///
  /// - Parameter typed: What the person types, and after how many presses counting begins.
  private static func accounts(
    by contenders: [Contender], of experiment: Experiment, workers: Int,
    _ typed: @escaping @Sendable (Experiment, Int) -> (Session, uncounted: Int)
  ) async -> [Account] {
    await withTaskGroup(of: [Account].self) { group in
      for worker in 0..<workers {
        group.addTask {
          var accounts = contenders.map { _ in Account() }
          for person in stride(from: worker, to: experiment.people, by: workers) {
            let (session, uncounted) = typed(experiment, person)
            let pieces = session.pieces(ofPresses: 700)
            for (number, contender) in contenders.enumerated() {
              accounts[number].tally.add(
                contender.tally(following: pieces, after: uncounted / 700))
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
