/// What a key has shown of its switch: whether it is bad, and for how long that holds.
///
/// ```
///  (a)   P──R P────────── …     a very short stroke that goes on: its beginning bounced
///  (b)   … ─────R P──R          a press that waited and was let go, too soon after a release for a finger
///  (c)   … ─────R P────────     a press that waited and lasted, after a gap that no finger makes
///  (d)   P──────R P──────────   a bad key's release that waited, and was undone: a drop-out
///
///   evidence ──▶ bad for the next `within` presses: its releases wait for drop-outs
///                  ▲
///                  └── renewed by each of these; (d) renews, and is evidence of itself only on a healthy key
/// ```
///
/// A switch without contacts never bounces, and its key comes back within milliseconds as a matter of course. Where the last
/// ``enough`` suspicious presses have all lasted, without any evidence between them, the key is taken to have such a
/// switch: a suspicious press passes at once, until one does not last or there is evidence.
///
/// ```
///   … R P──|───── R P──|─────   R P────────   R P──R        `enough` have lasted: from then on P passes at once.
///         lasts        lasts      passes        passes      One that is let go at once ends that, and is evidence (b).
/// ```
///
/// Small gaps alone prove nothing: a finger that holds long and comes back fast makes one now and then, and so does a
/// receiver that delivers late. What gives a fault away is the time from press to press, or a gap that no finger makes.
struct Evidence: Sendable {
  /// Up to which of the key's presses the switch is taken for bad, if it is.
  private(set) var end: Int64 = 0
  /// Whether the switch is taken for bad.
  private(set) var isBad = false

  /// How many suspicious presses must have lasted. On a key that is played so, these are most of its first 30 presses.
  static let enough: UInt8 = 20

  /// How many have lasted since one did not, or since there was evidence; no more than ``enough``.
  private var lasted: UInt8 = 0

  /// Whether the switch is taken for one without contacts.
  var isBeyondDoubt: Bool { lasted >= Self.enough }

  /// Notes that a suspicious press has lasted.
  mutating func last() {
    if !isBad, lasted < Self.enough { lasted += 1 }
  }

  /// Notes that one has not.
  mutating func vanish() { lasted = 0 }

  init() {}

  /// Evidence that holds for so many presses more.
  init(remaining: Int, afterPress presses: Int64) {
    isBad = true
    end = presses + Int64(remaining)
  }

  /// For how many more presses the switch is taken for bad; `nil` if it is not, or if the evidence has run out and that has
  /// not been noticed yet.
  func remaining(afterPress presses: Int64) -> Int? {
    isBad && end >= presses ? Int(end - presses) : nil
  }

  /// Whether the switch was taken for bad, and the evidence has run out.
  @inline(__always)
  func hasEnded(afterPress presses: Int64) -> Bool { isBad && end < presses }

  /// Takes the switch for good again.
  mutating func forget() { isBad = false }

  /// Notes a piece of evidence. What has run out must have been noticed.
  ///
  /// - Returns: Whether the switch was not taken for bad before.
  mutating func note(afterPress presses: Int64, within: Int) -> Bool {
    let isNew = !isBad
    isBad = true
    lasted = 0
    renew(afterPress: presses, within: within)
    return isNew
  }

  /// Receives that so many presses did not count.
  mutating func extend(by presses: Int64) { end += presses }

  /// Lets what is known hold for longer.
  mutating func renew(afterPress presses: Int64, within: Int) {
    end = max(end, presses + Int64(within))
  }
}

/// What an edge has changed in what is known of its key.
struct LearningChange: OptionSet {
  let rawValue: UInt8

  /// The evidence has run out.
  static let forgot = LearningChange(rawValue: 1)
  /// There is evidence that the switch is bad.
  static let learned = LearningChange(rawValue: 2)
}
