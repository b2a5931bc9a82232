/// Finds out from the parser what it would accept at a given place of an invalid text.
struct TOMLProbe {
  private let text: [UInt8]

  init(_ text: some Collection<UInt8>) {
    self.text = Array(text)
  }

  /// Whether the text is valid TOML.
  var isComplete: Bool { isComplete(upTo: text.count) }

  /// Whether the text before an offset is valid TOML by itself.
  func isComplete(upTo offset: Int) -> Bool {
    Self.stop(in: text[..<offset]) == .end
  }

  /// Whether the parser accepts a candidate at an offset, in place of everything from there on.
  func accepts(_ candidate: String, at offset: Int) -> Bool {
    let text = text[..<offset] + candidate.utf8
    switch Self.stop(in: text) {
    case .end: return true
    case .nowhere: return false
    case .at(let position): return SourceText(Array(text)).offset(of: position) >= text.count
    }
  }

  /// Where the parser stops.
  private enum Stop: Equatable {
    /// At the end: the text is valid.
    case end
    case at(TextPosition)
    /// Somewhere, without reporting where.
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

// MARK: - Searching

extension TOMLProbe {
  /// Where the parser stops although it does not report a position.
  ///
  /// The shortest prefix that makes it do so ends there, unless the parser stops before with a position.
  func unreportedStop() -> Int {
    var (good, bad) = (0, text.count)
    while endOfCharacter(at: good) < bad {
      var middle = (good + bad) / 2
      while isContinuation(middle) { middle -= 1 }
      if middle == good { middle = endOfCharacter(at: good) }
      if Self.stop(in: text[..<middle]) == .nowhere { bad = middle } else { good = middle }
    }
    guard case .at(let position) = Self.stop(in: text[..<good]) else { return good }
    return min(SourceText(Array(text[..<good])).offset(of: position), good)
  }

  /// Whether an offset is inside a string.
  func isInString(at offset: Int) -> Bool {
    // Comments, too, accept any character, but no quotation mark ends them.
    accepts("§", at: offset) && !accepts("'''\"\"\"§", at: offset)
  }

  /// How many candidates a search tries, so that its cost stays linear.
  private static let mostTries = 64

  /// Where the string around an offset begins; `nil` if that is too far away.
  func startOfString(before offset: Int) -> Int? {
    let quotes = text[..<offset].indices.reversed().lazy.filter { isQuote(text[$0]) }
    guard let quote = quotes.prefix(Self.mostTries).first(where: { !isInString(at: $0) }) else {
      return nil
    }
    let isTriple = quote >= 2 && text[quote - 2..<quote].allSatisfy { $0 == text[quote] }
    return isTriple ? quote - 2 : quote
  }

  /// Where the innermost list that is open at an offset begins; `nil` if that is too far away.
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
