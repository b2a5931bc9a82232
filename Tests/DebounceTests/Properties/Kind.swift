import Randomness

@testable import Debounce

/// What the properties are checked for: each strategy, and some company.
enum Kind: String, CaseIterable, Sendable {
  case none, `defer`, eager, eagerDefer, prompt, adaptive, throttle, throttleLatest
  case bounceKeys, slowKeys
  /// Each key has a strategy of its own.
  case mixed
  /// Each key has a strategy of its own, and `adaptive` may be one of them.
  case mixedWithAdaptive
  /// Keys lock each other out.
  case group

  /// The four that one threshold describes whole.
  static let ofOneThreshold: [Kind] = [.defer, .eager, .eagerDefer, .prompt]

  /// Those in which no stroke is taken whole.
  static let ofChatter: [Kind] = [
    .none, .defer, .eager, .eagerDefer, .prompt, .adaptive,
  ]

  /// Those in which keys meet only where releases are flushed.
  ///
  /// `adaptive` keeps the order of the switches, and learns from all keys what is usual, whether a key of the device is bad
  /// and whether a machine types.
  static let ofIndependentKeys: [Kind] = allCases.filter {
    ![.group, .adaptive, .mixedWithAdaptive].contains($0)
  }

  func rules(using random: inout SeededRandom) -> Rules {
    var rules = Rules(strategy: strategy(using: &random), flush: random.pick(Flush.allCases))
    if self == .mixed || self == .mixedWithAdaptive {
      for key in Stream.keys {
        let kind = random.pick(Self.ofIndependentKeys + (self == .mixed ? [] : [.adaptive]))
        rules.keys[key] = kind.strategy(using: &random)
      }
    }
    if self == .group {
      let lockout = Self.time(using: &random)
      rules.groups = [Group(keys: [.a, .s, .leftShift], lockout: lockout)]
    }
    return rules
  }

  private func strategy(using random: inout SeededRandom) -> Strategy {
    var time: Microseconds { Self.time(using: &random) }
    switch self {
    case .none: return .none
    case .defer: return .defer(Defer(press: time, release: time))
    case .eager: return .eager(Eager(press: time, release: time))
    case .eagerDefer: return .eagerDefer(EagerDefer(press: time, release: time))
    case .prompt: return .prompt(Prompt(quiet: time))
    case .throttle: return .throttle(Throttle(interval: time))
    case .throttleLatest: return .throttle(Throttle(interval: time, latest: true))
    case .bounceKeys: return .bounceKeys(BounceKeys(delay: time))
    case .slowKeys: return .slowKeys(SlowKeys(delay: time))
    case .adaptive:
      return .adaptive(
        Adaptive(
          threshold: random.pick([25.ms, 25.ms, 15.ms, 40.ms, 60.ms]),
          confirm: Bool.random(using: &random) ? 25.ms : time,
          dropout: random.pick([nil, nil, time]), suspect: random.pick([nil, nil, nil, time]),
          within: .random(in: 1...4, using: &random),
          isNamed: Int.random(in: 0..<4, using: &random) == 0))
    case .mixed: return .none
    case .mixedWithAdaptive: return Self.adaptive.strategy(using: &random)
    case .group:
      return random.pick(Self.ofChatter).strategy(using: &random)
    }
  }

  static func time(using random: inout SeededRandom) -> Microseconds {
    random.pick([0, 1, 1.ms, 5.ms, 12.ms, 20.ms, 25.ms, 30.ms, 50.ms])
  }
}

extension Strategy {
  /// The parameters that are times.
  var parameters: [Microseconds] {
    let times = rule?.ofTime ?? []
    guard case .adaptive(let rule) = self else { return times }
    return times + [rule.ofBadKeys.suspect]
  }

  /// All times that matter to it.
  var times: [Microseconds] {
    let times = parameters
    // What is no parameter matters as much.
    let own = [
      4.ms, 8.ms, 12.ms, 15.ms, 33.ms, 36.ms, 40.ms, 49.ms, 55.ms, 60.ms, 70.ms, 100.ms, 106.ms,
      130.ms, 150.ms,
    ]
    return isAdaptive ? times + own : times
  }

  var isAdaptive: Bool {
    if case .adaptive = self { true } else { false }
  }

  /// The strategy with its times multiplied.
  func scaled(by factor: Microseconds) -> Strategy {
    rule?.scaled(by: factor) ?? self
  }
}

extension StrategyRule {
  fileprivate var ofTime: [Microseconds] { Self.times.map { self[keyPath: $0] } }

  fileprivate func scaled(by factor: Microseconds) -> Strategy {
    var rule = self
    for time in Self.times { rule[keyPath: time] *= factor }
    return rule.strategy
  }
}

extension Rules {
  /// Whether any key is decided on by `adaptive`.
  var hasAdaptive: Bool { ([strategy] + keys.values).contains(where: \.isAdaptive) }

  /// All parameters that are times.
  var times: [Microseconds] {
    ([strategy] + keys.values).flatMap(\.times) + groups.map(\.lockout)
      + meanings.values.flatMap { [$0.within, $0.after, $0.shortestGap] }
  }

  /// The rules with all times multiplied.
  func scaled(by factor: Microseconds) -> Rules {
    Rules(
      strategy: strategy.scaled(by: factor), keys: keys.mapValues { $0.scaled(by: factor) },
      groups: groups.map { Group(keys: $0.keys, lockout: factor * $0.lockout) }, flush: flush)
  }
}
