import Debounce

/// What the strokes of one button mean: a single press, a double press and a long press each are strokes of a button of
/// their own in the sequence; see `Meanings`.
public struct ButtonMeanings<Button: Hashable & Sendable>: Hashable, Sendable {
  /// What a single press is.
  public var single: Button
  /// What a double press is; `nil` if it is two single ones.
  public var double: Button?
  /// What a long press is; `nil` if it is a single one.
  public var hold: Button?
  /// Up to how long after the first press the second one of a double press comes.
  public var within: Duration
  /// For how long the button is down before that is a long press.
  public var after: Duration
  /// Whether a single press comes at once, so that a double press comes in addition. For buttons without ``hold``.
  public var isEager: Bool
  /// A press that comes sooner than this after the release is no second one: the first stroke goes on.
  public var shortestGap: Duration

  public init(
    single: Button, double: Button? = nil, hold: Button? = nil,
    within: Duration = .microseconds(Meanings.packagedWithin),
    after: Duration = .microseconds(Meanings.packagedAfter), isEager: Bool = false,
    shortestGap: Duration = .microseconds(Strategy.packagedThreshold)
  ) {
    self.single = single
    self.double = double
    self.hold = hold
    self.within = within
    self.after = after
    self.isEager = isEager
    self.shortestGap = shortestGap
  }

  /// The same for the engine.
  func meanings(_ codes: inout ButtonCodes<Button>) -> Meanings {
    Meanings(
      single: codes.code(of: single), double: double.map { codes.code(of: $0) },
      hold: hold.map { codes.code(of: $0) }, within: within.inMicroseconds,
      after: after.inMicroseconds, isEager: isEager, shortestGap: shortestGap.inMicroseconds)
  }
}
