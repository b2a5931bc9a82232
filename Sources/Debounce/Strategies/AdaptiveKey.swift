/// The memory of ``Adaptive`` of one key, besides the times that every key has: its usual hold, the evidence on its switch,
/// and the contacts of the stroke in hand.
///
/// A device has hundreds of these, so short lengths take four bytes, and larger fields come first.
struct AdaptiveKey: Sendable {
  /// By how much the key is held longer than usual on its device.
  var offset: Microseconds = 0
  var evidence = Evidence()
  var stroke = Contacts()
  var run = EvenRun()

  /// How long the key had been up before it last went down.
  var rest = Microseconds.max
  /// The gap before its last press, from which that was judged.
  var gap = Microseconds.max
  /// When its last release came that went out.
  var settled = KeyState.never
  /// The hold of the last stroke in microseconds, if it was a single short contact.
  var lastShort: Int32?
  /// Why its release waits, if it does.
  var ending = Ending.ordinary
}

/// How the stroke ended whose release now waits.
enum Ending: Sendable {
  /// The key is bad, or may be: the release waits for a drop-out to end, if it waits at all.
  case ordinary
  /// It was so short that its beginning may have bounced.
  case veryShort
  /// It ended early, beside a bad key.
  case borderline
}

// MARK: - What is usual

/// A finger's usual hold: how long keys are held on this device, and how much longer or shorter this key.
///
/// ```
///   holds     ──┌── 82 ──┐─────┌──── 96 ────┐──      the device's usual hold moves by 1 ms towards each hold,
///   usual 90            89                 90        the key's offset from it by ½ ms: running medians
///
///   taps      ──┌─ 40 ─┐────┌─ 40 ─┐────┌─ 40 ─┐──   tapped fast, no more is usual than half the time from
///               |    70     |                        press to press
/// ```
///
/// “Very short”, “early” and the waits all scale with it: a finger that taps 14 times a second is not
/// taken for a bounce, and on a key that is always held long a drop-out is recognised sooner.
struct UsualHold: Sendable {
  /// The usual hold before anything is learned. The waits are meant for it.
  static let packaged: Microseconds = 90_000
  /// By how much the usual hold of the device, and that of the key, moves with each stroke.
  private static let (step, stepOfKey): (Microseconds, Microseconds) = (1000, 500)

  /// The usual hold on the device.
  private(set) var hold = packaged

  /// How long this key is held at least if its stroke is an ordinary one.
  @inline(__always)
  func expectedHold(of key: KeyState) -> Microseconds {
    max(0, min(hold + key.adaptive.offset, (key.pressed - key.before) / 2))
  }

  /// The part of a wait that is left where a hold of that length is expected.
  func scaled(_ wait: Microseconds, to expectedHold: Microseconds) -> Microseconds {
    let unit = Self.packaged
    guard expectedHold < unit else { return wait }
    // In two parts, as the product of a long wait might be too large.
    return wait / unit * expectedHold + wait % unit * expectedHold / unit
  }

  /// Learns from the hold of a stroke.
  @inline(__always)
  mutating func learn(_ hold: Microseconds, of key: inout KeyState) {
    let usual = self.hold
    key.adaptive.offset += hold > usual + key.adaptive.offset ? Self.stepOfKey : -Self.stepOfKey
    self.hold += hold > usual ? Self.step : -Self.step
  }
}

// MARK: - Evidence

/// The evidence on a key's switch: whether it is bad, and for how long that holds.
///
/// ```
///  (a)   P──R P────────── …       a very short stroke that goes on, and proves one stroke: its beginning bounced
///  (b)   … ─────R P──R            a press that waited and was let go, too soon after a release for a finger
///  (c)   … ─────R P────────       a press that waited and lasted, after a gap that no finger makes, too soon after a press
///  (d)   P──R P──────────         a healthy key's early release that waited beside a bad key, and was undone
///  (e)   … ─────R    P─R          a contact far shorter than a finger's, soon after the key's release
///  (f)   P─────────────R P── …    six times a gap that fingers hardly make, late in a hold; a finger's gap takes one off
///
///   evidence ──▶ bad for the next `within` presses: its releases wait for drop-outs
///                  ▲
///                  └── each suspicious press that lasts, as a finger's does, takes 50 presses off, and each
///                      withdrawn "drop-out" that a finger may have made takes 100
/// ```
///
/// A switch without contacts never bounces, and its key comes back within milliseconds as a matter of course. Where the last
/// ``enough`` suspicious presses have all lasted, without any evidence between them, the key is taken to have such a
/// switch: its suspicious presses pass at once, until there is evidence.
///
/// Small gaps alone prove nothing: a finger that holds long and comes back fast makes one now and then, and so does a
/// receiver that delivers late. What gives a fault away is the time from press to press, or a gap that no finger makes.
struct Evidence: Sendable {
  /// Up to which of the key's presses the switch is taken for bad, if it is.
  private(set) var end: Int64 = 0
  /// The longest gap after which a late bounce of the key came.
  var reach: Microseconds = 0
  /// How many drop-outs late in a hold it has shown, less the gaps of fingers among them.
  private(set) var lateDropOuts: Int32 = 0
  /// How many suspicious presses have lasted since there was evidence, or since one did not last.
  var lasted: UInt8 = 0
  /// Whether the switch is taken for bad.
  private(set) var isBad = false
  /// How many pieces of evidence there were since it was taken for bad; no more than ``sure``.
  private(set) var pieces: UInt8 = 0

