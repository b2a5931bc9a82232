/// The meanings of one key's strokes: a single press, a double press and a long press each emit a key of their own.
///
/// The engine decides on clean strokes, after the key's strategy and its group, by the times at which their edges are emitted.
/// It emits whole strokes: a press at the decision, and its release with the finger's, or at once where the finger is up.
///
/// ```
///            |◀────── within ──────▶|
///  key     ──┐   ┌───────────────────────       the second press has not come: single
///  emitted   └───┘                  S
///
///  key     ──┐   ┌───────┐      ┌────────       it has: double, held for as long as the finger holds it
///  emitted   └───┘       └──────┘
///                        D──────
///
///            |◀────────── after ──────────▶|
///  key     ──┐                                ┌─     the key is still down: hold
///  emitted   └────────────────────────────────┘
///                                          H──
///
///  key     ──┐                      |  ┌───────      hold is possible: decided at the release, not at `within`
///  emitted   └─────────────────────────┘
///                                      S
/// ```
///
/// At most one key of a device is undecided: the press of any other key decides it, as a single press.
public struct Meanings: Equatable, Sendable {
  /// The key that a single press emits.
  public var single: KeyCode
  /// The key that a double press emits; `nil` if it means two single ones.
  public var double: KeyCode?
  /// The key that a long press emits; `nil` if it means a single one.
  public var hold: KeyCode?
  /// The longest time from the first press of a double press to the second, in microseconds.
  public var within: Microseconds
  /// The time after which a press is a long one, in microseconds.
  public var after: Microseconds
  /// Whether a single press is emitted at once, so that a double press emits its key in addition. For keys without ``hold``.
  public var isEager: Bool
  /// A press that comes sooner than this after the release is no second one: the first stroke goes on. In microseconds.
  ///
  /// A key that is ``isEager`` emits nothing then, until it is pressed anew: its single press has ended with the release.
  public var shortestGap: Microseconds

  public init(
    single: KeyCode, double: KeyCode? = nil, hold: KeyCode? = nil,
    within: Microseconds = packagedWithin, after: Microseconds = packagedAfter,
    isEager: Bool = false, shortestGap: Microseconds = Strategy.packagedThreshold
  ) {
    self.single = single
    self.double = double
    self.hold = hold
    self.within = within
    self.after = after
    self.isEager = isEager
    self.shortestGap = shortestGap
  }
}

/// A meaning that strokes may have.
public enum Meaning: String, Sendable, CaseIterable {
  /// One press that is neither of the others.
  case single
  /// Two presses in a short time.
  case double
  /// A press that lasts.
  case hold
}

extension Meanings {
  /// The times that hold where the configuration gives none.
  public static let packagedWithin: Microseconds = 250_000
  public static let packagedAfter: Microseconds = 500_000

  /// Whether a single press is known for one as soon as it comes.
  package var isDecidedAtOnce: Bool { isEager || double == nil && hold == nil }

  /// These meanings with times that the engine can calculate with, and without a contradiction.
  var limited: Meanings {
    var limited = self
    limited.within = within.limited
    limited.after = after.limited
    limited.shortestGap = shortestGap.limited
    // An eager press has gone out as a single one before it can become a long one.
    if isEager { limited.hold = nil }
    return limited
  }
}

extension Rules {
  /// The keys that meanings can emit.
  public var meantKeys: KeySet {
    KeySet(meanings.values.flatMap { [$0.single, $0.double, $0.hold].compactMap(\.self) })
  }
}

// MARK: - In the engine

/// The engine's memory of keys that have ``Meanings``, and of the keys that are emitted for them.
struct MeaningStates: Sendable {
  /// One key with meanings.
  struct Row: Sendable {
    /// The meanings of the key's strokes; `nil` if they mean the key itself.
    var meanings: Meanings?
    /// The meanings from the next stroke on. A stroke that follows an undecided one still has the old ones.
    var next: Meanings?
    /// The key whose press the stroke in hand has emitted.
    var emitted: KeyCode?
  }

  /// A stroke that is not decided yet, or that was single at once and may become the first of two.
  struct Undecided: Sendable {
    let key: KeyCode
    let row: Int
    /// Its possible meanings.
    let rule: Meanings
    /// When its press was emitted by the strategy.
    let start: Microseconds
    /// When the switch last opened, once the key is up; the gap before a second press counts from then.
    var released: Microseconds?
    /// The time of its decision, if no edge comes before.
    var deadline: Microseconds
  }

  var rows: ContiguousArray<Row> = []
  /// How many keys of the device hold each key of the clone.
  var holders: ContiguousArray<UInt16> = []
  /// The one key that is undecided, if any is.
  var undecided: Undecided? {
    didSet { deadline = undecided?.deadline ?? .max }
  }
  /// The deadline of that key; never if none is undecided.
  private(set) var deadline = Microseconds.max
  /// Whether events were lost: nothing is known of when keys moved, and presses are single ones at once.
  var isCorrecting = false
}

/// The way from a clean edge to the clone. Keys with ``Meanings`` emit what their strokes mean, others themselves.
extension Debouncer {
  /// Adds what a clean edge means to the frame in hand; `raw` is when the switch moved.
  @inline(never)
  mutating func interpret(_ event: Event, scan: Int32?, raw: Microseconds) {
    let (key, down) = (event.code, event.value != 0)
    if down, let other = meanings.undecided?.key, other != key { decideSingle() }
    guard let row = keys[Int(key)].meaning.position else {
      return move(key, down: down, scan: scan)
    }
    if down {
      press(key, row, scan: scan, raw: raw)
    } else {
      release(key, row, scan: scan, raw: raw)
    }
  }

