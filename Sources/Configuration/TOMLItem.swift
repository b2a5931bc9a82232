import CTOML

/// A value in a TOML file, its name, and the places of both.
struct TOMLItem {
  enum Value {
    case table([String: TOMLItem])
    case array([TOMLItem])
    case string(String)
    case integer(Int64)
    case number(Double)
    case boolean(Bool)
    /// A date or a time, which no setting is.
    case date
  }

  /// The item's name, or that of the list if it is an element of one.
  let name: String
  let isElement: Bool
  let value: Value
  /// The bytes of the name, or those of the value if the item is an element of a list.
  let nameRange: Range<Int>
  /// The bytes of the value, or those of the name if the item is a table with a header.
  let valueRange: Range<Int>

  var table: [String: TOMLItem]? { if case .table(let entries) = value { entries } else { nil } }
  var list: [TOMLItem]? { if case .array(let elements) = value { elements } else { nil } }
  var string: String? { if case .string(let text) = value { text } else { nil } }
  var integer: Int64? { if case .integer(let number) = value { number } else { nil } }
  var boolean: Bool? { if case .boolean(let flag) = value { flag } else { nil } }
  /// A number, with a fraction or without.
  var number: Double? {
    if case .number(let number) = value { number } else { integer.map(Double.init) }
  }

  subscript(name: String) -> TOMLItem? { table?[name] }

  /// Whether the item may have a header: a table, or a list of tables.
  var isTable: Bool { table != nil || list?.first?.isTable == true }

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

// MARK: - The parser

extension TOMLItem {
  /// Parses a text, and copies the parser's tree.
  ///
  /// - Parameters:
  ///   - source: A text without lines of thousands of bytes, because the parser recurses into each part of a dotted name.
  ///     `TableReader` refuses such lines before, by ``TOMLDiagnosis/init(ofExcessIn:)``.
  ///   - labels: Looks up the labels of keys, for advice on a line that is no TOML.
  init(
    parsing source: SourceText, _ labels: KeyLabels = { [:] }
  ) throws(TOMLDiagnosis) {
    var error = ctoml_error()
    guard let document = source.parse(&error) else {
      throw TOMLDiagnosis(of: error, in: source, labels)
    }
    defer { ctoml_free(document) }
    self.init(ctoml_root(document), in: source, depth: 0)
  }

  /// - Parameter list: The name of the list if the item is an element of one.
  fileprivate init(
    _ item: ctoml_item, elementOf list: String? = nil, in source: SourceText, depth: Int
  ) {
    let name = list ?? String(item.name)
    var (nameRange, valueRange) = (
      source.range(of: item.name_region), source.range(of: item.region)
    )
    let header = item.kind == .CTOML_TABLE ? source.headerName(at: valueRange) : nil
    if list != nil {
      valueRange = header ?? valueRange
      nameRange = valueRange
    } else if valueRange.lowerBound <= nameRange.lowerBound {
      // The value has a header, or exists only as part of a dotted name.
      valueRange = nameRange
    } else if let header {
      // Its own header takes precedence over that of a table within it, which came first.
      (nameRange, valueRange) = (header, header)
    }
    self.init(
      name: name, isElement: list != nil, value: Value(item, named: name, in: source, depth: depth),
      nameRange: nameRange, valueRange: valueRange)
  }
}

extension TOMLItem.Value {
  /// The depth to which tables and lists are copied: deeper than any known name, and not so deep as to exhaust the stack.
  private static let deepest = 8

  fileprivate init(_ item: ctoml_item, named name: String, in source: SourceText, depth: Int) {
    var items: [ctoml_item] {
      guard depth < Self.deepest else { return [] }
      return [ctoml_item](unsafeUninitializedCapacity: item.count) { buffer, count in
        if let start = buffer.baseAddress { ctoml_items(item.node, start) }
        count = item.count
      }
    }
    switch item.kind {
    case .CTOML_TABLE:
      let entries = items.map { TOMLItem($0, in: source, depth: depth + 1) }
      // The parser tells “é” from “e” with an accent, which are the same text. Only one of two such
      // entries is kept. Names of udev's properties are ASCII, and no other name is free: the entry is reported as unknown.
      self = .table(Dictionary(entries.map { ($0.name, $0) }) { $1 })
    case .CTOML_ARRAY:
      self = .array(items.map { TOMLItem($0, elementOf: name, in: source, depth: depth + 1) })
    case .CTOML_STRING: self = .string(String(item.text))
    case .CTOML_INTEGER: self = .integer(item.integer)
    case .CTOML_FLOAT: self = .number(item.number)
    case .CTOML_BOOLEAN: self = .boolean(item.boolean)
    case .CTOML_DATE: self = .date
    }
  }
}

extension String {
  fileprivate init(_ text: ctoml_text) {
    self.init(
      decoding: UnsafeRawBufferPointer(start: text.bytes, count: text.length), as: UTF8.self)
  }
}
