import Debounce

// The engine's strategies with times of Swift's own type. Each is what the configuration's `threshold` makes of it.

extension Strategy {
  /// Presses and releases pass once they have lasted; see `Defer`.
  public static func `defer`(threshold: Duration) -> Strategy {
    .defer(Defer(threshold: threshold.inMicroseconds))
  }

  /// Presses and releases pass at once, and then the button does nothing for a while; see `Eager`.
  public static func eager(threshold: Duration) -> Strategy {
    .eager(Eager(threshold: threshold.inMicroseconds))
  }

  /// Presses pass at once, releases once they have lasted; see `EagerDefer`.
  public static func eagerDefer(threshold: Duration) -> Strategy {
    .eagerDefer(EagerDefer(threshold: threshold.inMicroseconds))
  }

  /// Presses and releases pass at once if the button was quiet before; see `Prompt`.
  public static func prompt(threshold: Duration) -> Strategy {
    .prompt(Prompt(threshold: threshold.inMicroseconds))
  }

  /// What is not suspicious passes at once; see `Adaptive`.
  public static func adaptive(threshold: Duration) -> Strategy {
    .adaptive(Adaptive(threshold: threshold.inMicroseconds))
  }

  /// Strokes that begin too soon after the button came up vanish; see `BounceKeys`.
  public static func bounceKeys(delay: Duration) -> Strategy {
    .bounceKeys(BounceKeys(delay: delay.inMicroseconds))
  }

  /// Strokes that do not last vanish; see `SlowKeys`.
  public static func slowKeys(delay: Duration) -> Strategy {
    .slowKeys(SlowKeys(delay: delay.inMicroseconds))
  }
}

extension Duration {
  /// The whole microseconds; the longest time that the engine counts for one that is longer.
  var inMicroseconds: Microseconds {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
    guard !overflow else { return seconds < 0 ? .min / 2 : .max / 2 }
    let (sum, carries) = product.addingReportingOverflow(attoseconds / 1_000_000_000_000)
    return carries ? (seconds < 0 ? .min / 2 : .max / 2) : sum
  }
}
