import CTOML

/// A TOML file as a tree of values with their places.
struct TOMLDocument {
  let file: String
  let source: SourceText
  let root: TOMLItem

  /// - Throws: ``ConfigurationErrors`` if it is not valid TOML.
  init(file: String, bytes: [UInt8]) throws(ConfigurationErrors) {
    let mark: [UInt8] = [0xef, 0xbb, 0xbf]
    let text = bytes.starts(with: mark) ? Array(bytes[mark.count...]) : bytes
    if let problem = Self.firstInvalidByte(in: text, of: file) {
      throw ConfigurationErrors([problem])
    }
    let source = SourceText(text)
    do throws(TOMLDiagnosis) {
      if let excess = TOMLDiagnosis(ofExcessIn: source) { throw excess }
      do throws(ParsedTOML.SyntaxError) {
        root = try ParsedTOML(text).root(in: source)
      } catch {
        throw TOMLDiagnosis(of: error, in: source)
      }
    } catch {
      throw ConfigurationErrors([
        Problem(
          .notTOML, file: file, place: source.place(of: error.range),
          message: "not TOML: \(error.message)")
      ])
    }
    self.source = source
    self.file = file
  }

  /// Reports the first byte that is not part of a text; `nil` if there is none.
  private static func firstInvalidByte(in bytes: [UInt8], of file: String) -> Problem? {
    // The same text, with replacement characters for what is invalid.
    let text = Array(String(decoding: bytes, as: UTF8.self).utf8)
    let count = zip(text, bytes).prefix { $0 == $1 && $0 != 0 }.count
    guard count < max(text.count, bytes.count) else { return nil }
    return Problem(
      .notTOML, file: file, place: SourceText(text).place(of: count..<count + 1),
      message: "found bytes that are not text; expected TOML in UTF-8")
  }
}

/// A TOML text that has been parsed. Owns the parser's tree and frees it.
struct ParsedTOML: ~Copyable {
  /// The text is not valid TOML.
  struct SyntaxError: Error {
    /// Where the parser stopped; `nil` if it does not report a position.
    let stop: TextPosition?
    /// What it says of it; empty if it says nothing.
    let message: String
  }

  private let document: OpaquePointer

  /// - Parameter text: UTF-8 without lines of thousands of bytes: the parser recurses into each part of a dotted name.
  init(_ text: some Collection<UInt8>) throws(SyntaxError) {
    var error = ctoml_error()
    let parsed = Array(text).withUnsafeBytes { bytes in
      ctoml_parse(bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count, &error)
    }
    guard let parsed else {
      let message = withUnsafeBytes(of: error.message) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      let stop = error.region.begin
      throw SyntaxError(stop: stop.line > 0 ? TextPosition(stop) : nil, message: message)
    }
    document = parsed
  }

  deinit { ctoml_free(document) }

  /// Copies the parser's tree.
  ///
  /// - Parameter source: The text that was parsed, in which the ranges of the items are.
  func root(in source: SourceText) -> TOMLItem {
    let reader = NodeReader(source: source)
    return TOMLItem(
      name: "", value: reader.value(of: ctoml_root(document), name: "", depth: 0), nameRange: 0..<0,
      valueRange: 0..<0)
  }
}

/// A line and a column, both from 1; the column counts Unicode scalars.
struct TextPosition: Equatable {
  let line: Int
  let column: Int

  fileprivate init(_ position: ctoml_position) {
    line = Int(position.line)
    column = Int(position.column)
  }
}

/// Copies the parser's nodes into items.
private struct NodeReader {
  let source: SourceText

  /// How deep tables and lists are copied: deeper than any known name, and not so deep as to exhaust the stack.
  private static let deepest = 8

