import Debounce

/// Reads the tables of one file, and collects what is wrong with them.
///
/// It continues after a mistake, so that all of them are shown at once. What is wrong yields `nil` or is left out.
struct TableReader {
  /// How many problems of a file are shown. With more, it is another kind of file.
  private static let mostFindings = 200

  private struct Finding {
    let severity: Problem.Severity
    let kind: Problem.Kind
    let range: Range<Int>
    let message: String
  }

  /// What the file mentions.
  var mentions = Mentions()
  /// What stands on keys where that is something else than their names say.
  var labels: @Sendable () -> [KeyCode: String] = { [:] }

  private var found: [Finding] = []
  private let document: TOMLDocument

  init(_ document: TOMLDocument) {
    self.document = document
  }

  var file: String { document.file }

  /// What is wrong, in the order of the file.
  var findings: [Problem] {
    // A stable order: the tables are read by name.
    let inOrder = found.enumerated().sorted { left, right in
      (left.element.range.lowerBound, left.offset) < (right.element.range.lowerBound, right.offset)
    }.map(\.element)
    let problems = inOrder.prefix(Self.mostFindings).map { finding in
      Problem(
        finding.kind, severity: finding.severity, file: file,
        place: document.source.place(of: finding.range), message: finding.message)
    }
    let rest = inOrder.dropFirst(Self.mostFindings)
    guard !rest.isEmpty else { return problems }
    let isError = rest.contains { $0.severity == .error }
    let more = Problem(
      .file, severity: isError ? .error : .warning, file: file, message: "and \(rest.count) more")
    return problems + [more]
  }
}

// MARK: - Reporting what is wrong

extension TableReader {
  /// Which part of an item is wrong.
  enum Part {
    case name
    case value
  }

  /// Reports that something is wrong with a part of an item.
  mutating func report(
    _ kind: Problem.Kind, _ part: Part, of item: TOMLItem, severity: Problem.Severity = .error,
    _ message: String
  ) {
    found.append(
      Finding(severity: severity, kind: kind, range: range(of: part, in: item), message: message))
  }

  /// Reports a name that is not known.
  ///
  /// - Parameter expected: What is expected, in words; the known names themselves if `nil`.
  mutating func report(
    unknown item: TOMLItem, what: String, known: [String], expected: String? = nil
  ) {
    report(
      .unknownName, .name, of: item,
      "unknown \(what) \(quoted(item.name)); expected \(expected ?? Self.list(known))"
        + Self.suggestion(for: item.name, among: known))
  }

  /// Reports a name in the wrong place.
  mutating func report(misplaced item: TOMLItem, expected place: String) {
    report(
      .misplaced, .name, of: item,
      "\(quoted(item.name)) does not belong here; expected it in \(place)")
  }

  /// Where an item stands.
  func place(_ part: Part, of item: TOMLItem) -> SourcePlace? {
    document.source.place(of: range(of: part, in: item))
  }

  private func range(of part: Part, in item: TOMLItem) -> Range<Int> {
    switch part {
    case .name: item.nameRange
    case .value: item.valueRange
    }
  }

  static func list(_ names: [String], _ conjunction: String = "or") -> String {
    guard names.count > 1, let last = names.last else { return names.first ?? "nothing" }
    return names.dropLast().joined(separator: ", ") + " \(conjunction) " + last
  }

  static func suggestion(for name: String, among known: [String]) -> String {
    Spelling.nearest(to: name, among: known).map { "; did you mean “\($0)”?" } ?? ""
  }
}

/// A text from a file, quoted in a message: only as much of it as is needed to find it.
func quoted(_ text: String) -> String {
  text.count > 60 ? "“\(text.prefix(59))…”" : "“\(text)”"
}

// MARK: - Tables

