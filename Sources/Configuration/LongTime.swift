import Debounce

/// Which times are legal but unwise, and what they do to typing.
enum LongTime {
  /// The longest time that needs no warning; `nil` where times are meant to be long.
  ///
  /// - Parameter parameter: `nil` for the threshold.
  static func limit(of parameter: Parameter?) -> Microseconds? {
    switch parameter {
    // It waits 55 ms as it is packaged: only releases after a hold that hardly a finger makes.
    case .settle: 85_000
    case .interval, .learn, .within, .latest: nil
    default: 50_000
    }
  }

  /// What so long a time does; `nil` if the strategy does not use it.
  ///
  /// - Parameters:
  ///   - parameter: `nil` for the threshold.
  ///   - time: The number of milliseconds, as it was given.
  static func consequence(
    of parameter: Parameter?, _ kind: StrategyKind, _ time: String
  ) -> String? {
    let lost = "a key that is pressed again within \(time) ms loses that press"
    switch (kind, parameter) {
    case (.none, _), (.throttle, _):
      return nil
    case (.defer, nil):
      return "every press and release comes \(time) ms late, and quicker strokes are lost"
    case (.defer, .press):
      return "every press comes \(time) ms late, and quicker strokes are lost"
    case (.defer, _):
      return "every release comes \(time) ms late, and \(lost)"
    case (.eager, .press):
      return "a key that is let go within \(time) ms seems to be held that long"
    case (.eager, _):
      return "a key that is pressed again within \(time) ms loses that press, or gets it late"
    case (.eagerDefer, .press):
      return "a key that is let go within \(time) ms seems to be held that long, and \(lost)"
    case (.eagerDefer, _):
      return "every release comes \(time) ms late, and \(lost)"
    case (.prompt, _):
      return "a key that moves again within \(time) ms types late, or loses that press"
    case (_, .short):
      return "more strokes than bounces are that short, and their releases come late"
    case (_, .settle):
      return "a short stroke's release comes \(time) ms late, and \(lost)"
    case (_, .suspect):
      return "fast double presses of healthy keys come late"
    case (_, .confirm):
      return "a fast double press comes \(time) ms late, and is lost if it is shorter"
    case (_, .spurious):
      return "fast double presses count as evidence of a bad switch"
    case (.adaptive, _):
      return "on a worn key every release comes \(time) ms late, and \(lost)"
    case (.confirm, _):
      return "every release comes \(time) ms late, and \(lost)"
    }
  }
}
