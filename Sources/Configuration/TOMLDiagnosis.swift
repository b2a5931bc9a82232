/// What is wrong with a text that is not valid TOML, worded for the person who wrote it.
///
/// The parser reports where it stopped. To find out what it expected there, the text before that place is parsed again,
/// followed by one candidate or another (``TOMLProbe``). A candidate that the parser accepts would have been right.
struct TOMLDiagnosis: Error {
  private(set) var range: Range<Int>
  private(set) var message = ""

  private let source: SourceText
  private let probe: TOMLProbe
  private var text: [UInt8] { source.bytes }

  init(of error: ParsedTOML.SyntaxError, in source: SourceText) {
    self.source = source
    probe = TOMLProbe(source.bytes)
    let offset = error.stop.map(source.offset) ?? probe.unreportedStop()
    range = offset..<offset + 1
    range = offset..<endOfWord(from: offset)
    message = explanation(at: offset)
  }

  private mutating func explanation(at offset: Int) -> String {
    if let message = invisible(at: offset) ?? unfinishedString(at: offset) { return message }
    if let repetition = TOMLRepetition(before: offset, in: source, probe) {
      range = repetition.range
      return repetition.message
    }
    let value = valueRange(around: offset)
    if probe.accepts("{}", at: value.lowerBound) { return noValue(in: value, at: offset) }
    if probe.isComplete(upTo: offset) { return afterStatement(at: offset) }
    if isValueExpected(at: offset), !probe.accepts("a", at: offset) {
      return "found lists or tables nested too deeply; expected at most one inside another"
    }
    if probe.accepts("=", at: offset) { return "found \(found); expected “=” after the name" }
    let mayEndList = probe.accepts("]", at: offset)
    if probe.accepts(",", at: offset) {
      return mayEndList ? afterElement(at: offset) : afterEntry(at: offset)
    }
    if probe.accepts("a = 0", at: offset) { return noEntry(at: offset) }
    if mayEndList { return "found \(found); expected “]” after the table's name" }
    if probe.accepts("a", at: offset) {
      return "found \(found); expected the table's name after “[”"
    }
    return "found \(found), which does not belong here"
  }
}

// MARK: - What must not be parsed

extension TOMLDiagnosis {
  /// The longest line that is parsed, in bytes.
  private static let longestLine = 4096
  /// The most dots in a line that is parsed, except in comments.
  ///
  /// Each dot in a name nests one table more. Lists continue on the next line, so that names on 32 lines may nest in each
  /// other, and the parser recurses through all of them.
  private static let mostDots = 256

  /// Finds the first line that could exhaust the parser's stack; `nil` if there is none.
  init?(ofExcessIn source: SourceText) {
    self.source = source
    probe = TOMLProbe(source.bytes)
    for line in source.lineRanges where line.count > Self.mostDots {
      range = line
      if line.count > Self.longestLine {
        message = "found a line of \(line.count) bytes; expected at most \(Self.longestLine)"
        return
      }
      let content = source.bytes[line].drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
      let dots = content.indices.filter { content[$0] == UInt8(ascii: ".") }
      if content.first != UInt8(ascii: "#"), dots.count > Self.mostDots {
        range = dots[Self.mostDots]..<dots[Self.mostDots] + 1
        message =
          "found \(dots.count) dots in a line; expected names of one or two parts, such as device.name"
        return
      }
    }
    return nil
  }
}

// MARK: - What was found

extension TOMLDiagnosis {
  private func byte(at offset: Int) -> UInt8? {
    text.indices.contains(offset) ? text[offset] : nil
  }

  private func isLineEnd(_ offset: Int) -> Bool {
    byte(at: offset) == UInt8(ascii: "\n")
      || byte(at: offset) == UInt8(ascii: "\r") && byte(at: offset + 1) == UInt8(ascii: "\n")
  }

  private func isBlank(_ byte: UInt8) -> Bool { " \t\r\n".utf8.contains(byte) }

