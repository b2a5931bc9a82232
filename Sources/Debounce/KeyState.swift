/// What the engine remembers of one key.
///
/// `raw` is what the switch says, `clean` what the strategy has made of it, and the clone has been told
/// unless the stroke is ``taken``. At most one deadline per key stands in the ``DeadlineQueue``; at it,
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

  /// Why the clean stroke vanishes whole, if it does: the clone was not told of its press, and will not be of its
  /// release.
  var taken: Removal?

  /// What the last edge withdrew, if it was taken for a drop-out: a short hold after it shows a release bounce.
  var wasDropOut = false
  /// Whether the contact bounces on after a release bounce: what is withdrawn until the next emission is of the same bounce.
  var isBouncing = false

  /// When raw last changed.
  var edge = never

  /// When raw last went down.
  var start = never

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
  var isHeld: Bool { clean && taken == nil }

  /// Receives a raw edge.
  ///
  /// - Returns: What the strategy decides; `nil` if raw was so already.
  @inline(__always)
  mutating func receive(
    down: Bool, at time: Microseconds, _ strategy: Strategy, noting change: inout LearningChange
  ) -> Decision? {
    guard raw != down else { return nil }
    raw = down
    let decision = strategy.decide(&self, at: time, noting: &change)
    edge = time
    if down { start = time }
    return decision
  }

  /// Makes clean what raw is.
  ///
  /// - Returns: What that means for the key's stroke.
  @inline(__always)
  mutating func becomeClean(at time: Microseconds) -> CleanEdge {
    clean = raw
    isBouncing = false
    if raw {
      let edge = CleanEdge(isPress: true, taken: taken, time: edge, before: released)
      pressed = self.edge
      pressEmitted = time
      presses &+= 1
      return edge
    }
    let edge = CleanEdge(isPress: false, taken: taken, time: edge, before: pressed)
    released = self.edge
    releaseEmitted = time
    taken = nil
    return edge
  }
}

/// An edge that has become clean.
struct CleanEdge {
  let isPress: Bool
  /// Why the clone is not told, if it is not.
  let taken: Removal?
  /// When it came.
  let time: Microseconds
  /// From when its interval counts: the gap before a press, the hold before a release.
  let before: Microseconds
}
