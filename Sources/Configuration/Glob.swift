/// A pattern for text: `*` stands for any number of characters, `?` for one.
public struct Glob: Equatable, Sendable {
  public let pattern: String
  private let characters: [Character]

  public init(_ pattern: String) {
    self.pattern = pattern
    characters = Array(pattern)
  }

  /// Whether it has a wildcard.
  public var hasWildcards: Bool { literalCount < characters.count }

  /// How many characters stand for themselves.
  var literalCount: Int { characters.filter { $0 != "*" && $0 != "?" }.count }

  /// Whether the whole text matches.
  public func matches(_ text: String) -> Bool {
    let text = Array(text)
    var (position, index) = (0, 0)
    // Where the last star stands, and what of the text it has taken. More than the last is never needed.
    var star: (position: Int, index: Int)?
    while index < text.count {
      if position < characters.count, characters[position] == "*" {
        star = (position, index)
        position += 1
      } else if position < characters.count,
        characters[position] == "?" || characters[position] == text[index]
      {
        position += 1
        index += 1
      } else if let last = star {
        star = (last.position, last.index + 1)
        position = last.position + 1
        index = last.index + 1
      } else {
        return false
      }
    }
    return characters[position...].allSatisfy { $0 == "*" }
  }
}
