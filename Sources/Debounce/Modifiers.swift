/// Which waiting releases go out before another key's press does.
///
/// A release that waits for its deadline must not be overtaken by the next key's press where the order
/// means something: Shift let go before `a` was pressed is not `A`.
public enum Flush: String, Sendable, CaseIterable {
  /// The releases of modifiers.
  case modifiers
  /// All releases.
  case all
  /// None: releases wait for their deadlines whatever else is pressed.
  case none

  func includes(_ key: KeyCode) -> Bool {
    switch self {
    case .modifiers: key.isModifier
    case .all: true
    case .none: false
    }
  }
}

extension KeyCode {
  /// Whether the key changes what others mean while it is held: Ctrl, Shift, Alt and Meta of both
  /// sides (`KEY_LEFTCTRL` and so on).
  var isModifier: Bool {
    switch self {
    case 29, 97, 42, 54, 56, 100, 125, 126: true
    default: false
    }
  }
}
