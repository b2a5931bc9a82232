/// A pattern for text: `*` stands for any number of characters, `?` for one. Behind a backslash they stand for themselves, as
/// does another backslash.
public struct Glob: Equatable, Sendable {
  public let pattern: String
  private let parts: [Part]

  private enum Part: Equatable {
    case any, one
    case character(Character)
  }

  public init(_ pattern: String) {
    self.pattern = pattern
    var (parts, rest): ([Part], Substring) = ([], pattern[...])
    while let character = rest.popFirst() {
      switch character {
      case "*": parts.append(.any)
      case "?": parts.append(.one)
      case "\\" where rest.first.map(Self.isSpecial) ?? false:
        parts.append(.character(rest.removeFirst()))
      default: parts.append(.character(character))
      }
    }
    self.parts = parts
  }

  /// The pattern that matches this text alone.
  public static func escaping(_ text: String) -> String {
    text.map { isSpecial($0) ? "\\\($0)" : String($0) }.joined()
  }

  private static func isSpecial(_ character: Character) -> Bool { "*?\\".contains(character) }

  public var hasWildcards: Bool { literalCount < parts.count }

  /// How many characters stand for themselves.
  var literalCount: Int { parts.count { $0 != .any && $0 != .one } }

  public func matches(_ text: String) -> Bool {
    // For each length of a beginning of the text, whether the parts so far match that.
    var matched = [true] + text.map { _ in false }
    for part in parts {
      var next = [part == .any && matched[0]]
      for (index, character) in text.enumerated() {
        let isMet = part == .one || part == .character(character)
        next.append(part == .any ? matched[index + 1] || next[index] : matched[index] && isMet)
      }
      matched = next
    }
    return matched.last == true
  }
}

// MARK: - What looks like a pattern of another kind

extension Glob {
  /// The pattern that somebody meant who wrote a regular expression; `nil` if the text does not look like one, or is too long
  /// for the name of a device.
  static func meant(by text: String) -> Glob? {
    guard text.utf8.count <= 256, looksLikeExpression(text) else { return nil }
    let (isFromStart, isToEnd) = (text.hasPrefix("^"), text.hasSuffix("$"))
    var rest = text.dropFirst(isFromStart ? 1 : 0).dropLast(isToEnd ? 1 : 0)
    // An expression with one anchor looks for its text, so that anything may stand at the other end.
    var pattern = isToEnd && !isFromStart ? "*" : ""
    while let character = rest.popFirst() {
      var (part, isAny) = (String(character), character == ".")
      if character == "\\", let next = rest.popFirst() {
        isAny = "dwsDWS".contains(next)
        part = isAny ? "?" : escaping(String(next))
      } else if character == "[", let end = rest.firstIndex(of: "]") {
        rest = rest[rest.index(after: end)...]
        (part, isAny) = ("?", true)
      }
      if isAny, let sign = rest.first, "*+?{".contains(sign) {
        rest = sign == "{" ? rest.drop { $0 != "}" }.dropFirst() : rest.dropFirst()
        part = "*"
      }
      let endsWithStar = pattern.hasSuffix("*") && !pattern.hasSuffix("\\*")
      if part != "*" || !endsWithStar { pattern += part }
    }
    return Glob(isFromStart && !isToEnd && !pattern.hasSuffix("*") ? pattern + "*" : pattern)
  }

  private static func looksLikeExpression(_ text: String) -> Bool {
    text.hasPrefix("^") || text.hasSuffix("$") || text.contains(".+")
      || ["\\d", "\\w", "\\s", "\\."].contains(where: text.contains)
      || text.firstRange(of: "[").map { text[$0.upperBound...].dropFirst().first == "-" } ?? false
      || text.ranges(of: ".*").contains { range in
        // As in “Logitech, Inc. *”.
        let word = text[..<range.lowerBound].reversed().prefix { $0.isLetter }
        return !["inc", "ltd", "co", "corp"].contains(String(word.reversed()).lowercased())
      }
  }
}