  // MARK: The finger

  private mutating func press(_ key: KeyCode, _ row: Int, scan: Int32?, raw: Microseconds) {
    if let first = meanings.undecided, let released = first.released {
      if raw - released < first.rule.shortestGap { return goOn(first) }
      if let double = first.rule.double {
        meanings.undecided = nil
        return begin(.double, double, of: key, row, since: first.start)
      }
    }
    meanings.rows[row].meanings = meanings.rows[row].next
    guard let rule = meanings.rows[row].meanings else {
      meanings.rows[row].emitted = key
      return move(key, down: true, scan: scan)
    }
    if rule.isDecidedAtOnce || meanings.isCorrecting {
      begin(.single, rule.single, of: key, row, since: now)
    }
    guard !meanings.isCorrecting, rule.double != nil || rule.hold != nil else { return }
    meanings.undecided = MeaningStates.Undecided(
      key: key, row: row, rule: rule, start: now,
      deadline: now + (rule.hold == nil ? rule.within : rule.after))
  }

  /// The press came too soon after the release for a finger: no second one.
  private mutating func goOn(_ first: MeaningStates.Undecided) {
    meanings.undecided?.released = nil
    let end = max(first.start + first.rule.after, now)
    if first.rule.hold != nil { meanings.undecided?.deadline = end }
    report(.continued, of: Int(first.key), isPress: true)
  }

  private mutating func release(_ key: KeyCode, _ row: Int, scan: Int32?, raw: Microseconds) {
    if let emitted = meanings.rows[row].emitted {
      meanings.rows[row].emitted = nil
      // The key's own scan code is of no use to another key.
      let isPlain = meanings.rows[row].meanings == nil
      move(emitted, down: false, scan: isPlain ? scan : nil)
    }
    guard let first = meanings.undecided, first.key == key else { return }
    let end = first.start + first.rule.within
    meanings.undecided?.released = raw
    meanings.undecided?.deadline = end
    if first.rule.double == nil || now > end { decideSingle() }
  }

  // MARK: Decisions

  /// Decides on the stroke in hand, whose deadline has come.
  @inline(never)
  mutating func fireMeaning() {
    guard let first = meanings.undecided else { return }
    clock.now = first.deadline
    guard first.released == nil, let hold = first.rule.hold else { return decideSingle() }
    meanings.undecided = nil
    endFrame()
    begin(.hold, hold, of: first.key, first.row, since: first.start)
    endFrame()
  }

  /// Takes the stroke in hand for a single press: it is neither the first of two nor a long one.
  mutating func decideSingle() {
    guard let first = meanings.undecided else { return }
    meanings.undecided = nil
    if first.rule.isEager { return }
    // The events of the frame in hand came before.
    endFrame()
    begin(.single, first.rule.single, of: first.key, first.row, since: first.start)
    endFrame()
    guard first.released != nil else { return }
    meanings.rows[first.row].emitted = nil
    move(first.rule.single, down: false, scan: nil)
    endFrame()
  }

  /// Emits the press of the key that a stroke means.
  private mutating func begin(
    _ meaning: Meaning, _ emitted: KeyCode, of key: KeyCode, _ row: Int, since start: Microseconds
  ) {
    meanings.rows[row].emitted = emitted
    report(.meant(meaning, emitted), of: Int(key), isPress: true, edge: start)
    move(emitted, down: true, scan: nil)
  }

  /// Presses or releases a key of the clone, not of the device as `KeyState.move` does. One that several keys hold is down for as
  /// long as any of them holds it.
  private mutating func move(_ key: KeyCode, down: Bool, scan: Int32?) {
    let index = Int(key)
    let holders = meanings.holders[index]
    if down {
      meanings.holders[index] = holders + 1
    } else {
      guard holders > 0 else { return }
      meanings.holders[index] = holders - 1
    }
    if holders == (down ? 0 : 1) { output.append(.key(key, down: down), scan: scan) }
  }
}

// MARK: - Rules

extension Debouncer {
  /// New meanings hold for a key from its next stroke on. If a stroke of it is undecided, they hold from the one after.
  mutating func adopt(meanings rules: [KeyCode: Meanings]) {
    guard hasMeanings || !rules.isEmpty else { return }
    if !hasMeanings {
      meanings.holders = ContiguousArray(repeating: 0, count: EventType.keyCount)
      for index in keys.indices where keys[index].isHeld { meanings.holders[index] = 1 }
      hasMeanings = true
    }
    for row in meanings.rows.indices { meanings.rows[row].next = nil }
    for (key, rule) in rules.sorted(by: { $0.key < $1.key }) where Int(key) < keys.count {
      let index = Int(key)
      var limited = rule.limited
      // Codes that no kernel knows cannot be emitted.
      limited.single = rule.single < EventType.keyCount ? rule.single : key
      limited.double = rule.double.flatMap { $0 < EventType.keyCount ? $0 : nil }
      limited.hold = limited.hold.flatMap { $0 < EventType.keyCount ? $0 : nil }
      if keys[index].meaning == nil {
        keys[index].meaning = UInt16(meanings.rows.count)
        meanings.rows.append(MeaningStates.Row(emitted: keys[index].isHeld ? key : nil))
      }
      if let row = keys[index].meaning.position { meanings.rows[row].next = limited }
    }
  }

  /// Whether a stroke has ended of which nothing was emitted yet, because a second one may follow.
  var hasUndecidedStroke: Bool {
    meanings.undecided.map { $0.released != nil && !$0.rule.isEager } ?? false
  }
}
