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

  /// The same for the engine.
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
