/// A name that is given a second time, because of which the parser stopped.
///
/// The parser reports the place where its value begins, or the line after its header. The name is found by replacing it
/// with one that is not in use: the parser accepts that, and has the first occurrence next to it.
struct TOMLRepetition {
  /// The second occurrence.
  let range: Range<Int>
  let message: String

  /// A name that no file uses.
  private static let unused = "\"‹unused›\""
  /// How many lists and inline tables may be open: the parser's limit.
  private static let mostOpen = 32

  /// - Parameter offset: Where the parser stopped.
  init?(before offset: Int, in source: SourceText, _ probe: TOMLProbe) {
    let text = source.bytes
    let header = Self.headerName(before: offset, in: source, probe)
    guard let (range, end) = header ?? Self.keyName(before: offset, in: text, probe) else {
      return nil
    }
    self.range = range
    let name = String(decoding: text[range], as: UTF8.self)
    let replaced = text[..<range.lowerBound] + (Self.unused + end).utf8
    let first = Self.entries(besideUnusedIn: Array(replaced))
      .flatMap { entries in Self.name(writtenAs: text[range]).flatMap { entries[$0] } }
    var message = "\(quoted(name)) is given twice; expected it once"
    if let first {
      message += ": it is already in line \(source.line(at: first.nameRange.lowerBound))"
      // A list of tables may have several headers, so that the reason would not be obvious.
      if end == "]]", !first.isTable || !first.isList { message += ", in another form" }
    }
    self.message = message
  }
}

// MARK: - The second occurrence

extension TOMLRepetition {
  /// The repeated name in a header, and what ends the header; `nil` if the parser did not stop because of a header.
  private static func headerName(
    before offset: Int, in source: SourceText, _ probe: TOMLProbe
  ) -> (Range<Int>, end: String)? {
    let isHeader = { (line: Range<Int>) in
      source.bytes[line].first { !" \t".utf8.contains($0) } == UInt8(ascii: "[")
    }
    // Some errors in headers are reported at the beginning of the next line.
    var line = source.lineRange(at: offset)
    if !isHeader(line), offset == line.lowerBound, offset > 0 {
      line = source.lineRange(at: offset - 1)
    }
    guard isHeader(line), probe.isComplete(upTo: line.lowerBound),
      !probe.isComplete(upTo: line.upperBound),
      let header = root(of: source.bytes[line])
    else { return nil }
    let isElement = source.bytes[line].drop { " \t".utf8.contains($0) }.starts(with: "[[".utf8)
    let end = isElement ? "]]" : "]"
    // The header is accepted if the repeated part or one before it is replaced.
    let names = names(in: header).map {
      line.lowerBound + $0.lowerBound..<line.lowerBound + $0.upperBound
    }
    return names.last { name in
      TOMLProbe(source.bytes[..<name.lowerBound] + (unused + end).utf8).isComplete
    }.map { ($0, end) }
  }

  /// The repeated name in a key, and what ends its entry; `nil` if the parser did not stop because of a key.
  private static func keyName(
    before offset: Int, in text: [UInt8], _ probe: TOMLProbe
  ) -> (Range<Int>, end: String)? {
    let end = " = 0"
    var start = offset
    // The parser stops at a part before a dot if it is already given and not a table, otherwise at the value.
    if let equals = text[..<offset].lastIndex(where: { !" \t".utf8.contains($0) }),
      text[equals] == UInt8(ascii: "=")
    {
      guard !probe.accepts("{}", at: offset),
        let last = text[..<equals].lastIndex(where: { !" \t".utf8.contains($0) })
      else { return nil }
      let isQuoted = "\"'".utf8.contains(text[last])
      start =
        isQuoted
        ? text[..<last].lastIndex(of: text[last]) ?? last
        : text[...last].lastIndex { !isBare($0) }.map { $0 + 1 } ?? 0
    }
    guard start < text.count else { return nil }
    let length =
      "\"'".utf8.contains(text[start])
      ? (text[(start + 1)...].firstIndex(of: text[start]) ?? start) + 1 - start
      : text[start...].prefix(while: isBare).count
    let range = start..<start + length
    guard name(writtenAs: text[range]) != nil, probe.accepts(unused + end, at: start) else {
      return nil
    }
    return (range, end)
  }

  /// Whether a name may hold the byte without quotation marks.
  private static func isBare(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default:
      false
    }
  }
}

// MARK: - The first occurrence

extension TOMLRepetition {
  private static func root(of text: some Collection<UInt8>) -> TOMLItem? {
    let text = Array(text)
    do throws(ParsedTOML.SyntaxError) {
      return try ParsedTOML(text).root(in: SourceText(text))
    } catch {
      return nil
    }
  }

  /// The parts of a header's name, from the first to the last.
  private static func names(in item: TOMLItem) -> [Range<Int>] {
    switch item.value {
    case .table(let entries):
      entries.values.first.map { [$0.nameRange] + names(in: $0) } ?? []
    case .array(let elements): elements.first.map(names) ?? []
    default: []
    }
  }

  /// A name without its quotation marks and escape sequences; `nil` if it is malformed.
  private static func name(writtenAs text: ArraySlice<UInt8>) -> String? {
    guard case .table(let entries) = root(of: text + "=0".utf8)?.value else { return nil }
    return entries.keys.first
  }

  /// The entries of the table that contains the unused name.
  private static func entries(besideUnusedIn text: [UInt8]) -> [String: TOMLItem]? {
    var text = text
    // Close the lists and inline tables that are still open.
    for _ in 0..<mostOpen where root(of: text) == nil {
      let probe = TOMLProbe(text)
      guard let end = ["}", "]"].first(where: { probe.accepts($0, at: text.count) }) else {
        return nil
      }
      text += end.utf8
    }
    let unused = String(unused.dropFirst().dropLast())
    func search(_ item: TOMLItem) -> [String: TOMLItem]? {
      switch item.value {
      case .table(let entries) where entries[unused] != nil: entries
      case .table(let entries): entries.values.lazy.compactMap(search).first
      case .array(let elements): elements.lazy.compactMap(search).first
      default: nil
      }
    }
    return root(of: text).flatMap(search)
  }
}
