import CTOML

/// A TOML file as a tree of values with their places.
struct TOMLDocument {
  let file: String
  let source: SourceText
  let root: TOMLItem

  /// - Throws: ``ConfigurationErrors`` if it is not valid TOML.
  init(file: String, bytes: [UInt8]) throws(ConfigurationErrors) {
    func refusal(_ source: SourceText, _ range: Range<Int>, _ message: String)
      -> ConfigurationErrors
    {
      ConfigurationErrors([
        Problem(.notTOML, file: file, place: source.place(of: range), message: message)
      ])
    }
    let mark: [UInt8] = [0xef, 0xbb, 0xbf]
    let bytes = bytes.starts(with: mark) ? Array(bytes[mark.count...]) : bytes
    // The same text, with replacement characters for what is invalid.
    let text = Array(String(decoding: bytes, as: UTF8.self).utf8)
    let valid = zip(text, bytes).prefix { $0 == $1 && $0 != 0 }.count
    guard valid == max(text.count, bytes.count) else {
      throw refusal(
        SourceText(text), valid..<valid + 1, "found bytes that are not text; expected TOML in UTF-8"
      )
    }
    self.file = file
    source = SourceText(bytes)
    if let excess = TOMLDiagnosis(ofExcessIn: source) {
      throw refusal(source, excess.range, "not TOML: \(excess.message)")
    }
    do throws(TOMLSyntaxError) {
      root = try TOMLItem(parsing: source)
    } catch {
      let diagnosis = TOMLDiagnosis(of: error, in: source)
      throw refusal(source, diagnosis.range, "not TOML: \(diagnosis.message)")
    }
  }
}

/// The text is not valid TOML.
struct TOMLSyntaxError: Error {
  /// At which byte the parser stopped; `nil` if it does not say.
  let stop: Int?
  /// What it says of it; empty if it says nothing.
  let message: String
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
  let isElement: Bool
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

// MARK: - The parser

extension TOMLItem {
  /// Parses a text, and copies the parser's tree.
  ///
  /// - Parameter source: A text without lines of thousands of bytes: the parser recurses into each part of a dotted name.
  init(parsing source: SourceText) throws(TOMLSyntaxError) {
    var error = ctoml_error()
    let document = source.bytes.withUnsafeBytes { bytes in
      ctoml_parse(bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count, &error)
    }
    guard let document else {
      let stop = error.region.begin
      throw TOMLSyntaxError(
        stop: stop.line > 0 ? source.offset(of: stop) : nil,
        message: withUnsafeBytes(of: error.message) {
          String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        })
    }
    defer { ctoml_free(document) }
    self.init(ctoml_root(document), in: source, depth: 0)
  }

  /// - Parameter list: The name of the list of which it is an element.
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
  /// How deep tables and lists are copied: deeper than any known name, and not so deep as to exhaust the stack.
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
    case .CTOML_INTEGER: self = .integer(Int(item.integer))
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

  /// The number of the line that contains a byte, from 1.
  func line(at offset: Int) -> Int {
    var (low, high) = (0, lines.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if lines[middle].lowerBound <= offset { low = middle } else { high = middle }
    }
    return high
  }

  /// The place of a range of bytes. Whatever is past the end of the text or of its line counts as the end.
  func place(of range: Range<Int>) -> SourcePlace {
    let number = line(at: range.lowerBound)
    let line = lines[number - 1]
    let start = min(range.lowerBound, line.upperBound)
    let end = min(range.upperBound, line.upperBound)
    // Of a long line, the bytes around it that can be shown: few visible characters have more than four.
    let reach = 4 * SourceExcerpt.widest
    var (before, after) = (max(line.lowerBound, start - reach), min(line.upperBound, start + reach))
    while before > line.lowerBound, isContinuation(before) { before -= 1 }
    while after < line.upperBound, isContinuation(after) { after += 1 }
    let skipped = String(decoding: bytes[line.lowerBound..<before], as: UTF8.self).count
    let text = Array(String(decoding: bytes[before..<after], as: UTF8.self))
    var offset = before
    let ends = text.map { character in
      offset += character.utf8.count
      return offset
    }
    let first = ends.prefix { $0 <= start }.count
    let marked = first..<(end > start ? ends.prefix { $0 < end }.count + 1 : first)
    return SourcePlace(
      line: number, column: skipped + first + 1, length: max(marked.count, 1),
      excerpt: SourceExcerpt(
        of: text, marking: marked, isBegun: before > line.lowerBound,
        isContinued: after < line.upperBound))
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
