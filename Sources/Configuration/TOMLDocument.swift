import TOMLKit

/// A TOML file as a tree of values that know where they stand.
struct TOMLDocument {
  let file: String
  let root: TOMLItem
  let lines: TOMLLines

  /// - Throws: ``ConfigurationErrors`` if it is no TOML.
  init(file: String, bytes: [UInt8]) throws(ConfigurationErrors) {
    let mark: [UInt8] = [0xef, 0xbb, 0xbf]
    let text = bytes.starts(with: mark) ? bytes[mark.count...] : bytes[...]
    guard String(validating: text, as: UTF8.self) != nil, !text.contains(0) else {
      throw ConfigurationErrors([
        .init(file: file, line: nil, message: "found bytes that are no text; expected TOML")
      ])
    }
    lines = TOMLLines(of: text)
    self.file = file
    // The parser never gets to see what it cannot refuse; what is wrong before that, it still says.
    root = try Self.parse(text.prefix(lines.fault?.start ?? text.count), of: file)
    if let fault = lines.fault {
      throw ConfigurationErrors([
        .init(file: file, line: fault.line, message: "not TOML: \(fault.message)")
      ])
    }
  }

  private static func parse(
    _ text: ArraySlice<UInt8>, of file: String
  ) throws(ConfigurationErrors) -> TOMLItem {
    do {
      let table = try TOMLTable(string: String(decoding: text, as: UTF8.self))
      return TOMLItem(table.tomlValue, path: [])
    } catch {
      let parseError = error as? TOMLParseError
      throw ConfigurationErrors([
        .init(
          file: file, line: parseError?.source.begin.line,
          message: "not TOML: \(parseError?.description ?? "\(error)")")
      ])
    }
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

  /// How deep tables and lists are looked into. Nothing that is known lies that deep, and what lies deeper by
  /// the thousand must not use up the stack.
  private static let deepest = 8

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
