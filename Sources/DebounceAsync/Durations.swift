import Debounce

// The engine's strategies with times of Swift's own type. What is not given follows from `threshold`; without that, it is as
// the strategy has it packaged. A time that is given by name wins.

extension Strategy {
  /// Presses and releases pass once they have lasted; see `Defer`.
  public static func `defer`(
    threshold: Duration? = nil, press: Duration? = nil, release: Duration? = nil
  ) -> Strategy {
    made(Defer.kind, threshold, ["press": press, "release": release])
  }

  /// Presses and releases pass at once, and then the button does nothing for a while; see `Eager`.
  public static func eager(
    threshold: Duration? = nil, press: Duration? = nil, release: Duration? = nil
  ) -> Strategy {
    made(Eager.kind, threshold, ["press": press, "release": release])
  }

  /// Presses pass at once, releases once they have lasted; see `EagerDefer`.
  public static func eagerDefer(
    threshold: Duration? = nil, press: Duration? = nil, release: Duration? = nil
  ) -> Strategy {
    made(EagerDefer.kind, threshold, ["press": press, "release": release])
  }

  /// Presses and releases pass at once if the button was quiet before; see `Prompt`.
  public static func prompt(threshold: Duration? = nil) -> Strategy {
    made(Prompt.kind, threshold)
  }

  /// What is not suspicious passes at once; see `Confirm`.
  public static func confirm(
    threshold: Duration? = nil, short: Duration? = nil, settle: Duration? = nil,
    suspect: Duration? = nil, confirm: Duration? = nil, dropout: Duration? = nil
  ) -> Strategy {
    made(
      Confirm.kind, threshold,
      [
        "short": short, "settle": settle, "suspect": suspect, "confirm": confirm,
        "dropout": dropout,
      ])
  }

  /// What is not suspicious passes at once, and what is suspicious is learned; see `Adaptive`.
  ///
  /// A button that has shown that its contact is bad is bad for `within` presses. One that `isNamed` is so from the start, and
  /// stays so.
  public static func adaptive(
    threshold: Duration? = nil, confirm: Duration? = nil, dropout: Duration? = nil,
    suspect: Duration? = nil, within: Int? = nil, isNamed: Bool = false
  ) -> Strategy {
    let strategy = made(
      Adaptive.kind, threshold, ["confirm": confirm, "dropout": dropout, "suspect": suspect],
      within.map { ["within": Int64($0)] } ?? [:])
    return isNamed ? strategy.named : strategy
  }

  /// One stroke passes in each interval, or the first and the last; see `Throttle`.
  public static func throttle(interval: Duration, latest: Bool = true) -> Strategy {
    made(Throttle.kind, nil, ["interval": interval], ["latest": latest ? 1 : 0])
  }

  /// Strokes that begin too soon after the button came up vanish; see `BounceKeys`.
  public static func bounceKeys(delay: Duration? = nil) -> Strategy {
    made(BounceKeys.kind, nil, ["delay": delay])
  }

  /// Strokes that do not last vanish; see `SlowKeys`.
  public static func slowKeys(delay: Duration? = nil) -> Strategy {
    made(SlowKeys.kind, nil, ["delay": delay])
  }

  private static func made(
    _ kind: StrategyKind, _ threshold: Duration?, _ times: [String: Duration?] = [:],
    _ others: [String: Int64] = [:]
  ) -> Strategy {
    let given = times.compactMapValues { $0?.inMicroseconds }
    return kind.strategy(
      threshold: threshold?.inMicroseconds, given.merging(others) { time, _ in time })
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
