import Terminal

/// A mistake in the configuration, or an unwise setting.
public struct Problem: Equatable, Sendable {
  public enum Severity: String, Sendable {
    /// The configuration cannot be used.
    case error
    /// The configuration is read, but it probably does not do what was meant.
    case warning
    /// Perhaps nothing is wrong. A person who looks for a mistake may want to know it.
    case note
  }

  public let severity: Severity
  public let file: String
  /// The place in the file; `nil` if the problem is about the file as a whole.
  public let place: SourcePlace?
  /// One line without control characters: what was found, what was expected, and the nearest right name.
  public let message: String
  private let kind: Kind

  init(
    _ kind: Kind, severity: Severity = .error, file: String, place: SourcePlace? = nil,
    message: String
  ) {
    (self.kind, self.severity, self.place) = (kind, severity, place)
    (self.file, self.message) = (file.isEmpty ? "“”" : file.printable, message.printable)
  }

  /// The file, the line and the column, as compilers write them.
  public var location: String {
    place.map { "\(file):\($0.line):\($0.column)" } ?? file
  }
}

extension Problem: CustomStringConvertible {
  public var description: String { "\(location): \(message)" }

  /// The place and the message, with the line of the file and a mark below the wrong part.
  public func explanation(in characters: Characters = .unicode) -> String {
    ([description] + (place?.lines(in: characters) ?? [])).joined(separator: "\n")
  }

  /// The place and the kind of the problem, for a log.
  ///
  /// No names of keys may appear in a log, not even those in the configuration. `keydebounce check` shows the rest to everybody
  /// who may read the file.
  public var forLog: String {
    "\(location): \(kind == .file ? message : kind.rawValue)"
  }
}

extension Problem {
  /// The kind of a problem, in words that name no key.
  enum Kind: String, Sendable {
    /// A problem of a file as such. Its message names no key.
    case file
    case notTOML = "not TOML"
    case unknownName = "an unknown name"
    case misplaced = "a misplaced name"
    case unknownKey = "an unknown key"
    case wrongValue = "a value of the wrong kind"
    case outOfRange = "a number out of range"
    case repeatedKey = "a key that is given more than once"
    case badGroup = "an incomplete group"
    case badMeaning = "meanings of a key that contradict each other"
    case badChord = "an invalid panic chord"
    case longTime = "a time that is longer than is wise"
    case retired = "a parameter that no longer has an effect"
    case noMatch = "matches no device that is present; “keydebounce list” shows them all"
    case withoutEffect = "a table or a line without an effect"
    case hardlyMeant = "what is legal and hardly meant"
    case missingKey = "a key that the device does not have"
    case missingChord = "a panic chord that a keyboard does not have: the usual one holds there"
  }
}

/// Everything that is wrong with the configuration.
public struct ConfigurationErrors: Error, Equatable, Sendable, CustomStringConvertible {
  /// All errors and warnings, by file and line.
  public let findings: [Problem]

  public var problems: [Problem] { findings.filter { $0.severity == .error } }

  public var description: String { problems.map(\.description).joined(separator: "\n") }
}

/// A place in a line of a file, and the line for a terminal with a marker below the part that is wrong.
///
/// ```
///     KEY_EE = 40
///     ^~~~~~
/// ```
///
/// Tabs stay tabs in both lines. Wide characters count twice, combining marks not at all. Control characters are shown as
/// symbols. A long line is cut to the part around the marker, and “…” stands for the rest.
public struct SourcePlace: Equatable, Sendable {
  /// The line's number, from 1.
  public let line: Int
  /// The column, from 1. It counts characters as people do: a tab is one, and so is a letter with its accents.
  public let column: Int
  private let text: String
  /// The range of wrong characters in the text. An empty range marks the end of the line.
  private let marked: Range<Int>
  private let isCutBefore: Bool
  private let isCutAfter: Bool

  /// The most columns of a line that are shown, and how many of them stand before the marker in a longer line.
  private static let (widest, context) = (100, 40)

  /// - Parameter text: The whole line.
  init(line: Int, text: [Character], marking marked: Range<Int>) {
    func fitting(_ indices: some Sequence<Int>, into room: Int) -> Int {
      var room = room
      return indices.prefix { index in
        // A tab may take 8 columns.
        room -= text[index] == "\t" ? 8 : text[index].printable.columns
        return room >= 0
      }.count
    }
    // Where the line ends soon after the marker, more of it is shown before.
    var first = marked.lowerBound - fitting((0..<marked.lowerBound).reversed(), into: Self.context)
    if first + fitting(first..<text.count, into: Self.widest) == text.count {
      let indices = (0..<text.count).reversed()
      first = min(first, text.count - fitting(indices, into: Self.widest))
    }
    let end = first + fitting(first..<text.count, into: Self.widest)
    (self.line, column) = (line, marked.lowerBound + 1)
    self.text = String(text[first..<end])
    self.marked = marked.lowerBound - first..<min(marked.upperBound, end) - first
    (isCutBefore, isCutAfter) = (first > 0, end < text.count)
  }

  /// The line and the marker, for a terminal that shows these characters. Others are shown as bytes, `\xe2\x80\x9c`, because
  /// a substitute would hide a wrong quotation mark.
  public func lines(in characters: Characters) -> [String] {
    let cut = characters == .ascii ? "..." : "…"
    let start = "    " + (isCutBefore ? cut : "")
    var (line, marker) = (start, String(repeating: " ", count: start.count))
    for (index, character) in text.enumerated() {
      let isTab = character == "\t"
      var shown = isTab ? "\t" : character.printable
      if characters == .ascii, !shown.utf8.allSatisfy({ $0 < 0x80 }) {
        shown = shown.utf8.map { "\\x" + String($0, radix: 16) }.joined()
      }
      line += shown
      if index == marked.lowerBound, !marked.isEmpty {
        marker += "^" + String(repeating: "~", count: isTab ? 0 : shown.columns - 1)
      } else if index < marked.upperBound {
        let filling = index < marked.lowerBound ? " " : "~"
        marker += isTab ? "\t" : String(repeating: filling, count: shown.columns)
      }
    }
    return [line + (isCutAfter ? cut : ""), marker + (marked.isEmpty ? "^" : "")]
  }
}
