/// A name that is given a second time, at which the parser stopped.
///
/// The parser reports it where the value begins, or behind the header. The name is the one in whose place another would
/// be accepted, and beside that other one, the parser has the first.
struct TOMLRepetition {
  /// Where the name stands the second time.
  let range: Range<Int>
  let message: String

  /// A name that is not given anywhere.
  private static let unused = "\"‹unused›\""
  /// How many lists and inline tables within each other the parser takes.
  private static let mostOpen = 32

  /// - Parameter offset: Where the parser stopped.
  init?(before offset: Int, in source: SourceText, _ probe: TOMLProbe) {
    let text = source.bytes
    let names = Self.headerNames(before: offset, in: source, probe)
    guard let (range, end) = names ?? Self.keyName(before: offset, in: text, probe) else {
      return nil
    }
    self.range = range
    let name = String(decoding: text[range], as: UTF8.self)
    let replaced = text[..<range.lowerBound] + (Self.unused + end).utf8
    let first = Self.entries(besideUnusedIn: Array(replaced))
      .flatMap { entries in Self.name(writtenAs: text[range]).flatMap { entries[$0] } }
    var message = "\(quoted(name)) is given twice; expected it once"
    if let first {
      message += ": it stands in line \(source.line(at: first.nameRange.lowerBound)) already"
      // Lists of tables may be given more than once, which is perhaps what somebody tried.
      if end == "]]", !first.isTable || !first.isList { message += ", in another form" }
    }
    self.message = message
  }
}

// MARK: - The second time

extension TOMLRepetition {
  /// The name in a header, and what ends the header.
  private static func headerNames(
    before offset: Int, in source: SourceText, _ probe: TOMLProbe
  ) -> (Range<Int>, end: String)? {
    let isHeader = { (line: Range<Int>) in
      source.bytes[line].first { !" \t".utf8.contains($0) } == UInt8(ascii: "[")
    }
    // What is wrong with a header is sometimes reported at the beginning of the next line.
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
    // Only where the culprit or what comes before it is replaced, the header is accepted.
    let names = names(in: header).map {
      line.lowerBound + $0.lowerBound..<line.lowerBound + $0.upperBound
    }
    return names.last { name in
      TOMLProbe(source.bytes[..<name.lowerBound] + (unused + end).utf8).isComplete
    }.map { ($0, end) }
  }

  /// The name in a key, and what ends its entry.
  private static func keyName(
    before offset: Int, in text: [UInt8], _ probe: TOMLProbe
  ) -> (Range<Int>, end: String)? {
    let end = " = 0"
    var start = offset
    // The parser stops at a name if what stood there before is no table, and else at the value.
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

// MARK: - The first time

extension TOMLRepetition {
  private static func root(of text: some Collection<UInt8>) -> TOMLItem? {
    let text = Array(text)
    do throws(ParsedTOML.SyntaxError) {
      return try ParsedTOML(text).root(in: SourceText(text))
    } catch {
      return nil
    }
  }

  /// The names of a header from the outermost to the last.
  private static func names(in item: TOMLItem) -> [Range<Int>] {
    switch item.value {
    case .table(let entries):
      entries.values.first.map { [$0.nameRange] + names(in: $0) } ?? []
    case .array(let elements): elements.first.map(names) ?? []
    default: []
    }
  }

  /// What a name is without its quotation marks and escapes; `nil` if it is none.
  private static func name(writtenAs text: ArraySlice<UInt8>) -> String? {
    guard case .table(let entries) = root(of: text + "=0".utf8)?.value else { return nil }
    return entries.keys.first
  }

  /// The entries of the table in which the unused name is.
  private static func entries(besideUnusedIn text: [UInt8]) -> [String: TOMLItem]? {
    var text = text
    // What is still open, lists and inline tables within each other, is closed.
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
