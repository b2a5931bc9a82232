import Terminal

/// One thing that is wrong with the configuration, or unwise.
public struct Problem: Equatable, Sendable {
  public enum Severity: String, Sendable {
    /// Nothing can be done with the configuration.
    case error
    /// The configuration is read, but it probably does not do what was meant.
    case warning
    /// Nothing need be wrong: it is said because it is what one looks for.
    case note
  }

  public let severity: Severity
  /// The file or folder.
  public let file: String
  /// Where in the file; `nil` if it is about the file as a whole.
  public let place: SourcePlace?
  /// What was found, what was expected, and the nearest right name: one line, without control characters.
  public let message: String
  private let kind: Kind

  init(
    _ kind: Kind, severity: Severity = .error, file: String, place: SourcePlace? = nil,
    message: String
  ) {
    self.severity = severity
    self.kind = kind
    self.file = file.printable
    self.place = place
    self.message = message.printable
  }

  /// The line's number, from 1; `nil` if it is about the file as a whole.
  public var line: Int? { place?.line }
  /// The column, from 1, in characters as people count them: a tab is one, and so is a letter with its accents.
  public var column: Int? { place?.column }

  /// Where it is, as compilers write it: the file, the line and the column.
  public var location: String {
    place.map { "\(file):\($0.line):\($0.column)" } ?? file
  }
}

extension Problem: CustomStringConvertible {
  /// Where and what, in one line.
  public var description: String { "\(location): \(message)" }

  /// The same with the line of the file, and what is wrong marked in it.
  public func explanation(in characters: Characters = .unicode) -> String {
    guard let excerpt = place?.excerpt.lines(in: characters) else { return description }
    return "\(description)\n\(excerpt.line)\n\(excerpt.marker)"
  }

  /// Where, and of what kind: what may appear in a log.
  ///
  /// Names of keys never do, not even those in the configuration. `keydebounce check` shows the rest to everyone who
  /// may read the file.
  public var forLog: String {
    "\(location): \(kind == .file ? message : kind.rawValue)"
  }
}

extension Problem {
  /// What kind of thing is wrong, in words that name no key.
  enum Kind: String, Sendable {
    /// It is about files as such; the message itself names no key.
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
  /// Everything that was found, errors and warnings, by file and line.
  public let findings: [Problem]

  init(_ findings: [Problem]) {
    self.findings = findings
  }

  /// The errors.
  public var problems: [Problem] { findings.filter { $0.severity == .error } }

  public var description: String { problems.map(\.description).joined(separator: "\n") }
}

/// A place in a line of a file.
public struct SourcePlace: Equatable, Sendable {
  /// The line's number, from 1.
  public let line: Int
  /// The column, from 1, in characters as people count them.
  public let column: Int
  /// How many characters it is long, at least 1, up to the end of the line.
  public let length: Int
  /// The line and a marker below it, for a terminal.
  public let excerpt: SourceExcerpt
}

/// A line of a file for a terminal, and a marker below the part that is wrong.
///
/// ```
///     KEY_EE = 40
///     ^~~~~~
/// ```
///
/// Tabs stay tabs in both lines; wide characters count twice, combining marks not at all; control characters are shown
/// as symbols. Of a long line, only the part around the marker is shown, and “…” stands for the rest.
public struct SourceExcerpt: Equatable, Sendable {
  private let text: String
  /// Which of its characters are wrong; if empty, the end of the line is.
  private let marked: Range<Int>
  private let isCutBefore: Bool
  private let isCutAfter: Bool

  /// How many columns of a line are shown, and how many of them before the marker if the line is longer.
  static let (widest, context) = (100, 40)

  /// - Parameters:
  ///   - line: The line, or as much of it as matters.
  ///   - isBegun: Whether the line begins before that.
  ///   - isContinued: Whether the line continues after it.
  init(of line: [Character], marking marked: Range<Int>, isBegun: Bool, isContinued: Bool) {
    // A tab may take as many.
    let widths = line.map { $0 == "\t" ? 8 : $0.printable.columns }
    func fitting(_ widths: some Sequence<Int>, _ room: Int) -> Int {
      var room = room
      return widths.prefix { width in
        room -= width
        return room >= 0
      }.count
    }
    // More before the marker if the line ends soon after it.
    let before = max(Self.context, Self.widest - widths[marked.lowerBound...].reduce(0, +))
    let first = marked.lowerBound - fitting(widths[..<marked.lowerBound].reversed(), before)
    let end = first + fitting(widths[first...], Self.widest)
    text = String(line[first..<end])
    self.marked = marked.lowerBound - first..<min(marked.upperBound, end) - first
    (isCutBefore, isCutAfter) = (isBegun || first > 0, isContinued || end < line.count)
  }

  public var line: String { lines(in: .unicode).line }
  public var marker: String { lines(in: .unicode).marker }

  /// The line and the marker for a terminal that shows these characters: what it cannot show are bytes, `\xe2\x80\x9c`.
  /// A substitute would hide a wrong quotation mark.
  public func lines(in characters: Characters) -> (line: String, marker: String) {
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
    return (line + (isCutAfter ? cut : ""), marker + (marked.isEmpty ? "^" : ""))
  }
}
