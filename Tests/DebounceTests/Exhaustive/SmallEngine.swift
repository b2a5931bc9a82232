import Synchronization

@testable import Debounce

/// The engine, for the first keys only: so small that it can be copied at each node of a tree.
///
/// A mutant in nothing but that.
struct SmallEngine: Mutant {
  var engine: Debouncer

  /// More than the codes of the keys of streams.
  private static let keyCount = 48

  /// Those that were made: to make one costs more than to have it decide on a stream.
  private static let made = Mutex<[(rules: Rules, engine: Debouncer)]>([])

  init(engine: Debouncer) {
    self.engine = engine
    self.engine.keys.removeLast(max(0, engine.keys.count - Self.keyCount))
  }

  init(_ rules: Rules) {
    self = Self.made.withLock { made in
      if let known = made.first(where: { $0.rules == rules }) { return Self(known: known.engine) }
      let new = Self(engine: Debouncer(rules))
      if made.count < 200 { made.append((rules, new.engine)) }
      return new
    }
  }

  private init(known engine: Debouncer) { self.engine = engine }

  func successor(_ rules: Rules) -> SmallEngine {
    var successor = SmallEngine(rules)
    successor.engine.install(engine.habits)
    return successor
  }
}
