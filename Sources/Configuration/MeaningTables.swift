import Debounce

/// What the strokes of a key mean: `single`, `double`, `hold`, `within`, `after` and `eager` in an entry of `[keys]`.
extension TableReader {
  /// The names of all that can be given for it.
  static let meaningNames = ["single", "double", "hold", "within", "after", "eager"]

  /// Which entries of a key's table are about what its strokes mean.
  ///
  /// `within` is a parameter of `adaptive`, too: it is one of these where another of these stands beside it.
  static func meaningNames(of item: TOMLItem) -> [String] {
    guard case .table(let table) = item.value else { return [] }
    let names = meaningNames.filter { table[$0] != nil }
    return names == ["within"] ? [] : names
  }

  /// Reads what the strokes of a key mean; `nil` if nothing is given, or nothing that makes sense.
  ///
  /// - Parameters:
  ///   - code: The key; `nil` if its name is not known.
  ///   - choice: The strategy that decides on it.
  mutating func meanings(
    of item: TOMLItem, _ code: KeyCode?, _ choice: StrategyChoice
  ) -> Meanings? {
    guard case .table(let table) = item.value, !Self.meaningNames(of: item).isEmpty else {
      return nil
    }
    // All are read, so that all mistakes are shown.
    let single = table["single"].flatMap { meantKey($0) }
    let double = table["double"].flatMap { meantKey($0) }
    let hold = table["hold"].flatMap { meantKey($0) }
    let within = table["within"].flatMap { time($0, in: Meanings.withinLimits) }
    let after = table["after"].flatMap { time($0, in: Meanings.afterLimits) }
    let isEager = table["eager"].flatMap { flag($0) } ?? false
    reportWhatIsLonely(table, isEager: isEager)
    guard let code else { return nil }
    var meanings = Meanings(
      single: single ?? code, double: double, hold: hold,
      isEager: isEager, shortestGap: choice.shortestGap)
    // Its threshold is how long a press must last, and says nothing of gaps.
    if choice.kind.name == "slow-keys" { meanings.shortestGap = Strategy.packagedThreshold }
    if let within { meanings.within = within }
    if let after { meanings.after = after }
    compare(meanings, of: code, named: item.name, table)
    checkTime(meanings, table, choice)
    return meanings
  }

  private mutating func meantKey(_ item: TOMLItem) -> KeyCode? {
    guard let name = string(item, expected: "the name of a key") else { return nil }
    return key(named: name, .value, of: item)
  }

  private mutating func time(
    _ item: TOMLItem, in limits: ClosedRange<Microseconds>
  ) -> Microseconds? {
    guard
      let time = milliseconds(
        item, from: limits.lowerBound, upTo: limits.upperBound,
        danger: "nobody waits for a key that long")
    else { return nil }
    guard time >= limits.lowerBound else {
      mismatch(
        item,
        expected: "milliseconds from \(limits.lowerBound / 1000) to \(limits.upperBound / 1000): "
          + "no finger is so fast", kind: .outOfRange)
      return nil
    }
    return time
  }

  /// Reports what is about a meaning that the key does not have.
  private mutating func reportWhatIsLonely(_ table: [String: TOMLItem], isEager: Bool) {
    if let item = table["within"], table["double"] == nil {
      report(
        .badMeaning, .name, of: item,
        "“within” is how soon the second press of a double press comes, and there is no “double”; "
          + "expected both")
    }
    if let item = table["after"], table["hold"] == nil {
      report(
        .badMeaning, .name, of: item,
        "“after” is how long a long press lasts, and there is no “hold”; expected both")
    }
    guard isEager, let item = table["eager"] else { return }
    if table["double"] == nil {
      report(
        .badMeaning, .name, of: item,
        "“eager” lets a single press pass before it is known whether a second one follows, and "
          + "there is no “double”; expected both, or neither")
    }
    if table["hold"] != nil {
      report(
        .badMeaning, .name, of: item,
        "“eager” lets a single press pass at once, before it can be known to be a long one; "
          + "expected “eager” or “hold”, not both")
    }
  }

  /// Reports meanings that are no different from each other.
  private mutating func compare(
    _ meanings: Meanings, of key: KeyCode, named name: String, _ table: [String: TOMLItem]
  ) {
    for (meaning, word) in [("double", "double"), ("hold", "long")] {
      guard let item = table[meaning], case .string(let emitted) = item.value,
        KeyNames.code(named: emitted) == meanings.single
      else { continue }
      report(
        .badMeaning, .value, of: item,
        "a \(word) press of \(quoted(name)) would emit \(quoted(emitted)), as a single one does; "
          + "expected another key" + (table["single"] == nil ? ", or “single” with another" : ""))
    }
    if let item = table["single"], case .string(let emitted) = item.value,
      KeyNames.code(named: emitted) == key
    {
      report(
        .badMeaning, .value, of: item, severity: .warning,
        "a single press of \(quoted(name)) emits \(quoted(emitted)) anyway: “single” is not needed")
    }
  }

  /// Reports a `within` in which no second press can come.
  private mutating func checkTime(
    _ meanings: Meanings, _ table: [String: TOMLItem], _ choice: StrategyChoice
  ) {
    let shortest = choice.shortestGap
    guard let double = table["double"], meanings.within <= shortest else { return }
    let least = "\(shortest / 1000) ms"
    report(
      .badMeaning, .name, of: table["within"] ?? double,
      "the second press of a double press must come within \(meanings.within / 1000) ms of the "
        + "first, and the key's threshold lets none count within \(least); expected "
        + "“within” of more than \(least), or a smaller “threshold”")
  }
}
