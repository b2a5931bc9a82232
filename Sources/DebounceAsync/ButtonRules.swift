import Debounce

/// How the buttons of a sequence are debounced: a strategy for each, which of them lock each other out, and what strokes
/// mean.
public struct ButtonRules<Button: Hashable & Sendable>: Equatable, Sendable {
  /// Buttons that lock each other out: for a while after a press of one, strokes of the others are left out whole.
  public struct Siblings: Equatable, Sendable {
    /// Which they are. A button that is in several groups belongs to the first.
    public var buttons: Set<Button>
    /// For how long after a press.
    public var lockout: Duration

    public init(_ buttons: Set<Button>, lockout: Duration) {
      self.buttons = buttons
      self.lockout = lockout
    }
  }

  /// The strategy of every button that has none of its own.
  public var strategy: Strategy
  /// Buttons with a strategy of their own.
  public var buttons: [Button: Strategy]
  /// Buttons that lock each other out, after their strategies.
  public var siblings: [Siblings]
  /// Buttons whose strokes mean others, after their strategies: a bad contact makes no double press.
  public var meanings: [Button: ButtonMeanings<Button>]

  public init(
    _ strategy: Strategy = .none, buttons: [Button: Strategy] = [:], siblings: [Siblings] = [],
    meanings: [Button: ButtonMeanings<Button>] = [:]
  ) {
    self.strategy = strategy
    self.buttons = buttons
    self.siblings = siblings
    self.meanings = meanings
  }

  /// These rules for the engine.
  func rules(_ codes: inout ButtonCodes<Button>) -> Rules {
    var rules = Rules(strategy: strategy)
    for group in siblings {
      let keys = Set(group.buttons.map { codes.code(of: $0) })
      rules.groups.append(Group(keys: keys, lockout: group.lockout.inMicroseconds))
    }
    for (button, strategy) in buttons { rules.keys[codes.code(of: button)] = strategy }
    for (button, meanings) in meanings {
      rules.meanings[codes.code(of: button)] = meanings.meanings(&codes)
    }
    return rules
  }
}

/// The meanings of one button's strokes: a single press, a double press and a long press each are strokes of a button of
/// their own in the sequence; see `Meanings`.
public struct ButtonMeanings<Button: Hashable & Sendable>: Hashable, Sendable {
  /// The button of a single press.
  public var single: Button
  /// The button of a double press; `nil` if it is two single ones.
  public var double: Button?
  /// The button of a long press; `nil` if it is a single one.
  public var hold: Button?
  /// The longest time from the first press of a double press to the second.
  public var within: Duration
  /// The time after which a press is a long one.
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
    (self.single, self.double, self.hold) = (single, double, hold)
    (self.within, self.after, self.shortestGap) = (within, after, shortestGap)
    self.isEager = isEager
  }

  /// These meanings for the engine.
  func meanings(_ codes: inout ButtonCodes<Button>) -> Meanings {
    Meanings(
      single: codes.code(of: single), double: double.map { codes.code(of: $0) },
      hold: hold.map { codes.code(of: $0) }, within: within.inMicroseconds,
      after: after.inMicroseconds, isEager: isEager, shortestGap: shortestGap.inMicroseconds)
  }
}

/// Which of the engine's keys stands for which button.
struct ButtonCodes<Button: Hashable & Sendable>: Sendable {
  private static var codes: Range<KeyCode> { EventType.plainKeys }

  private var codes: [Button: KeyCode] = [:]
  private var buttons: [Button] = []

  /// The key that stands for the button.
  ///
  /// - Precondition: There are at most 256 buttons.
  mutating func code(of button: Button) -> KeyCode {
    if let known = codes[button] { return known }
    precondition(buttons.count < Self.codes.count, "a sequence has at most 256 buttons")
    let code = Self.codes.lowerBound + KeyCode(buttons.count)
    codes[button] = code
    buttons.append(button)
    return code
  }

  /// The button for which the key stands; `nil` if it stands for none.
  func button(of code: KeyCode) -> Button? {
    let index = Int(code) - Int(Self.codes.lowerBound)
    return buttons.indices.contains(index) ? buttons[index] : nil
  }
}