  private func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), 0x80...:
      true
    default:
      false
    }
  }

  /// Where the word that begins there ends, or the single character if it is not part of a word.
  private func endOfWord(from offset: Int) -> Int {
    max(text[min(offset, text.count)...].prefix(while: isWord).endIndex, offset + 1)
  }

  private func string(_ range: Range<Int>) -> String {
    String(decoding: text[range.clamped(to: text.indices)], as: UTF8.self)
  }

  /// What was found, for a message.
  private var found: String {
    if range.lowerBound >= text.count { return "the end of the file" }
    if isLineEnd(range.lowerBound) { return "the end of the line" }
    return quoted(string(range))
  }

  /// Whether the text before the offset ends in “=”, “[” or “,”, after which a value comes.
  private func isValueExpected(at offset: Int) -> Bool {
    text[..<offset].last { !isBlank($0) }.map { "=[,".utf8.contains($0) } ?? false
  }

  /// The value at the offset, or the one before it that the parser rejected only at its end; empty if there is neither.
  private func valueRange(around offset: Int) -> Range<Int> {
    let isEnd = { (byte: UInt8) in "\n,[]{}#\"'".utf8.contains(byte) }
    let value = text[offset...].prefix { !isEnd($0) }
    // A date may contain a blank; blanks at the end are not part of the value.
    let end = value.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? offset
    let isAfterValue = end == offset && probe.accepts(" ", at: offset)
    let before = text[..<offset].reversed().prefix {
      !isAfterValue && !isEnd($0) && !isBlank($0) && $0 != UInt8(ascii: "=")
    }
    return offset - before.count..<end
  }
}

// MARK: - What is wrong with it

extension TOMLDiagnosis {
  /// A control character, or a blank that TOML does not know.
  private mutating func invisible(at offset: Int) -> String? {
    if byte(at: offset - 1) == UInt8(ascii: "\r"), byte(at: offset) != UInt8(ascii: "\n") {
      return "found a carriage return within a line; expected one only at the end of a line"
    }
    guard !isLineEnd(offset), let scalar = string(range).unicodeScalars.first else { return nil }
    switch scalar.properties.generalCategory {
    case .control where scalar != "\t":
      let place = probe.isInString(at: offset) ? " in a string" : ""
      return "found a control character\(place); expected none but tabs"
    case .format, .spaceSeparator, .lineSeparator, .paragraphSeparator:
      guard !scalar.isASCII else { return nil }
      range = offset..<offset + UTF8.width(scalar)
      let code = String(scalar.value, radix: 16, uppercase: true)
      return "found the character U+\(code); expected a space or a tab"
    default:
      return nil
    }
  }

  /// A string that does not end, or that contains an escape sequence that does not exist.
  private mutating func unfinishedString(at offset: Int) -> String? {
    let line = source.lineRange(at: offset)
    let escape = text[line.lowerBound..<offset].lastIndex(of: UInt8(ascii: "\\"))
    let isEscape =
      escape.map { escape in
        text[(escape + 1)..<offset].allSatisfy {
          isBlank($0) || $0 | 0x20 == UInt8(ascii: "u") || Character(Unicode.Scalar($0)).isHexDigit
        } && probe.isInString(at: escape) && !probe.isInString(at: escape + 1)
      } ?? false
    guard isEscape || probe.isInString(at: offset) else { return nil }
    if let escape, isEscape, offset < text.count, !isLineEnd(offset) {
      range = escape..<endOfCharacter(at: offset)
      return
        "found \(quoted(string(range))) in a string; expected “\\\\” for a backslash, or single "
        + "quotation marks around the string, in which it stands for itself"
    }
    let start = probe.startOfString(before: escape.flatMap { isEscape ? $0 : nil } ?? offset)
    if let start { range = start..<max(offset, start + 1) }
    return "the string does not end; expected quotation marks of the same kind at its end"
  }

  private func endOfCharacter(at offset: Int) -> Int {
    text[(offset + 1)...].firstIndex { $0 & 0xc0 != 0x80 } ?? text.count
  }

