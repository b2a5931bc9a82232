/// The engine's memory of one key.
///
/// `raw` is the state of the switch, `clean` what the strategy has made of it. Clean edges go to the clone unless the
/// stroke is ``suppressed``. A key has at most one deadline in the ``DeadlineQueue``; at it, clean becomes raw.
struct KeyState: Sendable {
  /// A time before any that a device can send, and far enough from the ends to calculate with.
  static let never: Microseconds = -(1 << 61)

  /// Which of the engine's strategies decides on this key.
  var strategy: UInt16
  /// The strategy that decides as soon as the key is idle, if it is not the present one.
  var nextStrategy: UInt16?
  /// The row of its counts, once it has any.
  var row: UInt16?
  /// The row of what it withdrew and may still deliver, once there is any.
  var withdrawnRow: UInt16?
  /// Which of the engine's locks it shares with others, if any.
  var lock: UInt16?
  /// The row of what its strokes mean, if they mean, or have meant, anything but the key itself.
  var meaning: UInt16?

  var raw = false
  var clean = false
  /// Why the clean stroke vanishes whole, if it does: neither its press nor its release goes to the clone.
  var suppressed: Removal?
  /// Whether the last press withdrew a release as a drop-out. If this contact is short, it was a release bounce.
  var wasDropOut = false
  /// Whether the contact bounces after a release. Whatever the engine withdraws before it next emits belongs to that bounce.
  var isBouncing = false
  /// Whether the key changes what others mean.
  let isModifier: Bool
  /// When raw last changed.
  var edge = never
  /// When raw last went down.
  var start = never
  /// The raw time of the press that was last emitted, however late it was emitted.
  var pressed = never
  /// The raw time of the press that was emitted before that one.
  var before = never
  /// The raw time of the release from which the next press's gap counts: the last one emitted, or that
  /// of a bounce that vanished after it.
  var released = never
  /// When clean last went down and up: when the edge was emitted, however early it had come.
  var pressEmitted = never
  var releaseEmitted = never
  /// The scan code that came with an edge which now waits for its deadline.
  var scan: Int32?
  /// The scan code of the release of a stroke that `throttle` has put off.
  var releaseScan: Int32?
  /// Whether the key's press waits in the order of the switches: presses that come later wait for it.
  var waitsInOrder = false
  /// Whether the key's press waits for another key's press.
  var isQueued = false
  /// The end of the present or last wait of an edge for its own sake.
  var due = never
  /// How many presses of this key were emitted.
  var presses: Int64 = 0
  /// The memory of `adaptive` of this key.
  var adaptive = AdaptiveKey()

  /// Whether the key is down on the clone.
  var isHeld: Bool { clean && suppressed == nil }

  /// Whether the key is down, and its press waits.
  var pressWaits: Bool { raw && !clean }
  /// Whether the key is up, and its release waits. A press that comes now may continue the stroke.
  var releaseWaits: Bool { !raw && clean }

  /// Forgets what waited: events were lost.
  mutating func forgetWaiting() {
    wasDropOut = false
    waitsInOrder = false
    isQueued = false
    adaptive.stroke.begin()
    adaptive.run = EvenRun()
    adaptive.gap = .max
    adaptive.lastShort = nil
  }

  /// Receives that raw moves.
  @inline(__always)
  mutating func move(down: Bool, at time: Microseconds) {
    raw = down
    if down { start = time }
    edge = time
  }

  /// Receives that raw goes down with a stroke that begins.
  @inline(__always)
  mutating func begin(at time: Microseconds) {
    adaptive.gap = time - released
    adaptive.rest = time - edge
    move(down: true, at: time)
  }

  /// Has clean follow raw, and begins or ends the key's stroke.
  ///
  /// - Returns: The edge that has become clean.
  @inline(__always)
  mutating func becomeClean(at time: Microseconds) -> CleanEdge {
    clean = raw
    isBouncing = false
    if raw {
      let press = CleanEdge(isPress: true, suppressed: suppressed, time: edge, before: released)
      before = pressed
      pressed = edge
      pressEmitted = time
      presses += 1
      waitsInOrder = false
      isQueued = false
      adaptive.stroke.begin()
      return press
    }
    let release = CleanEdge(isPress: false, suppressed: suppressed, time: edge, before: pressed)
    // `throttle` may deliver a stroke later that it suppresses: the gap before it counts from the release before it.
    if suppressed != .throttled { released = edge }
    releaseEmitted = time
    if suppressed == nil { adaptive.settled = edge }
    suppressed = nil
    adaptive.lastShort = adaptive.stroke.isShort ? Int32(clamping: edge - start) : nil
    adaptive.stroke.end()
    return release
  }
}

/// An edge that has become clean.
struct CleanEdge {
  let isPress: Bool
  /// Why it does not go to the clone, if it does not.
  let suppressed: Removal?
  /// When it came.
  let time: Microseconds
  /// From when its interval counts: the gap before a press, the hold before a release.
  let before: Microseconds
}

/// An index that may be absent, in few bytes: the engine keeps several for each key.
extension UInt16? {
  @inline(__always)
  var position: Int? { map { Int($0) } }
}
