/// What the strokes of one key mean: a single press, a double press and a long press each emit a key of their own.
///
/// Decided on clean strokes, after the key's strategy and its group, by the times at which their edges are emitted. What is
/// emitted are whole strokes: a press at the decision, and its release with the finger's, or at once where the finger is up.
///
/// ```
///            |◀────── within ──────▶|
///  key     ──┐   ┌───────────────────────       the second press has not come: single
///  emitted   └───┘                  S
///
///  key     ──┐   ┌───────┐      ┌────────       it has: double, held for as long as the finger holds it
///  emitted   └───┘       └──────┘
///                        D──────
///
///            |◀────────── after ──────────▶|
///  key     ──┐                                ┌─     the key is still down: hold
///  emitted   └────────────────────────────────┘
///                                          H──
///
///  key     ──┐                      |  ┌───────      hold is possible: decided at the release, not at `within`
///  emitted   └─────────────────────────┘
///                                      S
/// ```
///
/// Of a device's keys at most one is undecided: the press of any other key decides it, as a single press.
public struct Meanings: Equatable, Sendable {
  /// The key that a single press emits.
  public var single: KeyCode
  /// The key that a double press emits; `nil` if it means two single ones.
  public var double: KeyCode?
  /// The key that a long press emits; `nil` if it means a single one.
  public var hold: KeyCode?
  /// Up to how long after the first press the second one of a double press comes, in microseconds.
  public var within: Microseconds
  /// For how long a key is down before that is a long press, in microseconds.
  public var after: Microseconds
  /// Whether a single press is emitted at once, so that a double press emits its key in addition. For keys without ``hold``.
  public var isEager: Bool
  /// A press that comes sooner than this after the release is no second one: the first stroke goes on. In microseconds.
  public var shortestGap: Microseconds

  public init(
    single: KeyCode, double: KeyCode? = nil, hold: KeyCode? = nil,
    within: Microseconds = packagedWithin, after: Microseconds = packagedAfter,
    isEager: Bool = false, shortestGap: Microseconds = Strategy.packagedThreshold
  ) {
    self.single = single
    self.double = double
    self.hold = hold
    self.within = within
    self.after = after
    self.isEager = isEager
    self.shortestGap = shortestGap
  }
}

/// What a key's strokes were taken for.
public enum Meaning: String, Sendable, CaseIterable {
  /// One press that is neither of the others.
  case single
  /// Two presses in a short time.
  case double
  /// A press that lasts.
  case hold
}

extension Meanings {
  /// What holds where the configuration does not say.
  public static let packagedWithin: Microseconds = 250_000
  public static let packagedAfter: Microseconds = 500_000
  /// What the configuration accepts.
  public static let withinLimits: ClosedRange<Microseconds> = 20_000...2_000_000
  public static let afterLimits: ClosedRange<Microseconds> = 20_000...10_000_000

  /// The key for a meaning; `nil` if the key has no such meaning.
  public subscript(meaning: Meaning) -> KeyCode? {
    switch meaning {
    case .single: single
    case .double: double
    case .hold: hold
    }
  }

  /// The keys that can be emitted.
  public var keys: [KeyCode] { Meaning.allCases.compactMap { self[$0] } }

  /// Whether a single press is known for one as soon as it comes.
  public var isDecidedAtOnce: Bool { isEager || double == nil && hold == nil }

  /// The same with times that the engine can calculate with, and without what contradicts itself.
  var limited: Meanings {
    var limited = self
    limited.within = within.limited
    limited.after = after.limited
    limited.shortestGap = shortestGap.limited
    // `isEager` would have said before that it is a single press.
    if isEager { limited.hold = nil }
    return limited
  }
}

extension Rules {
  /// The keys that meanings can emit.
  public var meantKeys: KeySet { KeySet(meanings.values.flatMap(\.keys)) }
}
