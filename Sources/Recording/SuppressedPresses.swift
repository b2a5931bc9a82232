import Debounce

/// A press that the switch reported and that was not passed on.
public struct Suppression: Equatable, Sendable {
  /// When the switch reported the press.
  public let time: Microseconds
  public let key: KeyCode
  /// Why it was not.
  public internal(set) var kind: Removal
  /// From the key's release before to the press; `nil` if the recording does not have that release.
  public let gap: Microseconds?
  /// From the press to the switch's next release of the key; `nil` if the recording ends before it.
  public internal(set) var hold: Microseconds?

  public init(
    time: Microseconds, key: KeyCode, kind: Removal, gap: Microseconds?, hold: Microseconds?
  ) {
    (self.time, self.key, self.kind, self.gap) = (time, key, kind, gap)
    self.hold = hold
  }
}

/// A stroke of a key with meanings, or two of them, and what it was taken for.
public struct TakenStroke: Equatable, Sendable {
  /// When the stroke began, as its strategy emitted it.
  public let start: Microseconds
  /// When this was decided.
  public let time: Microseconds
  /// The key that a finger pressed.
  public let key: KeyCode
  public let meaning: Meaning
  /// The key that was emitted for it.
  public let emitted: KeyCode

  init(_ outcome: Outcome, _ meaning: Meaning, _ emitted: KeyCode) {
    (start, time, key) = (outcome.edge, outcome.time, outcome.key)
    (self.meaning, self.emitted) = (meaning, emitted)
  }
}

/// The presses that the engine reports as removed, each with the gap before it and its hold.
///
/// A press is listed once nothing can change about it any more: when an edge of its key is passed on, or at the end.
struct SuppressedPresses {
  /// Those that were listed since ``removeListed()``.
  private(set) var listed: [Suppression] = []

  private var keys: [KeyCode: Key] = [:]

  fileprivate struct Key {
    /// When the switch moved the last three times, the latest first; `nil` where that is not known.
    var last: Microseconds?
    var secondLast: Microseconds?
    var thirdLast: Microseconds?
    /// Presses whose hold, kind or fate may still change.
    var open: [Suppression] = []
  }

  mutating func removeListed() {
    listed.removeAll(keepingCapacity: true)
  }

  /// Adds what the engine has reported.
  mutating func add(_ outcomes: some Sequence<Outcome>) {
    for outcome in outcomes { keys[outcome.key, default: Key()].add(outcome, to: &listed) }
  }

  /// Lists what there is: events were lost, or nothing more comes.
  ///
  /// - Parameter moved: The keys that are not as the last events said. When they moved is not known.
  mutating func end(moved: KeySet = KeySet()) {
    for code in keys.keys.sorted() { keys[code]?.list(in: &listed) }
    for code in moved { keys[code, default: Key()].last = nil }
  }
}

extension SuppressedPresses.Key {
  fileprivate mutating func add(_ outcome: Outcome, to listed: inout [Suppression]) {
    switch outcome.kind {
    case .passed:
      move(outcome)
      list(in: &listed)
    case .waits: move(outcome)
    case .withdrawn(let removal, let partner):
      move(outcome)
      if outcome.isPress {
        remove(outcome, as: removal)
      } else {
        // The press before it vanishes.
        open.append(
          Suppression(
            time: partner, key: outcome.key, kind: removal, gap: thirdLast.map { partner - $0 },
            hold: outcome.edge - partner))
      }
    case .suppressed(let removal, _):
      move(outcome)
      if outcome.isPress { remove(outcome, as: removal) }
    case .vanished(let removal?): remove(outcome, as: removal)
    case .restored: open.removeAll { $0.time == outcome.edge }
    case .reclassified(let removal):
      if let index = open.lastIndex(where: { $0.time == outcome.edge }) {
        open[index].kind = removal
      }
    case .emitted, .corrected: list(in: &listed)
    case .vanished(nil), .postponed, .duplicate, .repeated, .learned, .forgot, .meant, .continued:
      break
    }
  }

  /// Notes that the switch has moved.
  private mutating func move(_ outcome: Outcome) {
    if !outcome.isPress, let index = open.indices.last, open[index].hold == nil {
      open[index].hold = outcome.edge - open[index].time
    }
    (thirdLast, secondLast, last) = (secondLast, last, outcome.edge)
  }

  /// Notes that a press is removed which is the last that the switch did.
  private mutating func remove(_ press: Outcome, as removal: Removal) {
    open.append(
      Suppression(
        time: press.edge, key: press.key, kind: removal, gap: secondLast.map { press.edge - $0 },
        hold: nil))
  }

  fileprivate mutating func list(in listed: inout [Suppression]) {
    listed += open
    open.removeAll(keepingCapacity: true)
  }
}
