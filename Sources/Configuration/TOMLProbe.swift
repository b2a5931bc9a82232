/// Finds out from the parser what may stand at a place of a text that is no TOML.
struct TOMLProbe {
  private let text: [UInt8]

  init(_ text: some Collection<UInt8>) {
    self.text = Array(text)
  }

  /// Whether the text is TOML.
  var isComplete: Bool { isComplete(upTo: text.count) }

  /// Whether the text before a byte is TOML by itself.
  func isComplete(upTo offset: Int) -> Bool {
    Self.stop(in: text[..<offset]) == .end
  }

  /// Whether the parser goes on behind an insertion, were it to stand at a byte instead of all that does.
  ///
  /// - Parameter insertion: Does not end in a line's end.
  func accepts(_ insertion: String, at offset: Int) -> Bool {
    let text = text[..<offset] + insertion.utf8
    switch Self.stop(in: text) {
    case .end: return true
    case .nowhere: return false
    case .at(let position): return SourceText(Array(text)).offset(of: position) >= text.count
    }
  }

  /// What comes of a text.
  private enum Stop: Equatable {
    /// It is TOML.
    case end
    case at(TextPosition)
    /// It is none, and the parser does not report where.
    case nowhere
  }

  private static func stop(in text: ArraySlice<UInt8>) -> Stop {
    do throws(ParsedTOML.SyntaxError) {
      _ = try ParsedTOML(text)
      return .end
    } catch {
      return error.stop.map(Stop.at) ?? .nowhere
    }
  }
}

// MARK: - Looking for a place

extension TOMLProbe {
  /// Where the parser stops that does not report it: at the first character with which it does not, or before it.
  func firstRefusal() -> Int {
    var (accepted, refused) = (0, text.count)
    while endOfCharacter(at: accepted) < refused {
      var middle = (accepted + refused) / 2
      while isContinuation(middle) { middle -= 1 }
      if middle == accepted { middle = endOfCharacter(at: accepted) }
      if Self.stop(in: text[..<middle]) == .nowhere { refused = middle } else { accepted = middle }
    }
    guard case .at(let position) = Self.stop(in: text[..<accepted]) else { return accepted }
    return min(SourceText(Array(text[..<accepted])).offset(of: position), accepted)
  }

  /// Whether whatever may be written there would be part of a string.
  func isInString(at offset: Int) -> Bool {
    // In a comment as well, but there no quotation mark ends it.
    accepts("§", at: offset) && !accepts("'''\"\"\"§", at: offset)
  }

  /// How many places are tried. A file that has more of them is another kind of file.
  private static let mostTries = 64

  /// Where the string begins in which a byte stands; `nil` if that is far away.
  func startOfString(before offset: Int) -> Int? {
    let quotes = text[..<offset].indices.reversed().lazy.filter { isQuote(text[$0]) }
    guard let quote = quotes.prefix(Self.mostTries).first(where: { !isInString(at: $0) }) else {
      return nil
    }
    let isTriple = quote >= 2 && text[quote - 2..<quote].allSatisfy { $0 == text[quote] }
    return isTriple ? quote - 2 : quote
  }

  /// Where the innermost list begins that has not ended before a byte; `nil` if that is far away.
  func startOfList(before offset: Int) -> Int? {
    let brackets = text[..<offset].indices.reversed().lazy.filter {
      text[$0] == UInt8(ascii: "[")
    }
    return brackets.prefix(Self.mostTries).first { start in
      TOMLProbe(Array("a = ".utf8) + text[start..<offset] + "\n]".utf8).isComplete
    }
  }

  private func isQuote(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
  }

  private func isContinuation(_ offset: Int) -> Bool { text[offset] & 0xc0 == 0x80 }

  private func endOfCharacter(at offset: Int) -> Int {
    text[(offset + 1)...].firstIndex { $0 & 0xc0 != 0x80 } ?? text.count
  }
}
