import TOMLKit

/// A TOML file as a tree of values that know where they stand.
struct TOMLDocument {
  let file: String
  let source: SourceText
  let root: TOMLItem
  let places: TOMLPlaces

  /// - Throws: ``ConfigurationErrors`` if it is no TOML.
  init(file: String, bytes: [UInt8]) throws(ConfigurationErrors) {
    let mark: [UInt8] = [0xef, 0xbb, 0xbf]
    let text = bytes.starts(with: mark) ? Array(bytes[mark.count...]) : bytes
    if let problem = Self.firstNoText(in: text, of: file) { throw ConfigurationErrors([problem]) }
    source = SourceText(text)
    places = TOMLPlaces(of: text)
    self.file = file
    // The parser never gets to see what it cannot refuse; what is wrong before that, it still says.
    let readable = text.prefix(places.fault?.start ?? text.count)
    do {
      let table = try TOMLTable(string: String(decoding: readable, as: UTF8.self))
      root = TOMLItem(table.tomlValue, path: [])
    } catch {
      let mistake = TOMLMistake(error, in: text, source, places)
      throw ConfigurationErrors([
        Problem(
          .notTOML, file: file, place: source.place(of: mistake.range),
          message: "not TOML: \(mistake.message)")
      ])
    }
    if let fault = places.fault {
      throw ConfigurationErrors([
        Problem(
          .notTOML, file: file, place: source.place(of: fault.range),
          message: "not TOML: \(fault.message)")
      ])
    }
  }
}

extension TOMLDocument {
  /// The first byte that is no text, if there is one.
  private static func firstNoText(in bytes: [UInt8], of file: String) -> Problem? {
    // As text, with marks in the place of what is none.
    let text = Array(String(decoding: bytes, as: UTF8.self).utf8)
    let count = zip(text, bytes).prefix { $0 == $1 && $0 != 0 }.count
    guard count < max(text.count, bytes.count) else { return nil }
    return Problem(
      .notTOML, file: file, place: SourceText(text).place(of: count..<count + 1),
      message: "found bytes that are no text; expected TOML in UTF-8")
  }
}

/// A value in a TOML file.
struct TOMLItem {
  enum Value {
    case table([String: TOMLItem])
    case array([TOMLItem])
    case string(String)
    case integer(Int)
    case number(Double)
    case boolean(Bool)
    /// A date or a time: nothing here is one.
    case date
  }

  /// The names of the tables around it and its own; places in arrays are numbers from 0.
  let path: [String]
  let value: Value

  /// Its own name.
  var name: String { path.last ?? "" }

  /// How deep tables and lists are looked into. Nothing that is known lies that deep, and what lies deeper by
  /// the thousand must not use up the stack.
  private static let deepest = TOMLPlaces.deepest

  init(_ value: any TOMLValueConvertible, path: [String]) {
    self.path = path
    let isDeep = path.count >= Self.deepest
    switch value.type {
    case .table where isDeep: self.value = .table([:])
    case .array where isDeep: self.value = .array([])
    case .table:
      let table = value.table
      self.value = .table(
        (table?.keys ?? []).reduce(into: [:]) { entries, key in
          if let entry = table?[key] { entries[key] = TOMLItem(entry, path: path + [key]) }
        })
    case .array:
      self.value = .array(
        (value.array.map(Array.init) ?? []).enumerated().map { index, element in
          TOMLItem(element, path: path + [String(index)])
        })
    case .string: self.value = .string(value.string ?? "")
    case .int: self.value = .integer(value.int ?? 0)
    case .double: self.value = .number(value.double ?? 0)
    case .bool: self.value = .boolean(value.bool ?? false)
    case .date, .time, .dateTime: self.value = .date
    }
  }

  /// Whether it has a header: a table, or a list of tables.
  var isTable: Bool {
    switch value {
    case .table: true
    case .array(let elements): elements.first?.isTable ?? false
    default: false
    }
  }

  /// The value in a message.
  var description: String {
    switch value {
    case .table: "a table"
    case .array: "a list"
    case .string(let text): "the string \(quoted(text))"
    case .integer(let number): "\(number)"
    case .number(let number): "\(number)"
    case .boolean(let flag): "\(flag)"
    case .date: "a date or time"
    }
  }
}
