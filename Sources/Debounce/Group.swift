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
  private var owner: KeyCode?
  private var end = KeyState.never

  init(lockout: Microseconds) {
    self.lockout = lockout
  }

  /// Begins anew, because a press of `key` is emitted.
  mutating func begin(by key: KeyCode, at time: Microseconds) {
    owner = key
    end = time + lockout.limited
  }

  /// Whether a stroke of `key` that began at `time` must vanish.
  func excludes(_ key: KeyCode, from time: Microseconds) -> Bool {
    time < end && key != owner
  }
}
