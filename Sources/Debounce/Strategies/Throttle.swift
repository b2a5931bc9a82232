/// Lets one stroke pass per interval, and suppresses the others whole.
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
/// Origin: the throttle of reactive libraries, on strokes instead of values: no release is ever lost.
public struct Throttle: Equatable, Sendable {
  /// How long after an emitted press no other one is.
  public var interval: Microseconds
  /// Whether the last stroke that was suppressed is delivered at the interval's end. A stroke that begins at that very moment
  /// replaces it.
  public var latest: Bool

  public init(interval: Microseconds, latest: Bool = false) {
    self.interval = interval
    self.latest = latest
  }

  @inline(__always)
  func decide(_ key: borrowing KeyState, at time: Microseconds) -> Decision {
    let end = key.pressEmitted + interval
    guard key.raw, time < end else { return .emit }
    return .suppress(.throttled, deliverAt: latest ? end : nil)
  }
}

extension Throttle: StrategyRule {
  public init(threshold: Microseconds) { self.init(interval: threshold) }

  package static let times: [Time] = [\.interval]
  package var strategy: Strategy { .throttle(self) }
  package var threshold: Microseconds { interval }
}
