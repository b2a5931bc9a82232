/// Who types on the device: fingers, or a machine, such as a bar code scanner, a macro or an expander of text.
///
/// ```
///   A   ──P─R──────────        two lone strokes of different keys below 33 ms each, without a pause of 40 ms:
///   B   ─────────P─R───        a machine's. Until a pause, an overlap or a longer hold nothing is suspicious, and
///                              what was withdrawn is delivered, in order
///
///   A   ──P─R───────────────────P─R──      three lone short strokes, not all of one key, with less than 150 ms between
///   B   ─────────────P─R─────────────      edges: a slow machine's. Its pause is 150 ms
///
///   A   ──P─R─P─R──────|──     a stroke of short contacts only may be several: its end waits for 40 ms, and the
///   B   ───────────P···|──     next keys' presses wait behind it. A held contact proves it one stroke; a machine
///                              that has typed, or contacts as even as a machine's, prove it several
/// ```
///
/// A stroke is *lone* if its key had rested for 40 ms: a bounce never is. No finger types so, except on keys that are surely
/// bad, whose contacts are short: where one of these is among them, three different keys are needed in either case, and a
/// contact of 24 ms or more of such a key is a finger's. Unless a machine has typed since the last stroke of a finger.
struct MachineTyping: Sendable {
  /// Whether nothing suggests a machine. Most strokes leave it so.
  private var isCalm = true
  /// Whether a machine is typing now.
  private(set) var isTyping = false
  /// Whether one has typed since the last stroke of a finger.
  private(set) var wasTyping = false
  /// Whether the one that is typing is slow.
  private var isSlow = false
  /// Whether one burst since the device came was longer than a hand can make it.
  private(set) var isCertain = false
  /// How many strokes the machine has begun since it was known for one; no more than ``enough``.
  private var strokes = 0

  /// The keys of the lone short strokes in a row, until a pause; and until a pause of a slow machine, and how many these are.
  private(set) var fastTaps = TappedKeys()
  private(set) var slowTaps = TappedKeys()
  private var taps = 0
  /// How many keys are down, without modifiers.
  private var down = 0
  /// When the device last sent an edge, and when a modifier last moved.
  private var lastEdge = KeyState.never
  var lastModifier = KeyState.never

  /// After how many strokes in one burst it is certain that a machine types.
  private static let enough = 3
  /// How many lone short strokes in a row are a slow machine's.
  private static let enoughTaps = 3

  /// Receives that a key moves.
  @inline(__always)
  mutating func move(at time: Microseconds, _ rule: Adaptive) {
    let quiet = time - lastEdge
    lastEdge = time
    guard quiet >= rule.pause, !isCalm else { return }
    if quiet >= rule.slowPause { (isSlow, taps) = (false, 0) }
    if !isSlow { isTyping = false }
    fastTaps = TappedKeys()
  }

  /// Receives that the machine that is typing begins a stroke.
  mutating func type() {
    strokes += 1
    if strokes >= Self.enough { isCertain = true }
  }

  /// Receives that a key goes down that is no modifier.
  @inline(__always)
  mutating func press() {
    // Strokes that overlap are a finger's.
    if down > 0, !isCalm { (isTyping, isSlow, taps) = (false, false, 0) }
    down += 1
  }

  /// Receives that a key comes up that is no modifier; returns whether it is the only one, and its contact may be a machine's.
  @inline(__always)
  mutating func release(isShort: Bool) -> Bool {
    down -= 1
    guard isShort else {
      if !isCalm {
        (isCalm, wasTyping) = (true, false)
        stop()
      }
      return false
    }
    if down > 0 { fastTaps = TappedKeys() }
    return down <= 0
  }

  private mutating func stop() {
    (isTyping, isSlow) = (false, false)
    forgetTaps()
  }

  /// Takes the last short strokes for a finger's.
  mutating func forgetTaps() {
    fastTaps = TappedKeys()
    taps = 0
  }

  /// Receives a lone short stroke.
  mutating func tap(_ key: KeyCode) {
    isCalm = false
    fastTaps.insert(key)
    if taps == 0 { slowTaps = TappedKeys() }
    slowTaps.insert(key)
    taps = min(taps + 1, Self.enoughTaps)
  }

  /// Whether a slow machine may have made the lone short strokes in a row, and is not known yet.
  var mayBeSlow: Bool { taps >= Self.enoughTaps && !isSlow }

  /// Receives that a machine has shown itself, and whether it is a slow one.
  mutating func begin(slowly: Bool = false) {
    if !isTyping { strokes = 0 }
    (isCalm, isTyping, wasTyping) = (false, true, true)
    if slowly { isSlow = true }
  }

  /// Begins anew with so many keys down: events were lost.
  mutating func resynchronise(down: Int, at time: Microseconds) {
    stop()
    self.down = down
    lastEdge = time
  }
}

/// The different keys of strokes in a row, as far as it matters which: one, two, or more.
struct TappedKeys: Sendable {
  private var (first, second): (KeyCode?, KeyCode?)
  private(set) var areOfThree = false

  var areOfSeveral: Bool { second != nil }

  mutating func insert(_ key: KeyCode) {
    guard let first else { return first = key }
    guard key != first else { return }
    if let second { areOfThree = areOfThree || key != second } else { second = key }
  }

  func contains(where isMeant: (KeyCode) -> Bool) -> Bool {
    first.map(isMeant) == true || second.map(isMeant) == true
  }
}