extension TableReader {
  /// The tables of the file.
  ///
  /// - Parameters:
  ///   - known: The tables that may stand in it.
  ///   - elsewhere: Where a name belongs that has no place at the top of this file; `nil` if nowhere.
  mutating func tables(
    known: [String], elsewhere: (String) -> String?
  ) -> [String: TOMLItem] {
    guard case .table(let tables) = document.root.value else { return [:] }
    for (name, item) in tables.sorted(by: { $0.key < $1.key }) where !known.contains(name) {
      if let place = elsewhere(name) {
        report(misplaced: item, expected: place)
      } else {
        let headers = Self.list(known.map { $0 == "groups" ? "[[groups]]" : "[\($0)]" })
        report(
          unknown: item, what: item.isTable ? "table" : "name", known: known,
          expected: item.isTable ? headers : "the tables \(headers)")
      }
    }
    return tables
  }

  /// The entries of a table; none if it is not a table.
  mutating func entries(of item: TOMLItem) -> [(key: String, item: TOMLItem)] {
    guard case .table(let entries) = item.value else {
      mismatch(item, expected: "a table")
      return []
    }
    return entries.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// The elements of a list; none if it is not a list.
  mutating func elements(of item: TOMLItem, expected: String) -> [TOMLItem] {
    guard case .array(let elements) = item.value else {
      mismatch(item, expected: expected)
      return []
    }
    return elements
  }
}

// MARK: - Values

extension TableReader {
  /// Reports a value that is not what it should be.
  mutating func mismatch(
    _ item: TOMLItem, expected: String, kind: Problem.Kind = .wrongValue
  ) {
    report(kind, .value, of: item, "\(subject(item)) is \(item.description); expected \(expected)")
  }

  /// What an item is called in a message.
  private func subject(_ item: TOMLItem) -> String {
    item.isElement ? "an element of \(quoted(item.name))" : quoted(item.name)
  }

  /// A time in milliseconds, from 0 on; fractions are allowed.
  ///
  /// - Parameters:
  ///   - shortest: The shortest time that makes sense, in microseconds: whoever called finds out about shorter ones.
  ///   - longest: The longest time that may be given, in microseconds.
  ///   - danger: What a longer one would do.
  mutating func milliseconds(
    _ item: TOMLItem, from shortest: Microseconds = 0,
    upTo longest: Microseconds = StrategyParameter.usualTimes.upperBound,
    danger: String = StrategyParameter.usualReason
  ) -> Microseconds? {
    let longest = Double(longest) / 1000
    let number: Double
    switch item.value {
    case .integer(let value): number = Double(value)
    case .number(let value): number = value
    case .string(let text):
      let meant = Self.milliseconds(in: text)
      mismatch(
        item,
        expected: "a number of milliseconds"
          + (meant.map { ", without quotation marks or unit: \(Self.text($0))" } ?? ""))
      return nil
    default:
      mismatch(item, expected: "a number of milliseconds")
      return nil
    }
    if number > 0, number < 1 {
      report(
        .hardlyMeant, .value, of: item, severity: .warning,
        "\(subject(item)) is \(item.description), less than a millisecond; write "
          + "\(Self.text((number * 1000).rounded())) if that was meant in seconds")
    }
    guard number >= 0, number <= longest else {
      let reason = number < 0 ? ": no time is negative" : number > longest ? ": " + danger : ""
      mismatch(
        item, expected: "milliseconds from \(shortest / 1000) to \(Int(longest))\(reason)",
        kind: .outOfRange)
      return nil
    }
    return Microseconds((number * 1000).rounded())
  }

  /// A count.
  ///
  /// - Parameters:
  ///   - unit: What is counted, such as “of seconds”.
  ///   - few: Why fewer make no sense.
  ///   - many: Why more make no sense.
  mutating func count(
    _ item: TOMLItem, _ unit: String? = nil, in range: ClosedRange<Int>, few: String, many: String
  ) -> Int? {
    let number = ["a whole number", unit].compactMap(\.self).joined(separator: " ")
    let expected = "\(number) from \(range.lowerBound) to \(range.upperBound)"
    guard case .integer(let value) = item.value else {
      mismatch(item, expected: expected)
      return nil
    }
    guard range.contains(value) else {
      mismatch(
        item, expected: "\(expected): \(value < range.lowerBound ? few : many)", kind: .outOfRange)
      return nil
    }
    return value
  }

