/// Whether a machine is typing on the device: a bar code scanner, a macro, an expander of text.
///
/// ```
///   A   ──P─R──────────        two lone strokes of different keys below 33 ms each, without a pause of 40 ms:
///   B   ─────────P─R───        a machine's. Until a pause, an overlap or a longer hold nothing is suspicious, and
///                              what was swallowed is delivered, in order
///
///   A   ──P─R─P─R──────|──     a stroke of short contacts only may be several: its end waits for 40 ms, and the
///   B   ───────────P···|──     next keys' presses wait behind it. A held contact proves it one stroke; a second
///                              short stroke of another key, or contacts as even as a machine's, prove it several
/// ```
///
/// No finger types so. Everything about machines is here, in ``MergedStrokes`` and in the engine's `restore`: without them the
/// rule is what it is for people.
struct MachineTyping: Equatable, Sendable {
  /// Whether a machine is typing now.
  private(set) var isTyping = false
  /// Whether one has typed since the last stroke of a finger.
  private(set) var wasTyping = false
  /// How many strokes it has begun since it was known for a machine; no more than ``enough``.
  private var strokes = 0
  /// Whether a burst was so long, ever since the device is there, that no hand can have made it.
  private(set) var isCertain = false

  /// After how many strokes in one burst that is so.
  private static let enough = 3
  /// The key of the last lone short stroke.
  private var tap: KeyCode?
  /// How many keys are down, without modifiers.
  private var down = 0
  /// When the device last sent an edge, and when a modifier last moved.
  private var lastEdge = KeyState.never
  private(set) var lastModifier = KeyState.never

  /// Receives that a key moves.
  @inline(__always)
  mutating func move(at time: Microseconds, pause: Microseconds) {
    if time - lastEdge >= pause {
      isTyping = false
      tap = nil
    }
    lastEdge = time
  }

  /// Receives that the machine that is typing begins a stroke.
  mutating func type() {
    strokes += 1
    if strokes >= Self.enough { isCertain = true }
  }

  /// Receives that a modifier moves.
  mutating func moveModifier(at time: Microseconds) {
    lastModifier = time
  }

  /// Receives that a key goes down that is no modifier.
  @inline(__always)
  mutating func press() {
    if down > 0 { isTyping = false }
    down += 1
  }

  /// Receives that a key comes up that is no modifier.
  ///
  /// - Parameter isShort: Whether its contact was a machine's rather than a finger's.
  /// - Returns: Whether this shows a machine.
  @inline(__always)
  mutating func release(_ key: KeyCode, isShort: Bool) -> Bool {
    down -= 1
    guard isShort else {
      isTyping = false
      wasTyping = false
      tap = nil
      return false
    }
    guard down <= 0 else {
      tap = nil
      return false
    }
    let isMachine = tap.map { $0 != key } ?? false
    if isMachine { begin() }
    tap = key
    return isMachine
  }

  /// A machine has shown itself.
  mutating func begin() {
    if !isTyping { strokes = 0 }
    isTyping = true
    wasTyping = true
  }

  /// Begins anew with so many keys down: events were lost.
  mutating func resynchronise(down: Int, at time: Microseconds) {
    isTyping = false
    tap = nil
    self.down = down
    lastEdge = time
  }
}

/// The short contacts that were taken for one stroke of a key, and may have been several.
struct MergedStrokes: Sendable {
  /// The most that are merged.
  static let most = 8

  /// The least and greatest contact and gap of those merged, in microseconds: all are short.
  private var contacts: (least: Int32, greatest: Int32) = (0, 0)
  private var gaps: (least: Int32, greatest: Int32) = (0, 0)

  private var mergedCount: UInt8 = 0
  /// Whether all contacts of the stroke were as short as a machine's.
  private(set) var isShort = true
  /// Whether the stroke's beginning was evidence of a bad switch, if a held contact proves that it is one stroke.
  var isHint = false

  /// How many strokes were merged into the one that goes on.
  @inline(__always)
  var count: Int { Int(mergedCount) }

  /// Whether the stroke may be several.
  @inline(__always)
  var mayBeSeveral: Bool { mergedCount > 0 && isShort }

  mutating func merge(contact: Microseconds, gap: Microseconds) {
    let (contact, gap) = (Int32(clamping: contact), Int32(clamping: gap))
    if mergedCount == 0 {
      contacts = (contact, contact)
      gaps = (gap, gap)
    } else {
      contacts = (min(contacts.least, contact), max(contacts.greatest, contact))
      gaps = (min(gaps.least, gap), max(gaps.greatest, gap))
    }
    mergedCount += 1
  }

  /// A contact was held: it is one stroke.
  @inline(__always)
  mutating func hold() {
    isShort = false
  }

  /// A contact was held, and the release after it undone: what was merged is forgotten.
  mutating func forget() {
    mergedCount = 0
    isShort = false
  }

  /// What was merged is delivered.
  mutating func restore() {
    mergedCount = 0
    isHint = false
  }

  /// Begins anew, with a stroke that is emitted.
  @inline(__always)
  mutating func begin() {
    mergedCount = 0
    isShort = true
    isHint = false
  }

  /// Ends with the stroke.
  @inline(__always)
  mutating func end() {
    mergedCount = 0
  }

  /// Whether the contacts, and the gaps between them, are as even as a machine's.
  ///
  /// - Parameter contact: One that comes after them.
  func isEven(with contact: Microseconds? = nil, within range: Microseconds) -> Bool {
    var (least, greatest) = (Microseconds(contacts.least), Microseconds(contacts.greatest))
    if let contact { (least, greatest) = (min(least, contact), max(greatest, contact)) }
    return greatest - least <= range
      && Microseconds(gaps.greatest) - Microseconds(gaps.least) <= range
  }
}

extension Adaptive {
  /// A shorter contact may be a machine's stroke.
  @inline(__always)
  var shortContact: Microseconds { 33 * millisecond }
  /// What ends a machine's typing, and how long the end of a stroke of short contacts waits.
  @inline(__always)
  var pause: Microseconds { 40 * millisecond }
  /// Contacts, and gaps, of a machine differ by no more.
  private var evenness: Microseconds { 8 * millisecond }

  /// Whether what was merged into the key's stroke was meant, now that the stroke ends.
  func isSeveral(_ key: KeyState, _ machine: MachineTyping) -> Bool {
    let merged = key.adaptive.merged
    guard merged.mayBeSeveral else { return false }
    return machine.wasTyping
      || merged.count >= 2 && merged.isEven(with: key.edge - key.start, within: evenness)
  }

  /// Whether so many contacts follow each other that they were meant, though the stroke goes on.
  func isManyStrokes(_ merged: MergedStrokes) -> Bool {
    merged.count >= MergedStrokes.most
      || merged.count >= 5 && merged.isEven(within: evenness)
  }

  /// Whether the contact that ends now and the stroke before it are two strokes of a machine.
  func isSecondStroke(
    _ contact: Microseconds, of key: KeyState, _ machine: MachineTyping
  ) -> Bool {
    guard let lastShort = key.adaptive.lastShort else { return false }
    let last = Microseconds(lastShort)
    guard contact < shortContact, last < shortContact else { return false }
    return abs(last - contact) <= evenness || machine.wasTyping
  }

  /// Until when a press waits that comes at the time `time`, behind strokes that may be several.
  ///
  /// - Parameters:
  ///   - deadline: The latest deadline of these.
  ///   - edge: When the latest of these ended.
  func hold(
    at time: Microseconds, deadline: Microseconds, edge: Microseconds
  ) -> Microseconds {
    max(deadline, min(time + shortContact, edge + pause + 2 * shortContact))
  }
}