  /// A value is expected, and is missing or malformed.
  private mutating func noValue(in value: Range<Int>, at offset: Int) -> String {
    let isInList = probe.accepts("]", at: value.lowerBound)
    guard !value.isEmpty, !"=]}".utf8.contains(text[value.lowerBound]) else {
      if isInList, offset >= text.count, let start = probe.startOfList(before: offset) {
        range = start..<start + 1
        return "the list that begins here does not end; expected “]”"
      }
      return isInList
        ? "found \(found) in a list; expected a value or “]”" : "found \(found); expected a value"
    }
    range = value
    return "\(quoted(string(value))) is not a value; expected \(valueMeant(by: string(value)))"
  }

  private static let numberAlone =
    "the number alone: times are milliseconds, and grab-after seconds"

  /// What the author of a malformed value probably meant.
  private func valueMeant(by word: String) -> String {
    let digits = word.drop { "+-".contains($0) }.replacing("_", with: "")
    if ["“", "”", "„", "«", "»", "‘", "’"].contains(where: { word.hasPrefix($0) }) {
      return "quotation marks of the plain kind, as \"eager\""
    } else if ["true", "false", "yes", "no", "on", "off"].contains(word.lowercased()) {
      return "true or false"
    } else if word.hasSuffix("ms"), Double(word.dropLast(2)) != nil {
      return Self.numberAlone
    } else if digits.first?.isNumber == true, digits.count > 16 || Double(word)?.isInfinite == true,
      digits.allSatisfy({ $0.isHexDigit || "xob.+-".contains($0) })
    {
      return "a number of fewer digits"
    } else if word.allSatisfy(\.isHexDigit), word.contains(where: \.isNumber) {
      return "0x\(word) if it is hexadecimal, and no zeros before a decimal number"
    } else if let first = word.first, first.isLetter, word.utf8.allSatisfy(isWord) {
      return "quotation marks around a word: \"\(word.prefix(60))\""
    }
    return "a number, true or false, or a string in quotation marks"
  }

  /// The end of a line is expected, or the beginning of a new statement.
  private func afterStatement(at offset: Int) -> String {
    let line = source.lineRange(at: offset)
    let before = text[line.lowerBound..<offset]
    guard before.contains(where: { !isBlank($0) }) else {
      return
        "found \(found); expected a name, a table in brackets, or a comment, which begins with “#”"
    }
    if before.first(where: { !isBlank($0) }) == UInt8(ascii: "["), TOMLProbe(before).isComplete {
      return "found \(found) after the table's name; expected the end of the line"
    }
    let isFraction =
      byte(at: offset) == UInt8(ascii: ",")
      && byte(at: offset + 1).map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } == true
    return "found \(found) after the value; expected "
      + (isFraction
        ? "a point before a fraction, as 12.5"
        : found == "“ms”"
          ? Self.numberAlone : "the end of the line")
  }

  /// “,” or “]” is expected.
  private func afterElement(at offset: Int) -> String {
    let start = probe.startOfList(before: offset)
    let message = "found \(found) in a list; expected “,” or “]”"
    guard let start, source.line(at: start) != source.line(at: offset) else { return message }
    return "\(message): the list begins in line \(source.line(at: start))"
  }

  /// “,” or “}” is expected.
  private func afterEntry(at offset: Int) -> String {
    offset >= text.count || isLineEnd(offset)
      ? "found \(found) in an inline table; expected it to end with “}” in the line where it begins"
      : "found \(found) in an inline table; expected “,” or “}”"
  }

  /// A name is expected: that of an entry in an inline table, or the next part after a dot.
  private func noEntry(at offset: Int) -> String {
    if text[..<offset].last(where: { !isBlank($0) }) == UInt8(ascii: ".") {
      return "found \(found); expected a name after the dot"
    }
    if byte(at: offset) == UInt8(ascii: "}") {
      return "found “}” after a comma; expected another entry, or no comma"
    }
    return offset >= text.count || isLineEnd(offset)
      ? afterEntry(at: offset)
      : "found \(found) in an inline table; expected an entry, as press = 25"
  }
}
