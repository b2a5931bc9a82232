import Debounce

/// The lines that tell what had been learned of the device; see ``RecordingText``.
///
/// ```
/// # usual hold: 0.082000
/// # learned: 001e -0.002500 873
/// # learned: 001f 0.000500 1000 0.062000
/// # learned: 0020 0.000000 - 0.062000
/// # reset: 1.250000 001e
/// ```
extension RecordingParser {
  /// Reads what follows `# usual hold:`.
  mutating func readUsualHold(
    _ cursor: LineCursor, _ start: LineCursor
  ) throws(RecordingError) {
    var cursor = cursor
    try expectNoEvent(start)
    cursor.skipBlanks()
    guard let hold = cursor.seconds(), LearnedHabits.usualHolds.contains(hold), cursor.isAtComment()
    else { throw error(start, "how long keys are usually held, in seconds up to 10.000000") }
    habits.usualHold = hold
  }

  /// Reads what follows `# learned:`.
  mutating func readLearned(
    _ cursor: LineCursor, _ start: LineCursor
  ) throws(RecordingError) {
    var cursor = cursor
    try expectNoEvent(start)
    guard let code = cursor.hexadecimalField(UInt16.self), Int(code) < EventType.keyCount,
      let offset = signedSeconds(&cursor), LearnedHabits.offsets.contains(offset)
    else {
      throw error(
        start,
        "a key in hexadecimal, by how many seconds it is held longer (10.000000 at most), and for "
          + "how many presses it is bad, if it is")
    }
    var key = LearnedHabits.Key(code, offset: offset)
    if !cursor.isAtComment() {
      cursor.skipBlanks()
      if !cursor.take("-") {
        guard let presses = cursor.decimalField(), LearnedHabits.badPresses.contains(Int(presses))
        else { throw error(start, "for how many presses the key is bad, 0 to 1000000, or nothing") }
        key.badFor = Int(presses)
      }
    }
    if !cursor.isAtComment() {
      cursor.skipBlanks()
      guard let reach = cursor.seconds(), LearnedHabits.reaches.contains(reach) else {
        throw error(start, "after how many seconds its late bounces came, up to 10.000000")
      }
      key.reach = reach
    }
    if !cursor.isAtComment() {
      guard let late = cursor.decimalField(), LearnedHabits.lateDropOuts.contains(Int(late)),
        cursor.isAtComment()
      else { throw error(start, "how many late drop-outs it has shown, 0 to 1000000, or nothing") }
      key.lateDropOuts = Int(late)
    }
    guard habits.keys.last.map({ $0.code < code }) ?? true else {
      throw error(start, "each key once, in the order of their codes")
    }
    habits.keys.append(key)
  }

  /// Reads what follows `# reset:`.
  func readReset(_ cursor: LineCursor, _ start: LineCursor) throws(RecordingError) -> Entry {
    var cursor = cursor
    cursor.skipBlanks()
    guard let time = cursor.seconds() else { throw error(start, "a time in seconds, as 12.345678") }
    if cursor.isAtComment() { return .reset(nil, at: time) }
    guard let code = cursor.hexadecimalField(UInt16.self), Int(code) < EventType.keyCount,
      cursor.isAtComment()
    else { throw error(start, "a key in hexadecimal, or nothing") }
    return .reset(code, at: time)
  }

  private func signedSeconds(_ cursor: inout LineCursor) -> Microseconds? {
    cursor.skipBlanks()
    let isNegative = cursor.take("-")
    return cursor.seconds().map { isNegative ? -$0 : $0 }
  }

  private func expectNoEvent(_ start: LineCursor) throws(RecordingError) {
    if hasBegun {
      throw error(start, "what was known before the first event only in front of it")
    }
  }
}
