/// Which strategy decides on which key of a device: what the engine is made with.
public struct Rules: Equatable, Sendable {
  /// The strategy of each key without one of its own. Keys that encoders drive are exceptions (``strategy(of:)``).
  public var strategy: Strategy
  /// Keys with a strategy of their own.
  public var keys: [KeyCode: Strategy]
  /// Keys that lock each other out.
  public var groups: [Group]
  /// Which waiting releases go out before another key's press does.
  public var flush: Flush
  /// Keys of which a single, a double and a long press mean different things.
  public var meanings: [KeyCode: Meanings]
  /// The rules for the steps of wheels.
  public var wheel: WheelRules

  public init(
    strategy: Strategy = .adaptive(Adaptive()), keys: [KeyCode: Strategy] = [:],
    groups: [Group] = [], flush: Flush = .modifiers, meanings: [KeyCode: Meanings] = [:],
    wheel: WheelRules = WheelRules()
  ) {
    self.strategy = strategy
    self.keys = keys
    self.groups = groups
    self.flush = flush
    self.meanings = meanings
    self.wheel = wheel
  }
}

extension Rules {
  /// The strategy that decides on a key: its own, or that of all keys.
  ///
  /// Keys that encoders drive are not debounced unless they have a strategy of their own: each detent of a knob is a stroke
  /// as short as chatter, and every one is meant.
  public func strategy(of key: KeyCode) -> Strategy {
    keys[key] ?? (key.isDrivenByEncoders ? .none : strategy)
  }
}

extension KeyCode {
  /// Whether knobs and wheels send this key: volume, brightness of the screen and of the keys, zoom and scrolling, down and
  /// up of each (`KEY_VOLUMEDOWN` and so on).
  var isDrivenByEncoders: Bool {
    [114, 115, 224, 225, 229, 230, 0x1a2, 0x1a3, 177, 178].contains(self)
  }
}

// MARK: - Between keys

/// Keys that lock each other out: two pads under one thumb, two pedals under one foot.
///
/// ```
///  pad 1  ──P────R───────────────          for `lockout` after a member's press is emitted, strokes
///  pad 2  ────P────R─────P──R────          of the other members vanish whole, however late they end
///           |  lockout  |
/// ```
///
/// A group decides on what the keys' strategies let through. A stroke that began before the lock and
/// waited into it vanishes as well.
public struct Group: Equatable, Sendable {
  /// The members. A key that is in several groups belongs to the first.
  public var keys: Set<KeyCode>
  /// How long a member's press locks the others out.
  public var lockout: Microseconds

  public init(keys: Set<KeyCode>, lockout: Microseconds) {
    self.keys = keys
    self.lockout = lockout
  }
}

/// Which member of a group locks the others out, and until when.
struct Lock: Sendable {
  let lockout: Microseconds
  private(set) var owner: KeyCode?
  private(set) var end = KeyState.never

  /// Begins anew, because a press of `key` is emitted.
  mutating func begin(by key: KeyCode, at time: Microseconds) {
    owner = key
    end = time + lockout.limited
  }

  /// Whether a stroke of `key` that began at `time` must vanish.
  func excludes(_ key: KeyCode, from time: Microseconds) -> Bool { time < end && key != owner }
}

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
    self == .all || self == .modifiers && key.isModifier
  }
}

extension KeyCode {
  /// Whether the key changes what others mean while it is held: Ctrl, Shift, Alt and Meta of both
  /// sides (`KEY_LEFTCTRL` and so on).
  package var isModifier: Bool {
    switch self {
    case 29, 97, 42, 54, 56, 100, 125, 126: true
    default: false
    }
  }
}
