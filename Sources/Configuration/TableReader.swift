import Debounce

/// Reads the tables of one file, and collects what is wrong with them.
///
/// It continues after a mistake, so that all of them are shown at once. What is wrong yields `nil` or is left out.
struct TableReader {
  /// How many problems of a file are shown. With more, it is another kind of file.
  private static let mostFindings = 200

  /// What the file mentions.
  var mentions = Mentions()
  /// What stands on keys where that is something else than their names say.
  var labels: @Sendable () -> [KeyCode: String] = { [:] }

  private typealias Finding = (
    kind: Problem.Kind, severity: Problem.Severity, range: Range<Int>, message: String
  )
  private var found: [Finding] = []
  private let document: TOMLDocument

  init(_ document: TOMLDocument) {
    self.document = document
  }

  var file: String { document.file }

  /// Whether more has been found than is shown. Looking for what was probably meant takes too long then.
  private var isFull: Bool { found.count >= Self.mostFindings }

  /// What is wrong, in the order of the file.
  var findings: [Problem] {
    // A stable order: the tables are read by name.
    let inOrder = found.enumerated().sorted { left, right in
      (left.element.range.lowerBound, left.offset) < (right.element.range.lowerBound, right.offset)
    }.map(\.element)
    let problems = inOrder.prefix(Self.mostFindings).map { finding in
      Problem(
        finding.kind, severity: finding.severity, file: file, place: place(of: finding.range),
        message: finding.message)
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
  /// Reports that a part of the file is wrong.
  mutating func report(
    _ kind: Problem.Kind, _ range: Range<Int>, severity: Problem.Severity = .error,
    _ message: String
  ) {
    found.append((kind, severity, range, message))
  }

  /// Reports that a part of the file is legal, and yet unwise.
  mutating func warn(_ kind: Problem.Kind, _ range: Range<Int>, _ message: String) {
    report(kind, range, severity: .warning, message)
  }

  /// Reports a name that may not stand where it does.
  ///
  /// - Parameters:
  ///   - known: The names that may.
  ///   - expected: The same in words, if not by these names.
  ///   - place: Where the name belongs; `nil` if nowhere.
  mutating func report(
    stranger item: TOMLItem, what: String = "name", known: [String], expected: String? = nil,
    belongsIn place: String?
  ) {
    if let place {
      report(
        .misplaced, item.nameRange,
        "\(quoted(item.name)) does not belong here; expected it in \(place)")
    } else {
      report(unknown: what, item.name, item.nameRange, known: known, expected: expected)
    }
  }

  private mutating func report(
    unknown what: String, _ name: String, _ range: Range<Int>, known: [String],
    expected: String? = nil
  ) {
    report(
      .unknownName, range,
      "unknown \(what) \(quoted(name)); expected \(expected ?? Self.list(known))"
        + (isFull ? "" : Self.suggestion(for: name, among: known)))
  }

  /// Reports a value that is not what it should be.
  mutating func mismatch(
    _ item: TOMLItem, expected: String, kind: Problem.Kind = .wrongValue
  ) {
    report(kind, item.valueRange, "\(subject(item)) is \(item.description); expected \(expected)")
  }

  /// What an item is called in a message.
  private func subject(_ item: TOMLItem) -> String {
    item.isElement ? "an element of \(quoted(item.name))" : quoted(item.name)
  }

  func place(of range: Range<Int>) -> SourcePlace { document.source.place(of: range) }

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

/// What may stand in a table: a name, and what becomes of its value.
struct Entry<Subject>: Sendable {
  let name: String
  let read: @Sendable (inout TableReader, TOMLItem, inout Subject) -> Void

  init(
    _ name: String, _ read: @escaping @Sendable (inout TableReader, TOMLItem, inout Subject) -> Void
  ) {
    (self.name, self.read) = (name, read)
  }

  /// The same entry where the subject is a part of another one.
  func of<Whole>(_ path: WritableKeyPath<Whole, Subject> & Sendable) -> Entry<Whole> {
    Entry<Whole>(name) { read(&$0, $1, &$2[keyPath: path]) }
  }
}

extension TableReader {
  /// The tables of the file.
  ///
  /// - Parameters:
  ///   - known: The tables that may stand in it.
  ///   - elsewhere: Where a name belongs that has no place at the top of this file; `nil` if nowhere.
  mutating func tables(
    known: [String], elsewhere: (String) -> String?
  ) -> [String: TOMLItem] {
    for (name, item) in document.root.entries where !known.contains(name) {
      let headers = Self.list(known.map { $0 == "groups" ? "[[groups]]" : "[\($0)]" })
      report(
        stranger: item, what: item.isTable ? "table" : "name", known: known,
        expected: item.isTable ? headers : "the tables \(headers)", belongsIn: elsewhere(name))
    }
    return document.root.entries
  }

  /// Reads a table whose entries these are.
  mutating func read<Subject>(
    _ table: TOMLItem, by known: [Entry<Subject>], into subject: inout Subject,
    elsewhere: (String) -> String?
  ) {
    let names = known.map(\.name)
    for (key, item) in entries(of: table) {
      if let entry = known.first(where: { $0.name == key }) {
        entry.read(&self, item, &subject)
      } else {
        let isAnothersWord = Spelling.usual(for: key, among: names) != nil
        report(stranger: item, known: names, belongsIn: isAnothersWord ? nil : elsewhere(key))
      }
    }
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
  /// A time in milliseconds; fractions are allowed.
  ///
  /// - Parameters:
  ///   - range: What may be given, in microseconds.
  ///   - tooShort: Why no shorter time makes sense, other than a negative one.
  ///   - tooLong: What a longer one would do.
  mutating func milliseconds(
    _ item: TOMLItem, in range: ClosedRange<Microseconds> = StrategyParameter.usualTimes,
    tooShort: String = "", tooLong: String = StrategyParameter.usualReason
  ) -> Microseconds? {
    let number: Double
    switch item.value {
    case .integer(let value): number = Double(value)
    case .number(let value): number = value
    default:
      var advice = ""
      if case .string(let text) = item.value, let meant = Self.milliseconds(in: text) {
        advice = ", without quotation marks or unit: \(Self.text(meant))"
      }
      mismatch(item, expected: "a number of milliseconds" + advice)
      return nil
    }
    if number > 0, number < 1 {
      warn(
        .hardlyMeant, item.valueRange,
        "\(subject(item)) is \(item.description), less than a millisecond; write "
          + "\(Self.text((number * 1000).rounded())) if that was meant in seconds")
    }
    let (least, most) = (Double(range.lowerBound) / 1000, Double(range.upperBound) / 1000)
    guard number >= least, number <= most else {
      // What is no number has no reason.
      let reason =
        number < 0
        ? "no time is negative" : number < least ? tooShort : number > most ? tooLong : ""
      mismatch(
        item,
        expected: "milliseconds from \(Int(least)) to \(Int(most))"
          + (reason.isEmpty ? "" : ": \(reason)"), kind: .outOfRange)
      return nil
    }
    return Microseconds((number * 1000).rounded())
  }

  /// A count.
  ///
  /// - Parameters:
  ///   - unit: What is counted, such as “ of seconds”.
  ///   - tooFew: Why fewer make no sense.
  ///   - tooMany: Why more make no sense.
  mutating func count(
    _ item: TOMLItem, _ unit: String = "", in range: ClosedRange<Int64>, tooFew: String,
    tooMany: String
  ) -> Int64? {
    let expected = "a whole number\(unit) from \(range.lowerBound) to \(range.upperBound)"
    guard case .integer(let value) = item.value else {
      mismatch(item, expected: expected)
      return nil
    }
    guard range.contains(Int64(value)) else {
      mismatch(
        item, expected: "\(expected): \(value < range.lowerBound ? tooFew : tooMany)",
        kind: .outOfRange)
      return nil
    }
    return Int64(value)
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
    let advice = Self.suggestion(for: item.description, among: names)
    guard let text = string(item, expected: "a \(what): \(Self.list(names))\(advice)") else {
      return nil
    }
    if let name = Name(rawValue: text) { return name }
    report(unknown: what, text, item.valueRange, known: names)
    return nil
  }

  /// A key by its name, which is the item's own or its value.
  mutating func key(named name: String, _ range: Range<Int>) -> KeyCode? {
    if let code = KeyNames.code(named: name) { return code }
    let advice =
      Self.noKeys.first { name.contains($0.sign) }.map { "; \($0.advice)" }
      ?? (isFull ? nil : KeyNames.nearest(to: name, labels: name.count == 1 ? labels() : [:]))
      .map { "; did you mean “\($0)”?" }
    report(
      .unknownKey, range,
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
    elements(of: list, expected: expected).compactMap { element in
      guard let name = string(element, expected: "the name of a key"),
        let code = key(named: name, element.valueRange)
      else { return nil }
      if !seen.insert(code).inserted {
        report(.repeatedKey, element.valueRange, repeated(quoted(name)))
      }
      return .init(code: code, name: name, place: place(of: element.valueRange))
    }
  }
}
