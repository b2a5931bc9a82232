/// Which strategy decides on which key of a device: what the engine is made with.
public struct Rules: Equatable, Sendable {
  /// The strategy of every key that has none of its own, but for those that encoders drive (``strategy(of:)``).
  public var strategy: Strategy
  /// Keys with a strategy of their own.
  public var keys: [KeyCode: Strategy]
  /// Keys that lock each other out.
  public var groups: [Group]
  /// Which waiting releases go out before another key's press does.
  public var flush: Flush
  /// Keys of which a single, a double and a long press mean different things.
  public var meanings: [KeyCode: Meanings]
  /// What is done with the steps of wheels.
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

  /// How late a press, or a release, of the key is passed on at most, without its ``Meanings``, in microseconds.
  ///
  /// As long as its strategy has it wait, or as long as ``Adaptive`` has any key wait, behind which it may have to come: a press
  /// of any key, and an edge of a key with ``Adaptive``. A press that was taken for chatter and proves meant counts from itself,
  /// and comes after its own contact, which was a short one.
  public func longestWait(of key: KeyCode, isPress: Bool) -> Microseconds {
    let own = strategy(of: key).limited
    let alone = own.longestWait(ofPress: isPress)
    let contact = isPress ? own.adaptive?.shortContact ?? 0 : 0
    guard isPress || own.adaptive != nil else { return alone }
    let others = ([strategy] + keys.values).compactMap(\.limited.adaptive?.longestWait)
    return max(alone, others.max() ?? 0) + contact
  }
}

extension KeyCode {
  /// Whether knobs and wheels send this key: volume, brightness of the screen and of the keys, zoom and scrolling, down and
  /// up of each (`KEY_VOLUMEDOWN` and so on).
  var isDrivenByEncoders: Bool {
    switch self {
    case 114, 115, 224, 225, 229, 230, 0x1a2, 0x1a3, 177, 178: true
    default: false
    }
  }
}

extension Strategy {
  /// The rule, if it is ``Adaptive``.
  fileprivate var adaptive: Adaptive? {
    if case .adaptive(let rule) = self { rule } else { nil }
  }
}
