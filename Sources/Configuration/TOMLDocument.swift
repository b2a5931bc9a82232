import TOMLKit

/// A TOML file as a tree of values that know where they stand.
struct TOMLDocument {
  let file: String
  let root: TOMLItem
  let lines: TOMLLines

  /// - Throws: ``ConfigurationErrors`` if it is no TOML.
  init(file: String, bytes: [UInt8]) throws(ConfigurationErrors) {
    guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
      throw ConfigurationErrors([
        .init(file: file, line: nil, message: "found bytes that are no text; expected TOML")
      ])
    }
    do {
      root = TOMLItem(try TOMLTable(string: text).tomlValue, path: [])
    } catch {
      let parseError = error as? TOMLParseError
      throw ConfigurationErrors([
        .init(
          file: file, line: parseError?.source.begin.line,
          message: "not TOML: \(parseError?.description ?? "\(error)")")
      ])
    }
    self.file = file
    lines = TOMLLines(of: text)
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

  init(_ value: any TOMLValueConvertible, path: [String]) {
    self.path = path
    switch value.type {
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

  /// The value in a message.
  var description: String {
    switch value {
    case .table: "a table"
    case .array: "a list"
    case .string(let text): "the string “\(text)”"
    case .integer(let number): "\(number)"
    case .number(let number): "\(number)"
    case .boolean(let flag): "\(flag)"
    case .date: "a date or time"
    }
  }
}