  /// So many suspicious presses last on a key without contacts. If it is played so, they are most of its first 30 presses.
  static let enough: UInt8 = 20
  /// After how many pieces of evidence there is no doubt.
  static let sure: UInt8 = 3
  /// How many late drop-outs are evidence.
  private static let enoughLateDropOuts: Int32 = 6
  /// How many presses a suspicious press takes off if it lasts. A withdrawn gap that may be a finger's takes off twice as
  /// many.
  private static let forgiven: Int64 = 50

  /// Whether the switch, if it is taken for bad, surely is.
  var isSure: Bool { pieces >= Self.sure }
  /// Whether the switch is taken for one without contacts.
  var isContactless: Bool { lasted >= Self.enough }
  /// Whether the switch drops out late in a hold: then a withdrawn gap says nothing for it.
  var hasLateDropOuts: Bool { lateDropOuts >= Self.enoughLateDropOuts }

  /// For how many more presses the switch is taken for bad; `nil` if it is not, or if the evidence has run out and that has
  /// not been noticed yet.
  func remaining(afterPress presses: Int64) -> Int? {
    isBad && end >= presses ? Int(end - presses) : nil
  }

  /// Takes the switch for a good one again.
  mutating func forget() {
    isBad = false
    reach = 0
  }

  /// Notes a piece of evidence. The caller has forgotten evidence that had run out.
  ///
  /// - Returns: Whether the switch was not taken for bad before, by name or by evidence.
  mutating func note(afterPress presses: Int64, within: Int64, isNamed: Bool) -> Bool {
    let isNew = !isBad && !isNamed
    pieces = isBad ? min(pieces + 1, Self.sure) : 1
    if isNew { isBad = true }
    lasted = 0
    end = max(end, presses + within)
    return isNew
  }

  /// Notes a gap late in a hold that fingers hardly make; returns whether there were so many that they are evidence.
  mutating func noteLateDropOut() -> Bool {
    lateDropOuts += 1
    return hasLateDropOuts
  }

  /// Notes that a suspicious press has lasted, as a finger's does.
  mutating func last() { lasted = min(lasted + 1, Self.enough) }

  /// Notes that a gap was a finger's.
  mutating func takeOffLateDropOut() { lateDropOuts = max(0, lateDropOuts - 1) }

  /// Has what a finger may have done speak for the switch.
  mutating func forgive(times: Int64 = 1) { extend(by: -times * Self.forgiven) }

  /// Receives that so many presses did not count.
  mutating func extend(by presses: Int64) { end += presses }
}

// MARK: - The stroke in hand

/// The contacts that were taken for one stroke of a key. As long as all are short, it may be several.
struct Contacts: Sendable {
  /// The least and greatest contact and gap of those taken together, in microseconds: all are short.
  private var lengths: (least: Int32, greatest: Int32) = (0, 0)
  private var gaps: (least: Int32, greatest: Int32) = (0, 0)

  private var merged: UInt8 = 0
  /// Whether all contacts of the stroke were as short as a machine's.
  var isShort = true
  /// Whether the stroke's beginning is evidence of a bad switch, once a held contact proves that this is one stroke.
  var isHint = false

  /// How many strokes were merged into the one that goes on.
  @inline(__always)
  var count: Int { Int(merged) }

  /// Whether the stroke may be several.
  @inline(__always)
  var mayBeSeveral: Bool { merged > 0 && isShort }

  /// Takes the contact that has ended, and the one that begins, for one stroke.
  mutating func merge(_ contact: Microseconds, gap: Microseconds) {
    let (contact, gap) = (Int32(clamping: contact), Int32(clamping: gap))
    if merged == 0 {
      lengths = (contact, contact)
      gaps = (gap, gap)
    } else {
      lengths = (min(lengths.least, contact), max(lengths.greatest, contact))
      gaps = (min(gaps.least, gap), max(gaps.greatest, gap))
    }
    merged += 1
  }

