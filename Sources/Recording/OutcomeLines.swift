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
/// An outcome names the moment of the decision, the key, the edge, the edge's time, and the decision.
extension RecordingText {
  /// The most keys that a line names. No hand holds more. The limit keeps the line short enough to be written at once.
  static let mostHeld = 127

  /// Adds a note that lines are missing here, because the reader was too slow.
  ///
  /// - Parameters:
  ///   - count: The number of missing lines; 0 at the beginning.
  ///   - held: The keys that are down, of which the first ``mostHeld`` are named.
  public mutating func appendLoss(of count: Int, held: KeySet, at time: Microseconds) {
    let start = start(at: time)
    bytes.appendLine { line in
      line.append("# lost: ", seconds: time - start)
      line.append(" ", UInt64(max(0, count)))
      for key in held.prefix(Self.mostHeld) { line.append(" ", hexadecimal: key) }
    }
  }

  /// Adds outcomes of edges. Allocates nothing while there is room.
  public mutating func append(_ outcomes: borrowing ContiguousArray<Outcome>) {
    // The loop is over indices because one over elements would retain the array.
    for index in outcomes.indices { append(outcomes[index]) }
  }

  public mutating func append(_ outcome: Outcome) {
    let start = start(at: outcome.time)
    bytes.appendLine { line in
      line.append("# outcome: ", seconds: outcome.time - start)
      line.append(" ", hexadecimal: outcome.key)
      line.append(outcome.isPress ? " press " : " release ", seconds: outcome.edge - start)
      switch outcome.kind {
      case .passed: line.append(" passed")
      case .waits(let until): line.append(" waits ", seconds: until - start)
      case .withdrawn(let removal, let partnerTime):
        line.append(" withdrawn ", removal)
        line.append(" ", seconds: partnerTime - start)
      case .suppressed(let removal, let delivery):
        line.append(" suppressed ", removal)
        if let delivery { line.append(" ", seconds: delivery - start) }
      case .duplicate: line.append(" duplicate")
      case .repeated: line.append(" repeated")
      case .postponed(let until): line.append(" postponed ", seconds: until - start)
      case .emitted: line.append(" emitted")
      case .vanished(nil): line.append(" vanished")
      case .vanished(let removal?): line.append(" vanished ", removal)
      case .restored(let removal): line.append(" restored ", removal)
      case .reclassified(let removal): line.append(" reclassified ", removal)
      case .corrected: line.append(" corrected")
      case .meant(let meaning, let key):
        line.append(" meant ")
        line.append(text: meaning.rawValue)
        line.append(" ", hexadecimal: key)
      case .continued: line.append(" continued")
      case .learned: line.append(" learned")
      case .forgot: line.append(" forgot")
      }
    }
  }
}

extension LineText {
  fileprivate mutating func append(_ word: StaticString, _ removal: Removal) {
    append(word)
    append(text: removal.description)
  }
}

extension Outcome {
  private static let edges = ["press": true, "release": false]

  /// Reads the fields behind `# outcome:`.
  init(reading cursor: inout LineCursor) throws(BadLine) {
    guard let time = cursor.moment(), let key = cursor.key(),
      let isPress = Self.edges[cursor.word()], let edge = cursor.moment(),
      let kind = Kind(reading: &cursor), cursor.isAtComment()
    else {
      throw BadLine(
        expected:
          "a time, a key in hexadecimal, press or release, when that came, and what became of it")
    }
    self.init(key: key, isPress: isPress, edge: edge, time: time, kind: kind)
  }
}

extension Outcome.Kind {
  fileprivate init?(reading cursor: inout LineCursor) {
    let word = cursor.word()
    if word == "meant" {
      guard let meaning = Meaning(rawValue: cursor.word()), let key = cursor.key() else {
        return nil
      }
      self = .meant(meaning, key)
      return
    }
    var removal: Removal?
    var time = cursor.moment()
    if time == nil, !cursor.isAtComment() {
      let reason = cursor.word()
      removal = Removal.allCases.first { $0.description == reason }
      if removal == nil { return nil }
      time = cursor.moment()
    }
    switch (word, removal, time) {
    case ("passed", nil, nil): self = .passed
    case ("waits", nil, let until?): self = .waits(until: until)
    case ("withdrawn", let removal?, let partnerTime?):
      self = .withdrawn(removal, with: partnerTime)
    // Recordings of older versions say “taken”.
    case ("suppressed", let removal?, let delivery), ("taken", let removal?, let delivery):
      self = .suppressed(removal, deliveredAt: delivery)
    case ("duplicate", nil, nil): self = .duplicate
    case ("repeated", nil, nil): self = .repeated
    case ("postponed", nil, let until?): self = .postponed(until: until)
    case ("emitted", nil, nil): self = .emitted
    case ("vanished", let removal, nil): self = .vanished(removal)
    case ("restored", let removal?, nil): self = .restored(removal)
    case ("reclassified", let removal?, nil): self = .reclassified(removal)
    case ("corrected", nil, nil): self = .corrected
    case ("continued", nil, nil): self = .continued
    case ("learned", nil, nil): self = .learned
    case ("forgot", nil, nil): self = .forgot
    default: return nil
    }
  }
}
