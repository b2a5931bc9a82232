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
  /// Whether the item is an element of a list.
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

  /// The entry of this name; `nil` if the item is no table, or has no such entry.
  subscript(name: String) -> TOMLItem? { table?[name] }

  /// Whether the item may have a header: a table, or a list of tables.
  var isTable: Bool { table != nil || list?.first?.isTable == true }

  /// The value as messages show it.
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
  /// - Parameter source: A text without lines of thousands of bytes, because the parser recurses into each part of a dotted name.
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
      // The parser tells “é” from “e” with an accent, which are the same text.
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

// MARK: - Places

/// The text of a file, which converts between bytes, lines and columns.
struct SourceText {
  let bytes: [UInt8]
  /// The bytes of each line, without its line break.
  let lines: [Range<Int>]

  /// - Parameter bytes: UTF-8, without a byte order mark.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
      $0.startIndex..<($0.last == UInt8(ascii: "\r") ? $0.endIndex - 1 : $0.endIndex)
    }
  }

  /// - Returns: The document, which the caller frees; `nil` with an error if the text is not valid TOML.
  func parse(_ error: inout ctoml_error) -> OpaquePointer? {
    bytes.withUnsafeBytes { bytes in
      ctoml_parse(bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count, &error)
    }
  }

  /// The number of the line that contains a byte, from 1.
  func line(at offset: Int) -> Int {
    var (low, high) = (0, lines.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if lines[middle].lowerBound <= offset { low = middle } else { high = middle }
    }
    return high
  }

  /// The place of a range of bytes. Bytes past the end of the text or of their line count as the end.
  func place(of range: Range<Int>) -> SourcePlace {
    let number = line(at: range.lowerBound)
    let line = lines[number - 1]
    let start = min(range.lowerBound, line.upperBound)
    let end = min(range.upperBound, line.upperBound)
    let text = Array(String(decoding: bytes[line], as: UTF8.self))
    var offset = line.lowerBound
    let ends = text.map { character in
      offset += character.utf8.count
      return offset
    }
    let first = ends.prefix { $0 <= start }.count
    let marked = first..<(end > start ? ends.prefix { $0 < end }.count + 1 : first)
    return SourcePlace(line: number, text: text, marking: marked)
  }

  /// Whether a byte continues the scalar that begins before it.
  private func isContinuation(_ offset: Int) -> Bool { bytes[offset] & 0xc0 == 0x80 }

  /// The byte at a position. A column past the end of the line counts as the beginning of the next line.
  func offset(of position: ctoml_position) -> Int {
    let number = Int(position.line)
    guard (1...lines.count).contains(number) else { return bytes.count }
    let next = number < lines.count ? lines[number].lowerBound : bytes.count
    let scalars = (lines[number - 1].lowerBound..<next).lazy.filter { !isContinuation($0) }
    return scalars.dropFirst(max(Int(position.column) - 1, 0)).first ?? next
  }

  func range(of region: ctoml_region) -> Range<Int> {
    let start = offset(of: region.begin)
    return start..<max(offset(of: region.end), start)
  }

  /// The name in a table's header, without the brackets; `nil` if the range is not a header.
  fileprivate func headerName(at range: Range<Int>) -> Range<Int>? {
    let header = bytes[range]
    let isName = { (byte: UInt8) in !"[] \t".utf8.contains(byte) }
    guard header.first == UInt8(ascii: "["), let start = header.firstIndex(where: isName),
      let end = header.lastIndex(where: isName)
    else { return nil }
    return start..<end + 1
  }
}
