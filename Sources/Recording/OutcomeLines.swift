import Debounce

/// The lines that the daemon adds for those who watch a device:
///
/// ```
/// # lost: 2.500000 12 001e 002a                        12 lines are missing; these keys are down now
/// # outcome: 2.610000 001e press 2.610000 waits 2.635000
/// # outcome: 2.613000 001e release 2.613000 withdrawn release-bounce 2.610000
/// # outcome: 2.790000 00a4 press 2.500000 meant double 00a3
/// ```
///
/// An outcome names the moment of the decision, the key, the edge and when it came, and what became of it.
extension RecordingText {
  /// The most keys that a line names: no hand holds more. So it is written whole, or not at all.
  public static let mostHeld = 127

  /// Adds that lines are missing here, because the reader was too slow.
  ///
  /// - Parameters:
  ///   - count: How many; 0 if what follows is the beginning.
  ///   - held: The keys that are down then; of more than ``mostHeld``, the first.
  public mutating func appendLoss(of count: Int, held: KeySet, at time: Microseconds) {
    let time = elapsed(time)
    bytes.appendLine { line in
      line.append("# lost: ")
      line.append(seconds: time)
      line.append(" ")
      line.append(UInt64(max(0, count)), digits: 1)
      var named = 0
      for key in held where named < Self.mostHeld {
        named += 1
        line.append(" ")
        line.append(hexadecimal: key)
      }
    }
  }

  /// Adds what became of edges. Allocates nothing while there is room.
  public mutating func append(_ outcomes: borrowing OutcomeLog) {
    // By index: a loop over the elements would retain the array.
    for index in outcomes.outcomes.indices { append(outcomes.outcomes[index]) }
  }

  public mutating func append(_ outcome: Outcome) {
    let (time, edge) = (elapsed(outcome.time), elapsed(outcome.edge))
    let words = OutcomeWords(outcome.kind)
    let other = words.time.map { elapsed($0) }
    bytes.appendLine { line in
      line.append("# outcome: ")
      line.append(seconds: time)
      line.append(" ")
      line.append(hexadecimal: outcome.key)
      line.append(outcome.isPress ? " press " : " release ")
      line.append(seconds: edge)
      line.append(" ")
      line.append(words.what)
      if let removal = words.removal {
        line.append(" ")
        line.append(text: removal.description)
      }
      if let (meaning, key) = words.meant {
        line.append(" ")
        line.append(text: meaning.rawValue)
        line.append(" ")
        line.append(hexadecimal: key)
      }
      if let other {
        line.append(" ")
        line.append(seconds: other)
      }
    }
  }
}

extension RecordingParser {
  /// Reads what follows `# lost:`.
  mutating func readLoss(_ cursor: LineCursor, _ start: LineCursor) throws(RecordingError) -> Entry
  {
    var cursor = cursor
    cursor.skipBlanks()
    var held = KeySet()
    guard let time = cursor.seconds(), let count = cursor.decimalField(), count >= 0 else {
      throw error(start, "a time in seconds, and how many lines are missing")
    }
    while !cursor.isAtComment() {
      guard let key = cursor.hexadecimalField(KeyCode.self), Int(key) < EventType.keyCount else {
        throw error(start, "the keys that are down, in hexadecimal")
      }
      held.insert(key)
    }
    dropFrames()
    return .lost(lines: Int(count), held: held, at: time)
  }

  /// Reads what follows `# outcome:`.
  func readOutcome(_ cursor: LineCursor, _ start: LineCursor) throws(RecordingError) -> Entry {
    var cursor = cursor
    cursor.skipBlanks()
    guard let time = cursor.seconds(), let key = cursor.hexadecimalField(KeyCode.self),
      Int(key) < EventType.keyCount, let isPress = cursor.takeEdge(),
      let edge = cursor.secondsField(), let kind = OutcomeWords.read(&cursor),
      cursor.isAtComment()
    else {
      throw error(
        start,
        "a time, a key in hexadecimal, press or release, when that came, and what became of it")
    }
    return .outcome(Outcome(key: key, isPress: isPress, edge: edge, time: time, kind: kind))
  }
}

