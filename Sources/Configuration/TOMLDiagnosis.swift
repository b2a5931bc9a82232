import CTOML

/// The reason why a text is not valid TOML: the parser's words, and advice if the line shows one of the commonest mistakes.
struct TOMLDiagnosis: Error {
  let range: Range<Int>
  let message: String

  init(ofNoTextAt offset: Int) {
    range = offset..<offset + 1
    message = "found bytes that are not text; expected TOML in UTF-8"
  }

  init(of error: ctoml_error, in source: SourceText, _ labels: KeyLabels) {
    let stop = source.stop(of: error) ?? source.unreportedStop
    range = stop..<source.endOfWord(from: stop)
    let words = withUnsafeBytes(of: error.message) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
    let line = TOMLLine(at: stop, in: source)
    let said =
      line.openMark.map { "the string is not closed; end it with \($0)" }
      ?? (words.isEmpty
        ? "the parser gives up in this line" : words.replacing("Error while ", with: ""))
    message = "not TOML: " + said + (line.advice(labels).map { "; \($0)" } ?? "")
  }
}

extension SourceText {
  /// At which byte the parser stopped; `nil` if it does not say.
  fileprivate func stop(of error: ctoml_error) -> Int? {
    error.region.begin.line > 0 ? offset(of: error.region.begin) : nil
  }

  /// The beginning of the line in which the parser stops without saying where.
  fileprivate var unreportedStop: Int {
    var (good, bad) = (0, lines.count - 1)
    while good < bad {
      let middle = (good + bad) / 2
      let start = SourceText(Array(bytes.prefix(lines[middle].upperBound + 1)))
      var error = ctoml_error()
      let document = start.parse(&error)
      defer { if let document { ctoml_free(document) } }
      if document == nil, start.stop(of: error) == nil { bad = middle } else { good = middle + 1 }
    }
    return lines[good].lowerBound
  }

  /// The end of the word that begins at a byte, or of the single character if that is not part of a word.
  fileprivate func endOfWord(from offset: Int) -> Int {
    let isWord = { (byte: UInt8) in byte >= 0x80 || Unicode.Scalar(byte).isInNames }
    return max(bytes[min(offset, bytes.count)...].prefix(while: isWord).endIndex, offset + 1)
  }
}

// MARK: - Texts that must not be parsed

extension TOMLDiagnosis {
  /// The longest line that is parsed, in bytes.
  private static let longestLine = 4096
  /// The most dots in a line that is parsed, comments aside.
  ///
  /// Each dot in a name nests one more table. A list continues on the next line, so that the names of 32 lines may nest in each
  /// other. The parser recurses through all of them.
  private static let mostDots = 256

  /// Finds the first line that could exhaust the parser's stack; `nil` if there is none.
  init?(ofExcessIn source: SourceText) {
    for line in source.lines where line.count > Self.mostDots {
      if line.count > Self.longestLine {
        range = line
        message =
          "not TOML: found a line of \(line.count) bytes; expected at most \(Self.longestLine)"
        return
      }
      let content = source.bytes[line].drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
      let dots = content.indices.filter { content[$0] == UInt8(ascii: ".") }
      if content.first != UInt8(ascii: "#"), dots.count > Self.mostDots {
        range = dots[Self.mostDots]..<dots[Self.mostDots] + 1
        message =
          "not TOML: found \(dots.count) dots in a line; expected names of one or two parts, such as device.name"
        return
      }
    }
    return nil
  }
}

// MARK: - The commonest mistakes

/// A line that the parser refuses, as a person reads it.
private struct TOMLLine {
  private let whole: String
  private let text: String
  /// The text before “=”; the whole line if it has none.
  private let name: String
  /// The text behind “=”, with the comment and without; `nil` if there is no “=”.
  private let rest: String?
  private let value: String?

  /// - Parameter stop: Where the parser stopped. It reports a mistake at a line's end at the beginning of the next line.
  init(at stop: Int, in source: SourceText) {
    func line(at offset: Int) -> Range<Int> { source.lines[source.line(at: offset) - 1] }
    let range = line(at: stop).isEmpty && stop > 0 ? line(at: stop - 1) : line(at: stop)
    whole = String(decoding: source.bytes[range], as: UTF8.self)
    text = whole.withoutBlanksAtEnds
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    name = parts[0].withoutBlanksAtEnds
    rest = parts.count > 1 ? parts[1].withoutBlanksAtEnds : nil
    value = rest.map { $0.prefix { $0 != "#" }.withoutBlanksAtEnds }
  }

