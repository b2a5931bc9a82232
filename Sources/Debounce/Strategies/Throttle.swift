/// Lets one stroke pass per interval, and takes the others whole.
///
/// ```
///          P──R  P──R  P──R     P──R
///   raw  ──┘  └──┘  └──┘  └─ ·──┘  └─      strokes that begin within `interval` of an emitted
///          |    interval     |             press vanish, however late they end
///  clean ──┌──┐─────────────────┌──┐─
///
///          P──R  P──R  P─────────R
///   raw  ──┘  └──┘  └──┘     ·   └─────    `latest`: the last of them is delivered when the
///          |    interval     | interval    interval ends, with its release then or when it comes;
///  clean ──┌──┐──────────────┌───┐─────    that begins the next interval
/// ```
///
/// For keys that should not act too often, whatever the reason; chatter is not what it is about.
///
/// Origin: the throttle of reactive libraries, on strokes instead of values: no release is ever lost.
public struct Throttle: Equatable, Sendable {
  /// How long after an emitted press no other one is.
  public var interval: Microseconds
  /// Whether the last stroke taken is delivered when the interval ends.
  ///
  /// A stroke that begins just then passes, and takes its place.
  public var latest: Bool

  public init(interval: Microseconds, latest: Bool = false) {
    self.interval = interval
    self.latest = latest
  }

  /// The parameters that follow from one threshold.
  public init(threshold: Microseconds) {
    self = Self.facts.rule(threshold: threshold)
  }

  func decide(_ key: borrowing KeyState, at time: Microseconds) -> Decision {
    let end = key.pressEmitted + interval
    guard key.raw, time < end else { return .emit }
    return .suppress(.throttled, deliverAt: latest ? end : nil)
  }
}

// MARK: - Facts

extension Throttle {
  static let facts = StrategyFacts(
    "throttle", packaged: Throttle(interval: Strategy.packagedThreshold), Strategy.throttle,
    { if case .throttle(let rule) = $0 { rule } else { nil } },
    summary: "One stroke passes in each interval; all others are removed.",
    parameters: [
      .time(
        "interval", \.interval, .threshold,
        "The length of the interval, which begins with a press.",
        tooLong: "the key would seem dead"),
      .flag(
        "latest", \.latest,
        "`true`: the last of the removed strokes is passed on when the interval ends, but not before "
          + "another key's press that came earlier and still waits."),
    ]
  ) { rule in
    let wait = rule.latest ? rule.interval : 0
    return .init(longestWait: (wait, wait), suppressesStrokes: !rule.latest)
  }
}
