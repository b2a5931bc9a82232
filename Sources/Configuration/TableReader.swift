import Debounce

/// Reads the tables of one file, and keeps what is wrong with them.
///
/// It goes on after a mistake, so that all of them are shown at once. What is wrong yields `nil` or is left out.
struct TableReader {
  private(set) var problems: [ConfigurationErrors.Problem] = []

  private let document: TOMLDocument

  init(_ document: TOMLDocument) {
    self.document = document
  }

  var file: String { document.file }

  /// Says that something is wrong with an item.
  mutating func report(_ item: TOMLItem, _ message: String) {
    let line = document.lines.line(of: item.path)
    problems.append(.init(file: document.file, line: line, message: message))
  }

  /// Says that a name is not known.
  ///
  /// - Parameter expected: What is known, in words; the known names themselves if `nil`.
  mutating func report(
    unknown item: TOMLItem, what: String, known: [String], expected: String? = nil
  ) {
    let name = item.path.last ?? ""
    report(
      item,
      "unknown \(what) “\(name)”; expected \(expected ?? Self.list(known))"
        + Self.suggestion(for: name, among: known))
  }

  /// The problems in the order of their lines.
  var problemsInOrder: [ConfigurationErrors.Problem] {
    // A stable order: the tables are read by name.
    problems.enumerated().sorted {
      ($0.element.line ?? 0, $0.offset) < ($1.element.line ?? 0, $1.offset)
    }.map(\.element)
  }

  static func list(_ names: [String]) -> String {
    guard names.count > 1, let last = names.last else { return names.first ?? "nothing" }
    return names.dropLast().joined(separator: ", ") + " or " + last
  }

  static func suggestion(for name: String, among known: [String]) -> String {
    Spelling.nearest(to: name, among: known).map { "; did you mean “\($0)”?" } ?? ""
  }
}

// MARK: - Tables

extension TableReader {
  /// The tables of the file.
  ///
  /// - Parameters:
  ///   - known: Those that may stand in it.
  ///   - elsewhere: Those that stand in files of the other kind, and which that is.
  mutating func tables(
    known: [String], elsewhere: [String: String]
  ) -> [String: TOMLItem] {
    guard case .table(let tables) = document.root.value else { return [:] }
    for (name, item) in tables where !known.contains(name) {
      if let place = elsewhere[name] {
        report(item, "[\(name)] has no place here; expected it in \(place)")
      } else if case .table = item.value {
        report(
          unknown: item, what: "table", known: known,
          expected: Self.list(known.map { "[\($0)]" }))
      } else {
        report(
          unknown: item, what: "name", known: known,
          expected: "the tables \(Self.list(known.map { "[\($0)]" }))")
      }
    }
    return tables
  }

  /// The entries of a table; none if it is no table.
  mutating func entries(of item: TOMLItem) -> [(key: String, item: TOMLItem)] {
    guard case .table(let entries) = item.value else {
      report(item, "“\(item.path.last ?? "")” is \(item.description); expected a table")
      return []
    }
    return entries.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// The elements of a list; none if it is no list.
  mutating func elements(of item: TOMLItem, expected: String) -> [TOMLItem] {
    guard case .array(let elements) = item.value else {
      mismatch(item, expected)
      return []
    }
    return elements
  }
}

// MARK: - Values

extension TableReader {
  /// The longest time that may be given, in milliseconds.
  private static let longest = 1000.0

  private mutating func mismatch(_ item: TOMLItem, _ expected: String) {
    report(item, "\(subject(item)) is \(item.description); expected \(expected)")
  }

  /// What an item is called in a message.
  private func subject(_ item: TOMLItem) -> String {
    let name = item.path.last ?? ""
    // A place in a list says nothing; the list's name does.
    guard Int(name) != nil, item.path.count > 1 else { return "“\(name)”" }
    return "an element of “\(item.path[item.path.count - 2])”"
  }

  /// A time from 0 to 1000 ms; fractions are allowed.
  mutating func milliseconds(_ item: TOMLItem) -> Microseconds? {
    let number: Double
    switch item.value {
    case .integer(let value): number = Double(value)
    case .number(let value): number = value
    default:
      mismatch(item, "a number of milliseconds")
      return nil
    }
    guard number >= 0, number <= Self.longest else {
      mismatch(item, "milliseconds from 0 to 1000")
      return nil
    }
    return Microseconds((number * 1000).rounded())
  }

  mutating func count(_ item: TOMLItem, in range: ClosedRange<Int>) -> Int? {
    guard case .integer(let value) = item.value, range.contains(value) else {
      mismatch(item, "a whole number from \(range.lowerBound) to \(range.upperBound)")
      return nil
    }
    return value
  }

  mutating func flag(_ item: TOMLItem) -> Bool? {
    guard case .boolean(let value) = item.value else {
      mismatch(item, "true or false")
      return nil
    }
    return value
  }

  mutating func string(_ item: TOMLItem, expected: String) -> String? {
    guard case .string(let value) = item.value else {
      mismatch(item, expected)
      return nil
    }
    return value
  }

  /// A string that is one of the names of a type.
  mutating func name<Name: RawRepresentable & CaseIterable>(
    _ item: TOMLItem, _: Name.Type, what: String
  ) -> Name? where Name.RawValue == String {
    let names = Name.allCases.map(\.rawValue)
    guard let text = string(item, expected: "\(what): \(Self.list(names))") else { return nil }
    guard let name = Name(rawValue: text) else {
      report(
        item,
        "unknown \(what) “\(text)”; expected \(Self.list(names))"
          + Self.suggestion(for: text, among: names))
      return nil
    }
    return name
  }

  /// A key by its name.
  mutating func key(named name: String, _ item: TOMLItem) -> KeyCode? {
    if let code = KeyNames.code(named: name) { return code }
    let all = KeyNames.all
    let upper = name.uppercased()
    let meant =
      all.first { $0 == upper || $0 == "KEY_" + upper || $0 == "BTN_" + upper }
      ?? Spelling.nearest(to: name, among: all)
    report(
      item,
      "unknown key “\(name)”; expected a name of libevdev's, as KEY_E or BTN_LEFT"
        + (meant.map { "; did you mean “\($0)”?" } ?? ""))
    return nil
  }
}