  /// Takes all contacts for one stroke, and forgets what was merged.
  mutating func unite() {
    merged = 0
    isShort = false
  }

  /// Begins anew, with a stroke that is emitted.
  @inline(__always)
  mutating func begin() {
    merged = 0
    isShort = true
    isHint = false
  }

  /// Forgets what was merged: it is delivered, or ends with the stroke.
  @inline(__always)
  mutating func end() { merged = 0 }

  /// Whether the contacts, and one that may come after them, are as even as a machine's, and so are the gaps between them.
  func areEven(with contact: Microseconds? = nil, isBad: Bool, _ rule: Adaptive) -> Bool {
    var (least, greatest) = (Microseconds(lengths.least), Microseconds(lengths.greatest))
    if let contact { (least, greatest) = (min(least, contact), max(greatest, contact)) }
    let (leastGap, greatestGap) = (Microseconds(gaps.least), Microseconds(gaps.greatest))
    if isBad, least + leastGap < rule.fastestMachine { return false }
    return least >= rule.shortestMachine && greatest - least <= rule.evenness(from: least)
      && greatestGap - leastGap <= rule.evenness(from: leastGap)
  }
}

/// Contacts of one length in a row, each after a rest and never a held one: so a knob or a turbo button drives a key.
///
/// ```
///   ──┌┐────┌┐────┌┐────┌┐────┌┐────┌┐────┌┐────┌┐──     eight of 4 to 33 ms within 8 ms of each other, over 300 ms or
///                                                        more, at most one in 25 ms: nothing of it is suspicious
/// ```
struct EvenRun: Sendable {
  /// When the first of them ended.
  private var start: Microseconds = 0
  private var shortest: Int32 = 0
  private var longest: Int32 = 0
  private var count: Int32 = 0
  /// Whether the key is driven by a machine.
  private(set) var isDriven = false

  /// Whether the last contact was of a run.
  var hasBegun: Bool { count > 0 }

  /// Receives that a contact of that length has ended, and how long the key had been up before it.
  mutating func receive(
    _ contact: Microseconds, after rest: Microseconds, at time: Microseconds, _ rule: Adaptive
  ) {
    let contact = Int32(clamping: contact)
    let isOfRun =
      contact >= rule.shortestDriven && contact < rule.shortContact && rest >= rule.driverRest
      && (count == 0
        || Microseconds(max(longest, contact) - min(shortest, contact)) <= rule.pollingEvenness)
    guard isOfRun else {
      self = EvenRun()
      return
    }
    if count == 0 { (start, shortest, longest) = (time, contact, contact) }
    (shortest, longest) = (min(shortest, contact), max(longest, contact))
    if count < .max { count += 1 }
    isDriven =
      count >= rule.drivenContacts && !rule.isNamed
      && time - start >= max(rule.driverLasts, Microseconds(count) * rule.driverPeriod)
  }
}

// MARK: - What may prove meant

/// Strokes that the engine withdrew as chatter, with what it needs to deliver them if they prove meant.
///
/// Room is set aside at once, so that no event has to ask for more.
struct WithdrawnStrokes: Sendable {
  /// So many pairs of one stroke are remembered at most.
  static let most = 32
  /// So many keys at once may have a stroke that is several: more than hands tap. The stroke of a further key is one.
  static let mostKeys = 8

  /// A release and the press after it, which were withdrawn together.
  struct Pair: Sendable {
    var release: Microseconds = 0
    var press: Microseconds = 0
    /// The scan codes that they came with.
    var releaseScan: Int32?
    var pressScan: Int32?
    /// The press's kind of chatter.
    var removal = Removal.dropOut
  }

  /// The key of each row. A key may need its row no more.
  private(set) var keys: ContiguousArray<KeyCode> = []
  private var pairs: ContiguousArray<Pair> = []

  init() {
    keys.reserveCapacity(Self.mostKeys)
    pairs.reserveCapacity(Self.mostKeys * Self.most)
  }

  /// Gives a key a row: one of those that there are, or the next one.
  mutating func give(row: Int, to key: KeyCode) {
    guard row == keys.count else { return keys[row] = key }
    keys.append(key)
    pairs.append(contentsOf: repeatElement(Pair(), count: Self.most))
  }

  /// One of a row's pairs, of which there are ``most``.
  subscript(row: Int, index: Int) -> Pair {
    get { pairs[row * Self.most + index] }
    set { pairs[row * Self.most + index] = newValue }
  }
}
