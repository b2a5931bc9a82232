/// What the engine remembers of one key.
///
/// `raw` is what the switch says, `clean` what the clone has been told. At most one deadline per key
/// stands in the ``DeadlineQueue``; at it, clean becomes raw.
struct KeyState: Sendable {
  /// A time before any that a device can send, and far enough from the ends to calculate with.
  static let never: Microseconds = -(1 << 61)

  /// Which of the engine's strategies decides on this key.
  var strategy: Int = 0

  var raw = false
  var clean = false

  /// When raw last changed.
  var edge = never

  /// The raw time of the press that was last emitted, however late it was emitted.
  var pressed = never

  /// The raw time of the release from which the next press's gap counts: the last one emitted, or that
  /// of a bounce that vanished after it.
  var released = never

  /// The scan code that came with an edge which now waits for its deadline.
  var scan: Int32?

  /// How many presses of this key were emitted.
  var presses: UInt32 = 0

  /// What `adaptive` has learned of this key.
  var memory = AdaptiveMemory()
}
