/// A token of Swift source: so much of the language as it takes to find operators, constants and conditions.
struct Token: Equatable {
  enum Kind: Equatable { case name, number, symbol, string, punctuation }

  let kind: Kind
  /// Where it stands in the source, in bytes.
  let range: Range<Int>
  let text: String
  /// Whether there is white space on both sides, as there is around each binary operator.
  let isApart: Bool
}

/// Splits Swift source into tokens. Comments are left out, and strings are whole, with all that is interpolated in them.
struct Tokeniser {
  private let source: [UInt8]
  private var position = 0
  private var tokens: [Token] = []

  static func tokens(of source: [UInt8]) -> [Token] {
    var tokeniser = Tokeniser(source: source)
    while tokeniser.position < source.count { tokeniser.step() }
    return tokeniser.tokens
  }

  private init(source: [UInt8]) { self.source = source }

  private static let symbols = Set("/=-+!*%<>&|^~?".utf8)
  private static let spaces = Set(" \n\t".utf8)

  private func byte(_ offset: Int = 0) -> UInt8 {
    position + offset < source.count ? source[position + offset] : 10
  }

  private func isAt(_ text: StaticString) -> Bool {
    text.withUTF8Buffer { text in text.indices.allSatisfy { byte($0) == text[$0] } }
  }

  private static func isName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"),
      UInt8(ascii: "`"), 0x80...:
      true
    default: false
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
  }

  private mutating func step() {
    let start = position
    if Self.spaces.contains(byte()) {
      position += 1
    } else if isAt("//") {
      while position < source.count, byte() != 10 { position += 1 }
    } else if isAt("/*") {
      skipComment()
    } else if byte() == UInt8(ascii: "\"") || isAt("#\"") {
      skipString()
      add(.string, from: start)
    } else if Self.isDigit(byte()) {
      skipNumber()
      add(.number, from: start)
    } else if Self.isName(byte()) {
      while Self.isName(byte()), position < source.count { position += 1 }
      add(.name, from: start)
    } else if Self.symbols.contains(byte()) || isAt("..") {
      while Self.symbols.contains(byte()) || byte() == UInt8(ascii: ".") { position += 1 }
      add(.symbol, from: start)
    } else {
      position += 1
      add(.punctuation, from: start)
    }
  }

  private mutating func add(_ kind: Token.Kind, from start: Int) {
    let before = start > 0 ? source[start - 1] : 10
    tokens.append(
      Token(
        kind: kind, range: start..<position,
        text: String(decoding: source[start..<position], as: UTF8.self),
        isApart: Self.spaces.contains(before) && Self.spaces.contains(byte())))
  }

  private mutating func skipComment() {
    var depth = 0
    repeat {
      if isAt("/*") {
        depth += 1
        position += 2
      } else if isAt("*/") {
        depth -= 1
        position += 2
      } else {
        position += 1
      }
    } while depth > 0 && position < source.count
  }

  private mutating func skipNumber() {
    while Self.isName(byte()) || byte() == UInt8(ascii: ".") && Self.isDigit(byte(1)) {
      // The index in a tuple of a tuple.
      if byte() == UInt8(ascii: "."), tokens.last?.text == "." { return }
      position += 1
    }
  }

  private mutating func skipString() {
    let isRaw = byte() == UInt8(ascii: "#")
    if isRaw { position += 1 }
    let quotes = isAt("\"\"\"") ? 3 : 1
    position += quotes
    while position < source.count {
      if byte() == UInt8(ascii: "\\"), !isRaw || byte(1) == UInt8(ascii: "#") {
        position += isRaw ? 2 : 1
        if byte() == UInt8(ascii: "(") { skipInterpolation() } else { position += 1 }
      } else if quotes == 3 ? isAt("\"\"\"") : byte() == UInt8(ascii: "\"") {
        position += quotes + (isRaw ? 1 : 0)
        return
      } else {
        position += 1
      }
    }
  }

  private mutating func skipInterpolation() {
    var depth = 0
    repeat {
      switch byte() {
      case UInt8(ascii: "("): depth += 1
      case UInt8(ascii: ")"): depth -= 1
      case UInt8(ascii: "\""):
        skipString()
        continue
      default: break
      }
      position += 1
    } while depth > 0 && position < source.count
  }
}
