import Debounce

// The engine's strategies with times of Swift's own type. What is not given follows from `threshold`; without that, it is as
// the strategy has it packaged. A time that is given by name wins.

extension Strategy {
  /// Presses and releases pass once they have lasted; see `Defer`.
  public static func `defer`(
    threshold: Duration? = nil, press: Duration? = nil, release: Duration? = nil
  ) -> Strategy {
    Defer(threshold: packaged(threshold)).with(\.press, press).with(\.release, release).strategy
  }

  /// Presses and releases pass at once, and then the button does nothing for a while; see `Eager`.
  public static func eager(
    threshold: Duration? = nil, press: Duration? = nil, release: Duration? = nil
  ) -> Strategy {
    Eager(threshold: packaged(threshold)).with(\.press, press).with(\.release, release).strategy
  }

  /// Presses pass at once, releases once they have lasted; see `EagerDefer`.
  public static func eagerDefer(
    threshold: Duration? = nil, press: Duration? = nil, release: Duration? = nil
  ) -> Strategy {
    EagerDefer(threshold: packaged(threshold)).with(\.press, press).with(\.release, release)
      .strategy
  }

  /// Presses and releases pass at once if the button was quiet before; see `Prompt`.
  public static func prompt(threshold: Duration? = nil) -> Strategy {
    Prompt(threshold: packaged(threshold)).strategy
  }

  /// Edges that are not suspicious pass at once, and suspicious ones are learned; see `Adaptive`.
  ///
  /// A button that has shown that its contact is bad is bad for `within` presses. One that `isNamed` is so from the start, and
  /// stays so.
  public static func adaptive(
    threshold: Duration? = nil, confirm: Duration? = nil, dropout: Duration? = nil,
    suspect: Duration? = nil, within: Int? = nil, isNamed: Bool = false
  ) -> Strategy {
    var rule = Adaptive(threshold: packaged(threshold)).with(\.confirm, confirm)
      .with(\.dropout, dropout)
    rule.suspect = suspect?.inMicroseconds
    if let within { rule.within = Int32(clamping: within) }
    rule.isNamed = isNamed
    return rule.strategy
  }

  /// One stroke passes in each interval, or the first and the last; see `Throttle`.
  public static func throttle(interval: Duration, latest: Bool = true) -> Strategy {
    Throttle(interval: interval.inMicroseconds, latest: latest).strategy
  }

  /// Strokes that begin too soon after the button came up vanish; see `BounceKeys`.
  public static func bounceKeys(delay: Duration? = nil) -> Strategy {
    BounceKeys(threshold: delay?.inMicroseconds ?? packagedForAccessibility).strategy
  }

  /// Strokes that do not last vanish; see `SlowKeys`.
  public static func slowKeys(delay: Duration? = nil) -> Strategy {
    SlowKeys(threshold: delay?.inMicroseconds ?? packagedForAccessibility).strategy
  }

  private static func packaged(_ threshold: Duration?) -> Microseconds {
    threshold?.inMicroseconds ?? packagedThreshold
  }
}

extension StrategyRule {
  /// The rule with this time for a parameter, if one is given.
  fileprivate func with(_ path: WritableKeyPath<Self, Microseconds>, _ time: Duration?) -> Self {
    var rule = self
    if let time { rule[keyPath: path] = time.inMicroseconds }
    return rule
  }
}

extension Duration {
  /// The whole microseconds; the longest time that the engine counts for one that is longer.
  var inMicroseconds: Microseconds {
    let (seconds, attoseconds) = components
    let longest = Microseconds.max / 2
    guard seconds.magnitude < longest.magnitude / 1_000_000 else {
      return seconds < 0 ? -longest : longest
    }
    return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
  }
}
