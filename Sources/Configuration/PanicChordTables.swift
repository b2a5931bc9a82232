import Debounce

/// The panic chord in `[defaults]` and in `[device]`.
extension TableReader {
  private static let expectedChord = "a list of 2 to 5 different keys"

  /// Reads the keys of the chord; `nil` if they are not a chord.
  mutating func panicChord(_ item: TOMLItem) -> [Mentions.Key]? {
    if isOff(item) {
      report(
        .badChord, .value, of: item,
        "the panic chord cannot be switched off: it is the way out when the keyboard does not type "
          + "what it should; expected \(Self.expectedChord)")
      return nil
    }
    guard case .array(let elements) = item.value else {
      mismatch(item, expected: Self.expectedChord)
      return nil
    }
    if elements.count < 2 {
      report(
        .badChord, .value, of: item,
        "a panic chord of one key would end the daemon whenever that is pressed; expected "
          + Self.expectedChord)
    } else if elements.count > 5 {
      report(
        .badChord, .value, of: item,
        "a panic chord of \(elements.count) keys is more than can be relied on to be held together; "
          + "expected \(Self.expectedChord)")
    }
    var seen: Set<KeyCode> = []
    let keys = keys(
      of: item, expected: Self.expectedChord,
      repeated: { "\($0) is already in the panic chord; expected \(Self.expectedChord)" },
      seen: &seen)
    return seen.count == elements.count && (2...5).contains(elements.count) ? keys : nil
  }

  /// Whether the value means that there should be none.
  private func isOff(_ item: TOMLItem) -> Bool {
    switch item.value {
    case .boolean(let flag): !flag
    case .array(let elements): elements.isEmpty
    case .string(let text): ["", "none", "off", "no", "false"].contains(text.lowercased())
    default: false
    }
  }
}
