/// What ``Adaptive`` remembers of one key, besides the times that every key has.
///
/// There are 768 of it for each device. Short lengths of time take four bytes, and what is larger comes first.
struct AdaptiveKey: Sendable {
  /// By how much the key is held longer than usual on its device.
  var offset: Microseconds = 0
  /// Until when the press that passed because its switch is beyond doubt must last; long ago if it was not suspicious.
  var trustedUntil = KeyState.never
  /// What it has shown of its switch.
  var evidence = Evidence()

  /// What may be several strokes.
  var merged = MergedStrokes()
  /// The hold of the last stroke in microseconds, if it was a single short contact.
  var lastShort: Int32?

  /// Whether the release that waits ends a very short stroke.
  var isVeryShort = false
  /// Whether the release waits only because another key is bad.
  var isDoubted = false
}

/// What ``Adaptive`` remembers of a device.
struct AdaptiveDevice: Sendable {
  var usual = UsualHold()
  /// How many keys are bad.
  var badKeys = 0
  var machine = MachineTyping()
}