/// What became of an edge, in the words of a recording.
private struct OutcomeWords {
  let what: StaticString
  var removal: Removal?
  var meant: (Meaning, KeyCode)?
  /// The time that belongs to it: until when it waits, or the edge with which it vanishes.
  var time: Microseconds?

  init(_ kind: Outcome.Kind) {
    switch kind {
    case .passed: what = "passed"
    case .waits(let until): (what, time) = ("waits", until)
    case .withdrawn(let removal, let partner):
      (what, self.removal, time) = ("withdrawn", removal, partner)
    case .suppressed(let removal, let delivery):
      (what, self.removal, time) = ("suppressed", removal, delivery)
    case .duplicate: what = "duplicate"
    case .repeated: what = "repeated"
    case .postponed(let until): (what, time) = ("postponed", until)
    case .emitted: what = "emitted"
    case .vanished(let removal): (what, self.removal) = ("vanished", removal)
    case .restored(let removal): (what, self.removal) = ("restored", removal)
    case .reclassified(let removal): (what, self.removal) = ("reclassified", removal)
    case .corrected: what = "corrected"
    case .meant(let meaning, let key): (what, meant) = ("meant", (meaning, key))
    case .continued: what = "continued"
    case .learned: what = "learned"
    case .forgot: what = "forgot"
    }
  }

  /// Reads them; `nil` if they are none.
  static func read(_ cursor: inout LineCursor) -> Outcome.Kind? {
    let single: [(StaticString, Outcome.Kind)] = [
      ("passed", .passed), ("duplicate", .duplicate), ("repeated", .repeated),
      ("emitted", .emitted), ("corrected", .corrected), ("continued", .continued),
      ("learned", .learned), ("forgot", .forgot),
    ]
    for (word, kind) in single where cursor.takeWord(word) { return kind }
    if cursor.takeWord("waits") { return cursor.secondsField().map { .waits(until: $0) } }
    if cursor.takeWord("postponed") { return cursor.secondsField().map { .postponed(until: $0) } }
    if cursor.takeWord("vanished") { return .vanished(cursor.takeRemoval()) }
    if cursor.takeWord("meant") {
      guard let meaning = cursor.takeOne(of: Meaning.allCases, \.rawValue) else { return nil }
      return cursor.hexadecimalField(KeyCode.self).map { .meant(meaning, $0) }
    }
    let isWithdrawn = cursor.takeWord("withdrawn")
    // “taken” in recordings of older versions.
    let isSuppressed = cursor.takeWord("suppressed") || cursor.takeWord("taken")
    let isRestored = cursor.takeWord("restored")
    guard isWithdrawn || isSuppressed || isRestored || cursor.takeWord("reclassified"),
      let removal = cursor.takeRemoval()
    else { return nil }
    if isWithdrawn { return cursor.secondsField().map { .withdrawn(removal, with: $0) } }
    if isSuppressed, cursor.isAtComment() { return .suppressed(removal, deliveredAt: nil) }
    if isSuppressed { return cursor.secondsField().map { .suppressed(removal, deliveredAt: $0) } }
    return isRestored ? .restored(removal) : .reclassified(removal)
  }
}

extension LineCursor {
  /// Reads a field that is this word; reads nothing if it is another.
  fileprivate mutating func takeWord(_ word: StaticString) -> Bool {
    let start = self
    skipBlanks()
    if take(word), isAtBoundary { return true }
    self = start
    return false
  }

  fileprivate mutating func takeEdge() -> Bool? {
    if takeWord("press") { return true }
    return takeWord("release") ? false : nil
  }

  fileprivate mutating func takeOne<Word>(of words: [Word], _ name: (Word) -> String) -> Word? {
    skipBlanks()
    let field = rest.prefix { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
    guard let word = words.first(where: { field.elementsEqual(name($0).utf8) }) else { return nil }
    for _ in field { _ = takeByte() }
    return word
  }

  fileprivate mutating func takeRemoval() -> Removal? {
    takeOne(of: Removal.allCases, \.description)
  }

  fileprivate mutating func secondsField() -> Microseconds? {
    skipBlanks()
    return seconds()
  }
}
