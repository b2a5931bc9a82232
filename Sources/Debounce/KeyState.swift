/// What the engine remembers of one key.
///
/// `raw` is what the switch says, `clean` what the strategy has made of it, and the clone has been told
/// unless the stroke is `taken`. At most one deadline per key stands in the ``DeadlineQueue``; at it,
/// clean becomes raw.
struct KeyState: Sendable {
  /// A time before any that a device can send, and far enough from the ends to calculate with.
  static let never: Microseconds = -(1 << 61)

  /// Which of the engine's strategies decides on this key.
  var strategy: UInt16 = 0
  /// Which of them will as soon as the key is idle; -1 if the present one stays.
  var nextStrategy: Int16 = -1
  /// The row of its counts; -1 as long as it has none.
  var row: Int16 = -1
  /// Which of the engine's locks it shares with others, if any.
  var lock: Int16 = -1

  var raw = false
  var clean = false

  /// Whether the clean stroke vanishes whole: the clone has not heard of its press, and will not of its
  /// release.
  var taken = false

  /// When raw last changed.
  var edge = never

  /// The raw time of the press that was last emitted, however late it was emitted.
  var pressed = never

  /// The raw time of the release from which the next press's gap counts: the last one emitted, or that
  /// of a bounce that vanished after it.
  var released = never

  /// When clean last went down and up: when the edge was emitted, however early it had come.
  var pressEmitted = never
  var releaseEmitted = never

  /// The scan code that came with an edge which now waits for its deadline.
  var scan: Int32?

  /// How many presses of this key were emitted. It may wrap around.
  var presses: UInt32 = 0

  /// What `adaptive` has learned of this key.
  var memory = AdaptiveMemory()

  /// Whether the clone has been told that the key is down.
  var isHeld: Bool { clean && !taken }

  /// Takes a raw edge.
  ///
  /// - Returns: What the strategy decides; `nil` if raw was so already.
  @inline(__always)
  mutating func hear(
    down: Bool, at time: Microseconds, _ strategy: Strategy, counting counters: inout Counters
  ) -> Verdict? {
    guard raw != down else { return nil }
    raw = down
    let verdict = strategy.judge(&self, at: time, counting: &counters)
    edge = time
    return verdict
  }

  /// Turns clean into what raw is.
  ///
  /// - Returns: Whether the clone must be told: not of a stroke that is taken.
  @inline(__always)
  mutating func turn(at time: Microseconds) -> Bool {
    let isTold = !taken
    clean = raw
    if raw {
      pressed = edge
      pressEmitted = time
      presses &+= 1
    } else {
      released = edge
      releaseEmitted = time
      taken = false
    }
    return isTold
  }
}
