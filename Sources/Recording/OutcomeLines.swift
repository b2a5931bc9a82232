import Debounce

/// Reads the lines `# outcome:` and `# lost:`; see `OutcomeText.swift`.
extension RecordingParser {
  /// Reads what follows `# outcome:`.
  func readOutcome(_ cursor: LineCursor, _ start: LineCursor) throws(RecordingError) -> Entry {
    var cursor = cursor
    guard let time = cursor.secondsField(), let key = cursor.keyField(),
      let edge = cursor.word(), edge == "down" || edge == "up",
      let came = cursor.secondsField(), let word = cursor.word()
    else {
      throw error(
        start, "a time, a key in hexadecimal, “down” or “up”, when that was, and what became of it")
    }
    guard let kind = kind(word, &cursor), cursor.isAtComment() else {
      throw error(start, "what became of the edge, as “passed” or “waits 12.345678”")
    }
    return .outcome(
      Outcome(key: key, isPress: edge == "down", edge: came, time: time, kind: kind))
  }

  private func kind(_ word: String, _ cursor: inout LineCursor) -> Outcome.Kind? {
    switch word {
    case "passed": return .passed
    case "waits": return cursor.secondsField().map { .waits(until: $0) }
    case "withdrawn":
      guard let removal = cursor.removal(), let partner = cursor.secondsField() else { return nil }
      return .withdrawn(removal, with: partner)
    case "taken":
      guard let removal = cursor.removal() else { return nil }
      if cursor.isAtComment() { return .taken(removal, deliveredAt: nil) }
      return cursor.secondsField().map { .taken(removal, deliveredAt: $0) }
    case "duplicate": return .duplicate
    case "repeated": return .repeated
    case "postponed": return cursor.secondsField().map { .postponed(until: $0) }
    case "emitted": return .emitted
    case "vanished":
      if cursor.isAtComment() { return .vanished(nil) }
      return cursor.removal().map { .vanished($0) }
    case "restored": return cursor.removal().map { .restored($0) }
    case "reclassified": return cursor.removal().map { .reclassified($0) }
    case "corrected": return .corrected
    case "meant":
      guard let meaning = cursor.word().flatMap({ Meaning(rawValue: $0) }),
        let key = cursor.keyField()
      else { return nil }
      return .meant(meaning, key)
    case "continued": return .continued
    case "learned": return .learned
    case "forgot": return .forgot
    default: return nil
    }
  }

  /// Reads what follows `# lost:`. Frames in hand have lost their ends.
  mutating func readLoss(_ cursor: LineCursor, _ start: LineCursor) throws(RecordingError) -> Entry
  {
    var cursor = cursor
    guard let time = cursor.secondsField(), let lines = cursor.decimalField(), lines >= 0 else {
      throw error(start, "a time, how many lines are missing, and the keys that are down")
    }
    var held = KeySet()
    while !cursor.isAtComment() {
      guard let key = cursor.keyField() else { throw error(start, "keys in hexadecimal") }
      held.insert(key)
    }
    dropFramesInHand()
    return .lost(lines: Int(lines), held: held, at: time)
  }
}

extension LineCursor {
  fileprivate mutating func secondsField() -> Microseconds? {
    skipBlanks()
    return seconds()
  }

  fileprivate mutating func keyField() -> KeyCode? {
    hexadecimalField(UInt16.self).flatMap { Int($0) < EventType.keyCount ? $0 : nil }
  }

  fileprivate mutating func removal() -> Removal? { word().flatMap { Removal(rawValue: $0) } }
}