  func value(of node: OpaquePointer, name: String, depth: Int) -> TOMLItem.Value {
    switch ctoml_kind_of(node) {
    case .CTOML_TABLE where depth == Self.deepest: .table([:])
    case .CTOML_ARRAY where depth == Self.deepest: .array([])
    case .CTOML_TABLE: .table(entries(of: node, depth: depth + 1))
    case .CTOML_ARRAY:
      .array(
        (0..<ctoml_count(node)).map { index in
          element(ctoml_element(node, index), of: name, depth: depth + 1)
        })
    case .CTOML_STRING: .string(String(ctoml_string(node)))
    case .CTOML_INTEGER: .integer(Int(ctoml_integer(node)))
    case .CTOML_FLOAT: .number(ctoml_float(node))
    case .CTOML_BOOLEAN: .boolean(ctoml_boolean(node))
    case .CTOML_DATE: .date
    }
  }

  private func entries(of table: OpaquePointer, depth: Int) -> [String: TOMLItem] {
    let count = ctoml_count(table)
    let entries = [ctoml_entry](unsafeUninitializedCapacity: count) { buffer, initialized in
      if let start = buffer.baseAddress { ctoml_entries(table, start) }
      initialized = count
    }
    return entries.reduce(into: [:]) { items, entry in
      let name = String(entry.name)
      items[name] = item(
        entry.value, named: name, standingAt: range(entry.region), depth: depth)
    }
  }

  private func item(
    _ node: OpaquePointer, named name: String, standingAt nameRange: Range<Int>, depth: Int
  ) -> TOMLItem {
    var nameRange = nameRange
    var valueRange = range(ctoml_region_of(node))
    if valueRange.lowerBound <= nameRange.lowerBound {
      // The value has a header, or exists only as part of a dotted name.
      valueRange = nameRange
    } else if ctoml_kind_of(node) == .CTOML_TABLE, let header = headerName(at: valueRange) {
      // Its own header takes precedence over that of a table within it, which came first.
      nameRange = header
      valueRange = header
    }
    return TOMLItem(
      name: name, value: value(of: node, name: name, depth: depth), nameRange: nameRange,
      valueRange: valueRange)
  }

  private func element(_ node: OpaquePointer, of list: String, depth: Int) -> TOMLItem {
    let value = value(of: node, name: list, depth: depth)
    var place = range(ctoml_region_of(node))
    if case .table = value { place = headerName(at: place) ?? place }
    return TOMLItem(
      name: list, isElement: true, value: value, nameRange: place, valueRange: place)
  }

  /// The name in a table's header, without the brackets; `nil` if the range is not a header.
  private func headerName(at range: Range<Int>) -> Range<Int>? {
    let header = source.bytes[range]
    guard header.first == UInt8(ascii: "[") else { return nil }
    let isFrame = { (byte: UInt8) in "[] \t".utf8.contains(byte) }
    let end = header.lastIndex { !isFrame($0) } ?? range.lowerBound
    return (header.firstIndex { !isFrame($0) } ?? end)..<end + 1
  }

  private func range(_ region: ctoml_region) -> Range<Int> {
    let start = source.offset(of: TextPosition(region.begin))
    return start..<max(source.offset(of: TextPosition(region.end)), start)
  }
}

extension String {
  fileprivate init(_ text: ctoml_text) {
    self.init(
      decoding: UnsafeRawBufferPointer(start: text.bytes, count: text.length), as: UTF8.self)
  }
}

/// A value in a TOML file, its name, and the places of both.
struct TOMLItem {
  enum Value {
    case table([String: TOMLItem])
    case array([TOMLItem])
    case string(String)
    case integer(Int)
    case number(Double)
    case boolean(Bool)
    /// A date or a time, which no setting is.
    case date
  }

  /// Its own name, or that of the list if it is an element of one.
  let name: String
  /// Whether it is an element of a list.
  var isElement = false
  let value: Value
  /// The bytes of its name, or those of the value if it is an element of a list.
  let nameRange: Range<Int>
  /// The bytes of its value, or those of the name if it is a table with a header.
  let valueRange: Range<Int>

  var isList: Bool { if case .array = value { true } else { false } }

  /// What is in it; nothing if it is no table.
  var entries: [String: TOMLItem] { if case .table(let entries) = value { entries } else { [:] } }

  subscript(name: String) -> TOMLItem? { entries[name] }

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
