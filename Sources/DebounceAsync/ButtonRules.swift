import Debounce

/// How a sequence's buttons are debounced: a strategy for all of them, and which of them lock each other out.
struct ButtonRules<Button: Hashable & Sendable>: Sendable {
  var strategy: Strategy
  /// Buttons that lock each other out, and for how long.
  var siblings: Set<Button> = []
  var lockout: Duration = .zero
  /// Buttons whose strokes mean others.
  var meanings: [Button: ButtonMeanings<Button>] = [:]
}

/// Which of the engine's keys stands for which button.
struct ButtonCodes<Button: Hashable & Sendable>: Sendable {
  /// Of these codes none is a modifier, and none is driven by an encoder: the engine treats all alike.
  private static var codes: Range<KeyCode> { 0x200..<0x300 }

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
