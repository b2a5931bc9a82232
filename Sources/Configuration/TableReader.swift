import Debounce

/// Reads the tables of one file, and collects what is wrong with them.
///
/// The reader goes on after a mistake, so that all of them are shown at once. A wrong value yields `nil` or is left out.
struct TableReader {
  /// The most problems of a file that are shown. A file with more is of another kind.
  private static let mostFindings = 200

  var mentions = Mentions()
  var holdsForAll = false

  let file: String
  /// The tables of the file, and all other entries at its top.
  let tables: [String: TOMLItem]
  private let source: SourceText
  private let labels: KeyLabels
  private typealias Finding = (
    kind: Problem.Kind, severity: Problem.Severity, range: Range<Int>, message: String
  )
  private var found: [Finding] = []

  /// - Throws: ``ConfigurationErrors`` if the file is not valid TOML.
  init(
    file: String, bytes: [UInt8], labels: @escaping KeyLabels = { [:] }
  ) throws(ConfigurationErrors) {
    let mark: [UInt8] = [0xef, 0xbb, 0xbf]
    let bytes = bytes.starts(with: mark) ? Array(bytes[mark.count...]) : bytes
    // The same text, with replacement characters for what is invalid.
    let source = SourceText(Array(String(decoding: bytes, as: UTF8.self).utf8))
    do throws(TOMLDiagnosis) {
      let valid = zip(source.bytes, bytes).prefix { $0 == $1 && $0 != 0 }.count
      if valid < max(source.bytes.count, bytes.count) { throw TOMLDiagnosis(ofNoTextAt: valid) }
      if let excess = TOMLDiagnosis(ofExcessIn: source) { throw excess }
      (self.file, self.source, self.labels) = (file, source, labels)
      tables = try TOMLItem(parsing: source, labels).table ?? [:]
    } catch {
      let place = source.place(of: error.range)
      throw ConfigurationErrors(findings: [
        Problem(.notTOML, file: file, place: place, message: error.message)
      ])
    }
  }

  /// Whether more problems were found than are shown. To look for the names that were meant takes too long then.
  private var isFull: Bool { found.count >= Self.mostFindings }

  /// The problems in the order of the file.
  var findings: [Problem] {
    // The tables are read by name, so that the problems are not in the file's order yet. The sort is stable: problems of one
    // place keep their order.
    let inOrder = found.sorted { $0.range.lowerBound < $1.range.lowerBound }
    let problems = inOrder.prefix(Self.mostFindings).map { finding in
      Problem(
        finding.kind, severity: finding.severity, file: file, place: place(of: finding.range),
        message: finding.message)
    }
    let rest = inOrder.dropFirst(Self.mostFindings)
    guard !rest.isEmpty else { return problems }
    let severity = rest.contains { $0.severity == .error } ? Problem.Severity.error : .warning
    let more = Problem(.file, severity: severity, file: file, message: "and \(rest.count) more")
    return problems + [more]
  }

  func place(of range: Range<Int>) -> SourcePlace { source.place(of: range) }
}

// MARK: - Reporting what is wrong

extension TableReader {
  mutating func report(
    _ kind: Problem.Kind, _ range: Range<Int>, severity: Problem.Severity = .error,
    _ message: String
  ) {
    found.append((kind, severity, range, message))
  }

  mutating func warn(_ kind: Problem.Kind, _ range: Range<Int>, _ message: String) {
    report(kind, range, severity: .warning, message)
  }

  /// Reports a name that may not stand where it does.
  ///
  /// - Parameter expected: Words for the known names, if not the names themselves.
  mutating func report(
    stranger item: TOMLItem, what: String = "name", known: [String], expected: String? = nil
  ) {
    // A word of another program for a name of this table is not meant for another table.
    if Spelling.synonym(for: item.name, among: known) == nil, let place = home(of: item.name) {
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
      "unknown \(what) \(quoted(name))"
        + Self.hint(isFull ? nil : Spelling.nearest(to: name, among: known))
        + (expected ?? Self.list(known)))
  }

  /// The words between an unknown name and the expected ones, with the name that was probably meant, if that is known.
  private static func hint(_ meant: String?) -> String {
    meant.map { "; did you mean “\($0)”? Expected " } ?? "; expected "
  }

  mutating func mismatch(
    _ item: TOMLItem, expected: String, kind: Problem.Kind = .wrongValue
  ) {
    report(kind, item.valueRange, "\(subject(item)) is \(item.description); expected \(expected)")
  }

  private func subject(_ item: TOMLItem) -> String {
    item.isElement ? "an element of \(quoted(item.name))" : quoted(item.name)
  }

  static func list(_ names: [String], _ conjunction: String = "or") -> String {
    guard names.count > 1, let last = names.last else { return names.first ?? "nothing" }
    return names.dropLast().joined(separator: ", ") + " \(conjunction) " + last
  }

  static func suggestion(for name: String, among known: [String]) -> String {
    Spelling.nearest(to: name, among: known).map { "; did you mean “\($0)”?" } ?? ""
  }
}

/// A text from a file, quoted in a message. It is cut if it is long: its beginning is enough to find it.
func quoted(_ text: String) -> String {
  text.count > 60 ? "“\(text.prefix(59))…”" : "“\(text)”"
}

// MARK: - Tables

