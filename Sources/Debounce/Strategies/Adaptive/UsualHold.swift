/// What a finger usually does: how long keys are held on this device, and how much longer or shorter this key.
///
/// ```
///   holds     ──┌── 82 ──┐─────┌──── 96 ────┐──      the device's usual hold moves by 1 ms towards each hold,
///   usual 90            89                 90        the key's offset from it by ½ ms: running medians
///
///   taps      ──┌─ 40 ─┐────┌─ 40 ─┐────┌─ 40 ─┐──   tapped fast, no more is usual than half the time from
///               |    70     |                        press to press
/// ```
///
/// What is very short, what is early and how long to wait all scale with it: a finger that taps 14 times a second is not
/// taken for a bounce, and on a key that is always held long a drop-out is recognised sooner.
struct UsualHold: Sendable {
  /// What is usual before anything is learned, in milliseconds. The waits are meant for it.
  static let packaged: Microseconds = 90

  /// By how much the usual hold differs from the packaged one.
  private(set) var deviation: Microseconds = 0

  init() {}

  /// What was usual before.
  init(_ hold: Microseconds) {
    deviation = hold - LearnedHabits.packagedHold
  }

  /// What is usual on the device.
  var hold: Microseconds { LearnedHabits.packagedHold + deviation }

  /// How long this key is held at least if its stroke is an ordinary one.
  ///
  /// - Parameter millisecond: How long a millisecond is.
  @inline(__always)
  func tempo(of key: KeyState, _ millisecond: Microseconds) -> Microseconds {
    let usual = Self.packaged * millisecond + deviation + key.adaptive.offset
    return max(0, min(usual, (key.pressed - key.before) / 2))
  }

  /// The part of a wait that is left at this tempo.
  func scaled(
    _ wait: Microseconds, to tempo: Microseconds, _ millisecond: Microseconds
  ) -> Microseconds {
    let unit = Self.packaged * millisecond
    guard tempo < unit else { return wait }
    // In two parts, as the product of a long wait might be too large.
    return wait / unit * tempo + wait % unit * tempo / unit
  }

  /// Learns from the hold of a stroke.
  @inline(__always)
  mutating func learn(_ hold: Microseconds, of key: inout KeyState, _ millisecond: Microseconds) {
    let usual = Self.packaged * millisecond + deviation
    let step = millisecond / 2
    key.adaptive.offset += hold > usual + key.adaptive.offset ? step : -step
    deviation += hold > usual ? millisecond : -millisecond
  }
}