  mutating func flag(_ item: TOMLItem) -> Bool? {
    guard case .boolean(let value) = item.value else {
      mismatch(item, expected: "true or false")
      return nil
    }
    return value
  }

  mutating func string(_ item: TOMLItem, expected: String) -> String? {
    guard case .string(let value) = item.value else {
      mismatch(item, expected: expected)
      return nil
    }
    return value
  }

  /// A number in milliseconds that stands in a string, perhaps with its unit.
  static func milliseconds(in text: String) -> Double? {
    let number = text.prefix { $0.isNumber || $0 == "." }
    let unit = text.dropFirst(number.count).drop { $0 == " " }
    guard let value = Double(number), let factor = units[unit] else { return nil }
    return (value * factor * 1000).rounded() / 1000
  }

  /// The units of times, in milliseconds.
  private static let units: [Substring: Double] = [
    "": 1, "ms": 1, "msec": 1, "milliseconds": 1, "s": 1000, "sec": 1000, "seconds": 1000,
    "us": 0.001, "µs": 0.001,
  ]

  /// A number as people write it.
  static func text(_ number: Double) -> String {
    Int(exactly: number).map { "\($0)" } ?? "\(number)"
  }

  /// A string that is one of the names of a type.
  mutating func name<Name: RawRepresentable & CaseIterable>(
    _ item: TOMLItem, _: Name.Type, what: String
  ) -> Name? where Name.RawValue == String {
    let names = Name.allCases.map(\.rawValue)
    let expected = "a \(what): \(Self.list(names))"
    guard
      let text = string(
        item, expected: expected + Self.suggestion(for: item.description, among: names))
    else { return nil }
    guard let name = Name(rawValue: text) else {
      report(
        .unknownName, .value, of: item,
        "unknown \(what) \(quoted(text)); expected \(Self.list(names))"
          + Self.suggestion(for: text, among: names))
      return nil
    }
    return name
  }

  /// A key by its name, which is the item's own or its value.
  mutating func key(named name: String, _ part: Part, of item: TOMLItem) -> KeyCode? {
    if let code = KeyNames.code(named: name) { return code }
    // Looking for it takes a while, and it would not be shown.
    let isShown = found.count < Self.mostFindings
    let advice =
      Self.noKeys.first { name.contains($0.sign) }.map { "; \($0.advice)" }
      ?? (isShown ? KeyNames.nearest(to: name, labels: name.count == 1 ? labels() : [:]) : nil).map
    {
      "; did you mean “\($0)”?"
    }
    report(
      .unknownKey, part, of: item,
      "unknown key \(quoted(name)); expected a name from libevdev, such as KEY_E or BTN_LEFT"
        + (advice ?? ""))
    return nil
  }

  /// What is written in place of a key and is none, by what the name contains.
  private static let noKeys: [(sign: String, advice: String)] = [
    ("+", chordAdvice),
    ("REL_", "a wheel or a knob has the table [wheel]: reversal = 80"),
    ("ABS_", "sticks and touchpads are not debounced"),
  ]

  /// What to do for a chord.
  static let chordAdvice = "one key each; for a chord, a remapper after keydebounce does that"

  /// Keys that are named in a list.
  ///
  /// - Parameter repeated: The message about a key that has been named before.
  mutating func keys(
    of list: TOMLItem, expected: String, repeated: (String) -> String, seen: inout Set<KeyCode>
  ) -> [Mentions.Key] {
    var keys: [Mentions.Key] = []
    for element in elements(of: list, expected: expected) {
      guard let name = string(element, expected: "the name of a key"),
        let code = key(named: name, .value, of: element)
      else { continue }
      if !seen.insert(code).inserted {
        report(.repeatedKey, .value, of: element, repeated(quoted(name)))
      }
      keys.append(.init(code: code, name: name, place: place(.value, of: element)))
    }
    return keys
  }
}
