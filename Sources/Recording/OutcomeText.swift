import Debounce

/// What one who watches the daemon receives besides the raw and the clean events; see ``RecordingText``.
///
/// ```
/// # outcome: 4210.133790 001e down 4210.133790 waits 4210.158790
///            when it was decided, the key, which edge, when that came, and what became of it
/// # lost: 4210.158790 12 001e 002a
///            when, how many lines are missing here, and the keys that are down now
/// ```
///
/// What became of an edge, as in ``Debounce/Outcome/Kind``:
///
/// ```
/// passed                    waits UNTIL               withdrawn REMOVAL WITH    taken REMOVAL [DELIVERED]
/// duplicate                 repeated                  postponed UNTIL           emitted
/// vanished [REMOVAL]        restored REMOVAL          reclassified REMOVAL      corrected
/// meant MEANING KEY         continued                 learned                   forgot
/// ```
///
/// `UNTIL`, `WITH` and `DELIVERED` are times, `REMOVAL` is as `press-bounce`, `MEANING` is `single`, `double` or `hold`.
extension RecordingText {
  /// Adds what became of edges.
  public mutating func append(_ outcomes: borrowing OutcomeLog) {
    // By index: a loop over the elements would retain the array.
    for index in outcomes.outcomes.indices { append(outcomes.outcomes[index]) }
  }

  /// Adds what became of an edge.
  public mutating func append(_ outcome: Outcome) {
    // Time may begin here.
    let start = outcome.time - elapsed(outcome.time)
    bytes.appendLine { line in
      line.append("# outcome: ")
      line.append(seconds: outcome.time - start)
      line.append(UInt8(ascii: " "))
      line.append(hexadecimal: outcome.key)
      line.append(outcome.isPress ? " down " : " up ")
      line.append(seconds: outcome.edge - start)
      line.append(outcome.kind, since: start)
    }
  }

  /// Adds that lines are missing here.
  ///
  /// - Parameters:
  ///   - lines: How many; 0 if what follows is the beginning.
  ///   - held: The keys that are down when what follows begins.
  public mutating func appendLoss(of lines: Int, held: KeySet, at time: Microseconds) {
    bytes.append("# lost: ")
    bytes.append(seconds: elapsed(time))
    bytes.append(UInt8(ascii: " "))
    bytes.append(UInt64(max(0, lines)), digits: 1)
    for key in held {
      bytes.append(UInt8(ascii: " "))
      bytes.append(hexadecimal: key)
    }
    bytes.append(UInt8(ascii: "\n"))
  }
}

extension LineText {
  /// Appends what became of an edge.
  ///
  /// - Parameter start: Since when times count.
  fileprivate mutating func append(_ kind: Outcome.Kind, since start: Microseconds) {
    switch kind {
    case .passed: append(" passed")
    case .waits(let until): append(" waits ", until - start)
    case .withdrawn(let removal, let partner):
      append(" withdrawn ", removal)
      append(" ", partner - start)
    case .taken(let removal, let delivery):
      append(" taken ", removal)
      if let delivery { append(" ", delivery - start) }
    case .duplicate: append(" duplicate")
    case .repeated: append(" repeated")
    case .postponed(let until): append(" postponed ", until - start)
    case .emitted: append(" emitted")
    case .vanished(let removal):
      append(" vanished")
      if let removal { append(" ", removal) }
    case .restored(let removal): append(" restored ", removal)
    case .reclassified(let removal): append(" reclassified ", removal)
    case .corrected: append(" corrected")
    case .meant(let meaning, let key):
      append(" meant ")
      append(text: meaning.rawValue)
      append(UInt8(ascii: " "))
      append(hexadecimal: key)
    case .continued: append(" continued")
    case .learned: append(" learned")
    case .forgot: append(" forgot")
    }
  }

  private mutating func append(_ words: StaticString, _ time: Microseconds) {
    append(words)
    append(seconds: time)
  }

  private mutating func append(_ words: StaticString, _ removal: Removal) {
    append(words)
    append(text: removal.rawValue)
  }
}
