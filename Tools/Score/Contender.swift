import Debounce
import TypingModel

/// A rule with its parameters: a row of the table.
struct Contender: Sendable {
  enum Rule: Sendable {
    case strategy(Strategy)
    /// The default, told these of every key.
    case named(Adaptive)
    case lockout(Microseconds)
    case libinput(Microseconds)
  }

  /// What a curve of the picture is drawn through.
  var family: String
  /// What distinguishes it from others of its family.
  var parameters: String
  var rule: Rule

  func tally(_ session: Session) -> Tally {
    switch rule {
    case .strategy(let strategy): Ledger.tally(session, EngineFilter(strategy))
    case .named(let adaptive): Ledger.tally(session, EngineFilter(named: adaptive))
    case .lockout(let time): Ledger.tally(session, Lockout(time))
    case .libinput(let bounce): Ledger.tally(session, LibinputMachine(bounce: bounce))
    }
  }
}

extension Contender {
  /// All that are compared, families together.
  static let all: [Contender] = {
    var all = [strategy("none", "", .none)]
    all += [15, 20, 25, 30, 40].map {
      Contender(family: "gap lock-out", parameters: "\($0)", rule: .lockout($0 * 1000))
    }
    all += [15, 25, 35].map {
      Contender(family: "libinput per key", parameters: "\($0)", rule: .libinput($0 * 1000))
    }
    all += [5, 10, 15, 25].map { strategy("defer", "\($0)", .defer(Defer(threshold: $0 * 1000))) }
    all += [10, 15, 25, 40].map { strategy("eager", "\($0)", .eager(Eager(threshold: $0 * 1000))) }
    all += [10, 15, 20, 25, 30, 40].map {
      strategy("eager-defer", "\($0)", .eagerDefer(EagerDefer(threshold: $0 * 1000)))
    }
    all += [15, 20, 25, 30, 40].map {
      strategy("prompt", "\($0)", .prompt(Prompt(threshold: $0 * 1000)))
    }
    all += [0, 10, 15, 20, 25, 30].map {
      strategy("confirm", "dropout \($0)", .confirm(Confirm(dropout: $0 * 1000)))
    }
    all += [10, 15, 20, 25, 30, 35].map {
      strategy("adaptive", "\($0)", .adaptive(Adaptive(threshold: $0 * 1000)))
    }
    all += [50, 100].map {
      strategy("throttle", "\($0)", .throttle(Throttle(threshold: $0 * 1000)))
    }
    return all
  }()

  /// Whether it speaks for its family where not all parameters are compared.
  var isTypical: Bool {
    switch (family, parameters) {
    case ("gap lock-out", "30"), ("libinput per key", "25"), ("eager-defer", "25"),
      ("confirm", "dropout 25"):
      true
    default: isDefault
    }
  }

  private static func strategy(
    _ family: String, _ parameters: String, _ strategy: Strategy
  ) -> Contender {
    Contender(family: family, parameters: parameters, rule: .strategy(strategy))
  }

  /// The strategy that is used where nobody chooses.
  var isDefault: Bool {
    guard case .strategy(let strategy) = rule else { return false }
    return strategy == Rules().strategy
  }
}
