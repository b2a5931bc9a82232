import TOMLKit

/// What the parser says against a file that is no TOML, in words for whoever has written it.
struct TOMLMistake {
  private(set) var range: Range<Int>
  private(set) var message = ""

  private let text: [UInt8]
  private let source: SourceText
  private let places: TOMLPlaces

  init(_ error: any Error, in text: [UInt8], _ source: SourceText, _ places: TOMLPlaces) {
    self.text = text
    self.source = source
    self.places = places
    guard let error = error as? TOMLParseError else {
      range = 0..<1
      message = "\(error)"
      return
    }
    let begin = error.source.begin
    let offset = source.offset(line: begin.line, scalarColumn: begin.column)
    range = offset..<offset + 1
    // “Error while parsing table header: expected ']', saw 'x'”
    let parts = error.description.split(separator: ": ", maxSplits: 1).map(String.init)
    let scope = parts[0].split(separator: " ").dropFirst(3).joined(separator: " ")
    let reason = parts.count > 1 ? parts[1] : parts[0]
    range = offset..<endOfWord(from: offset)
    message = explain(scope, reason, at: offset)
  }

  private mutating func explain(_ scope: String, _ reason: String, at offset: Int) -> String {
    if reason.hasPrefix("cannot redefine") || reason.hasPrefix("cannot insert") {
      return repetition(reason, at: offset)
    }
    if reason.hasPrefix("expected '\\n' after '\\r'") {
      return "found a carriage return within a line; expected one before the end of a line at most"
    }
    if reason.hasPrefix("exceeded maximum nested") {
      return "found lists or tables too deep in each other; expected at most one in another"
    }
    switch scope {
    case "string", "literal string", "unicode scalar sequence": return string(reason, at: offset)
    case "array": return list(reason, at: offset)
    case "inline table": return inlineTable(reason)
    case "table header": return header(reason)
    case "root table":
      return
        "found \(found); expected a name, a table in brackets, or a comment, which begins with “#”"
    case "key-value pair", "key": return entry(reason, at: offset)
    case "comment": return "found a control character; expected none but tabs"
    default: return value(reason, at: offset)
    }
  }
}

// MARK: - What stands there

extension TOMLMistake {
  private func byte(at offset: Int) -> UInt8? {
    offset < text.count ? text[offset] : nil
  }

  private func isLineEnd(_ offset: Int) -> Bool {
    byte(at: offset) == UInt8(ascii: "\n")
      || byte(at: offset) == UInt8(ascii: "\r") && byte(at: offset + 1) == UInt8(ascii: "\n")
  }

  private func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), 0x80...:
      true
    default:
      false
    }
  }

  /// Where the word ends that begins there, or the one character that is no word.
  private func endOfWord(from offset: Int) -> Int {
    max(text[min(offset, text.count)...].prefix(while: isWord).endIndex, offset + 1)
  }

  private func string(_ range: Range<Int>) -> String {
    String(decoding: text[range.clamped(to: text.indices)], as: UTF8.self)
  }

  /// What has been found, in words.
  private var found: String {
    if range.lowerBound >= text.count { return "the end of the file" }
    if isLineEnd(range.lowerBound) { return "the end of the line" }
    return quoted(string(range))
  }

  /// Says where something begins that should have ended, if that is not in the same line.
  private func beginning(of whole: String, at start: Int?) -> String {
    guard let start, source.line(at: start) != source.line(at: range.lowerBound) else { return "" }
    return ": the \(whole) begins in line \(source.line(at: start))"
  }
}

// MARK: - What is wrong with it

extension TOMLMistake {
  private mutating func repetition(_ reason: String, at offset: Int) -> String {
    let line = source.line(at: offset)
    if let repetition = places.repetitions.first,
      repetition.range.lowerBound <= offset || source.line(at: repetition.range.lowerBound) == line
    {
      range = repetition.range
      return "\(quoted(string(range))) is given twice; expected it once: it stands in line "
        + "\(source.line(at: repetition.first.lowerBound)) already"
    }
    // “cannot redefine existing table 'a.b'”
    let words = reason.split(separator: "'", omittingEmptySubsequences: false).map(String.init)
    if byte(at: offset) == UInt8(ascii: "[") {
      range = offset..<(text[offset...].firstIndex(of: UInt8(ascii: "\n")) ?? text.count)
    }
    guard words.count > 1 else { return reason }
    return "\(quoted(words[1])) is given already, in another form; expected it in one place"
  }