  /// The quotation mark of a string that is not closed; `nil` if there is none.
  var openMark: Character? {
    guard let rest, let mark = rest.first, mark == "\"" || mark == "'" else { return nil }
    return rest.dropFirst().contains(mark) ? nil : mark
  }

  /// Advice on what to write; `nil` if the line shows none of these mistakes.
  func advice(_ labels: KeyLabels) -> String? {
    if let blank = whole.unicodeScalars.first(where: { !$0.isASCII && $0.isBlank }) {
      let code = String(blank.value, radix: 16, uppercase: true)
      return "write a space or a tab for the character U+\(code)"
    }
    if text.contains(where: { "“”„«»‘’".contains($0) }) {
      return "write plain quotation marks, as \"eager\""
    }
    if value != nil, let advice = adviceOnKey(labels) { return advice }
    if ["//", ";", "--", "/*"].contains(where: text.hasPrefix) {
      return "a comment begins with “#”"
    }
    guard let value else {
      // A header, or a part of a list.
      let isOther = text.isEmpty || ["[", "\"", "'"].contains(where: text.hasPrefix)
      return isOther ? nil : "a setting is a name, “=” and its value"
    }
    if value.isEmpty { return "write a value after “=”" }
    if Self.numbers.contains(name), value.count <= 4, value.allSatisfy(\.isHexDigit) {
      return "write 0x before a number in hexadecimal: \(name) = 0x\(value)"
    }
    if let advice = adviceOnText(value) { return advice }
    if ["true", "false", "yes", "no", "on", "off"].contains(value.lowercased()) {
      return "write true or false"
    }
    let number = value.prefix { $0.isNumber || "+-.,_".contains($0) }
    let rest = value.dropFirst(number.count).withoutBlanksAtEnds
    if !number.isEmpty, ["ms", "s", "msec", "seconds"].contains(rest.lowercased()) {
      return "write the number alone: times are milliseconds, and grab-after seconds"
    }
    if rest.isEmpty, number.contains(",") { return "write a point before a fraction, as 12.5" }
    if value.first?.isLetter == true, value.allSatisfy({ $0.isLetter || "_-".contains($0) }) {
      return "write quotation marks around a word: \"\(value.prefix(60))\""
    }
    return nil
  }
}

extension TOMLLine {
  /// The settings whose values are often copied from lists in which they stand in hexadecimal.
  private static let numbers = ["vendor", "product", "version"]
  /// The settings whose values are strings, and often copied without quotation marks.
  private static let texts = ["name", "phys", "uniq", "link", "seat", "clone-name"]

  /// Advice for a line that names a key by what stands on it, or all keys by a sign.
  private func adviceOnKey(_ labels: KeyLabels) -> String? {
    if KeyNames.meansAll(name) { return KeyNames.adviceForAll }
    // A bracket begins a header.
    guard name.count == 1, name != "[",
      name.unicodeScalars.allSatisfy({ !$0.isASCII || !$0.isInNames })
    else {
      return nil
    }
    return KeyNames.nearest(to: name, labels: labels()).map { "the key is called \($0)" }
      ?? KeyNames.adviceForLabels
  }

  private func adviceOnText(_ value: String) -> String? {
    let isQuoted = value.hasPrefix("\"") || value.hasPrefix("'")
    if isQuoted, let meant = Glob.meant(by: String(value.dropFirst().dropLast())) {
      return
        "only * and ? are special in a pattern, which is no regular expression: \(name) = \"\(meant.pattern)\""
    }
    guard Self.texts.contains(name), !isQuoted, !value.contains(where: { "\"'\\".contains($0) })
    else { return nil }
    return "write quotation marks around a text: \"\(value.prefix(60))\""
  }
}

extension Unicode.Scalar {
  /// Whether TOML has it in names without quotation marks.
  fileprivate var isInNames: Bool {
    properties.isAlphabetic || ("0"..."9").contains(self) || self == "_" || self == "-"
  }

  /// Whether the character is a blank, or cannot be seen.
  fileprivate var isBlank: Bool {
    switch properties.generalCategory {
    case .format, .spaceSeparator, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}