/// An entry that a table may have: its name, and the function that reads its value.
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
  mutating func read<Subject>(
    _ table: TOMLItem, by known: [Entry<Subject>], into subject: inout Subject
  ) {
    for item in entries(of: table) {
      if let entry = known.first(where: { $0.name == item.name }) {
        entry.read(&self, item, &subject)
      } else {
        report(stranger: item, known: known.map(\.name))
      }
    }
  }

  /// The entries of a table, by name; none if it is not a table.
  mutating func entries(of item: TOMLItem) -> [TOMLItem] {
    value(of: item, \.table, expected: "a table")?.values.sorted { $0.name < $1.name } ?? []
  }
}

// MARK: - Values

extension TableReader {
  /// The value of an item, if it is of the expected kind.
  mutating func value<Value>(
    of item: TOMLItem, _ kind: KeyPath<TOMLItem, Value?>, expected: String
  ) -> Value? {
    if let value = item[keyPath: kind] { return value }
    mismatch(item, expected: expected)
    return nil
  }

  mutating func flag(_ item: TOMLItem) -> Bool? {
    value(of: item, \.boolean, expected: "true or false")
  }

  /// A time in milliseconds; fractions are allowed.
  ///
  /// - Parameters:
  ///   - range: The times that may be given, in microseconds.
  ///   - tooShort: Why a shorter time makes no sense, a negative one aside.
  mutating func milliseconds(
    _ item: TOMLItem, in range: ClosedRange<Microseconds> = StrategyParameter.usualTimes,
    tooShort: String = "", tooLong: String = StrategyParameter.usualReason
  ) -> Microseconds? {
    let expected = Self.timeMeant(by: item) ?? "a number of milliseconds"
    guard let number = value(of: item, \.number, expected: expected) else { return nil }
    if number > 0, number < 1 {
      warn(
        .hardlyMeant, item.valueRange,
        "\(subject(item)) is \(item.description), less than a millisecond; write "
          + "\(Self.text((number * 1000).rounded())) if that was meant in seconds")
    }
    let (least, most) = (Double(range.lowerBound) / 1000, Double(range.upperBound) / 1000)
    if number >= least, number <= most { return Microseconds((number * 1000).rounded()) }
    // No reason applies to “nan”.
    let reason =
      number < 0 ? "no time is negative" : number < least ? tooShort : number > most ? tooLong : ""
    mismatch(
      item,
      expected: "milliseconds from \(Int(least)) to \(Int(most))"
        + (reason.isEmpty ? "" : ": \(reason)"), kind: .outOfRange)
    return nil
  }

  /// - Parameter unit: The words for what is counted, such as “ of seconds”.
  mutating func count(
    _ item: TOMLItem, _ unit: String = "", in range: ClosedRange<Int64>, tooFew: String,
    tooMany: String
  ) -> Int64? {
    let expected = "a whole number\(unit) from \(range.lowerBound) to \(range.upperBound)"
    guard let value = value(of: item, \.integer, expected: expected) else { return nil }
    if range.contains(value) { return value }
    mismatch(
      item, expected: "\(expected): \(value < range.lowerBound ? tooFew : tooMany)",
      kind: .outOfRange)
    return nil
  }

  /// The words for what is expected where a string holds a number of milliseconds, perhaps with its unit; `nil` if it does not.
  static func timeMeant(by item: TOMLItem) -> String? {
    guard let text = item.string else { return nil }
    let number = text.prefix { $0.isNumber || $0 == "." }
    let unit = text.dropFirst(number.count).drop { $0 == " " }
    guard let value = Double(number), let factor = units[unit] else { return nil }
    let time = Self.text((value * factor * 1000).rounded() / 1000)
    return "a number of milliseconds, without quotation marks or unit: \(time)"
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
    let text = value(of: item, \.string, expected: "a \(what): \(Self.list(names))\(advice)")
    guard let text else { return nil }
    if let name = Name(rawValue: text) { return name }
    report(unknown: what, text, item.valueRange, known: names)
    return nil
  }

  /// The key of a name, which is an item's own name or its value.
  mutating func key(named name: String, _ range: Range<Int>) -> KeyCode? {
    if let code = KeyNames.code(named: name) { return code }
    var advice =
      KeyNames.meansAll(name)
      ? KeyNames.adviceForAll : Self.noKeys.first { name.contains($0.sign) }?.advice
    let meant =
      advice != nil || isFull
      ? nil : KeyNames.nearest(to: name, labels: name.count == 1 ? labels() : [:])
    if advice == nil, meant == nil, name.count == 1 { advice = KeyNames.adviceForLabels }
    report(
      .unknownKey, range,
      "unknown key \(quoted(name))\(Self.hint(meant))a name from libevdev, such as KEY_E or BTN_LEFT"
        + (advice.map { "; \($0)" } ?? ""))
    return nil
  }

  /// Advice on names that are no keys, by a sign that they contain.
  private static let noKeys: [(sign: String, advice: String)] = [
    ("+", chordAdvice),
    ("REL_", "a wheel or a knob has the table [wheel]: reversal = 80"),
    ("ABS_", "sticks and touchpads are not debounced"),
  ]

  static let chordAdvice = "one key each; for a chord, a remapper after keydebounce does that"

  /// Keys that are named in a list.
  ///
  /// - Parameter repeated: The message about a key that has been named before.
  mutating func keys(
    of list: TOMLItem, expected: String, repeated: (String) -> String, seen: inout Set<KeyCode>
  ) -> [Mentions.Key] {
    (value(of: list, \.list, expected: expected) ?? []).compactMap { element in
      guard let name = value(of: element, \.string, expected: "the name of a key"),
        let code = key(named: name, element.valueRange)
      else { return nil }
      if !seen.insert(code).inserted {
        report(.repeatedKey, element.valueRange, repeated(quoted(name)))
      }
      return .init(code: code, name: name, place: place(of: element.valueRange))
    }
  }
}