  private mutating func string(_ reason: String, at offset: Int) -> String {
    let start = places.values(around: offset).first?.lowerBound
    if reason.hasPrefix("unknown escape") || reason.hasPrefix("expected hex digit") {
      range = max(offset - 1, 0)..<offset + 1
      return
        "found \(quoted(string(range))) in a string; expected “\\\\” for a backslash, or single "
        + "quotation marks around the string, in which it stands for itself"
    }
    if offset >= text.count || isLineEnd(offset) {
      if let start { range = start..<max(offset, start + 1) }
      return "the string does not end; expected quotation marks of the same kind at its end"
    }
    if reason.hasPrefix("unescaped control") || reason.hasPrefix("control characters") {
      return "found a control character in a string; expected none but tabs"
    }
    return "\(reason); expected a string in quotation marks"
  }

  private mutating func list(_ reason: String, at offset: Int) -> String {
    let start = places.values(around: offset).first {
      byte(at: $0.lowerBound) == UInt8(ascii: "[")
    }?
    .lowerBound
    if reason == "encountered end-of-file" {
      if let start { range = start..<start + 1 }
      return "the list that begins here does not end; expected “]”"
    }
    return reason.hasPrefix("expected value")
      ? "found \(found) in a list; expected a value or “]”"
      : "found \(found) in a list; expected “,” or “]”\(beginning(of: "list", at: start))"
  }

  private func inlineTable(_ reason: String) -> String {
    if reason.hasSuffix("(dangling comma)") {
      return "found “}” behind a comma; expected another entry, or no comma"
    }
    if reason.hasPrefix("expected key-value pair") {
      return "found \(found) in an inline table; expected an entry, as press = 25"
    }
    return range.lowerBound >= text.count || isLineEnd(range.lowerBound)
      ? "found \(found) in an inline table; expected it to end with “}” in the line where it begins"
      : "found \(found) in an inline table; expected “,” or “}”"
  }

  private func header(_ reason: String) -> String {
    if reason.hasPrefix("expected ']'") {
      return "found \(found); expected “]” after the table's name"
    }
    if reason.hasPrefix("expected a comment") {
      return "found \(found) behind the table's name; expected the end of the line"
    }
    return range.lowerBound >= text.count
      ? "found \(found); expected the table's name and “]”"
      : "found \(found); expected the table's name after “[”"
  }

  private func entry(_ reason: String, at offset: Int) -> String {
    if reason.hasPrefix("expected '='") { return "found \(found); expected “=” after the name" }
    if reason.hasPrefix("expected a comment") {
      let isFraction =
        byte(at: offset) == UInt8(ascii: ",")
        && byte(at: offset + 1).map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } == true
      return "found \(found) behind the value; expected "
        + (isFraction
          ? "a point before a fraction, as 12.5"
          : found == "“ms”"
            ? "the number alone: all times are milliseconds" : "the end of the line")
    }
    if reason.hasPrefix("expected value") || reason == "encountered end-of-file" {
      return "found \(found); expected a value"
    }
    return "found \(found); expected a name, “=” and a value"
  }

  /// Numbers, flags, and words that are neither.
  private mutating func value(_ reason: String, at offset: Int) -> String {
    if let whole = places.values(around: offset).first, whole.lowerBound < whole.upperBound {
      range = whole.lowerBound..<max(whole.upperBound, whole.lowerBound + 1)
    }
    let word = string(range)
    let expected: String
    if reason.hasSuffix("is not representable in 64 bits") {
      expected = "a number of fewer digits"
    } else if ["“", "”", "„", "«", "»", "‘", "’"].contains(where: { word.hasPrefix($0) }) {
      expected = "quotation marks of the plain kind, as \"eager\""
    } else if ["true", "false", "yes", "no", "on", "off"].contains(word.lowercased()) {
      expected = "true or false"
    } else if word.hasSuffix("ms"), Double(word.dropLast(2)) != nil {
      expected = "the number alone: all times are milliseconds"
    } else if word.allSatisfy(\.isHexDigit), word.contains(where: \.isNumber) {
      expected = "0x\(word) if it is hexadecimal, and no zeros before a decimal number"
    } else if let first = word.first, first.isLetter, word.utf8.allSatisfy(isWord) {
      expected = "quotation marks around a word: \"\(word.prefix(60))\""
    } else if word.isEmpty || "=]}".contains(word.prefix(1)) {
      return "found \(found); expected a value"
    } else {
      expected = "a number, true or false, or a string in quotation marks"
    }
    return "\(quoted(word)) is no value; expected \(expected)"
  }
}
