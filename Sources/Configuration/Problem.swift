import Terminal

/// One thing that is wrong with the configuration, or unwise.
public struct Problem: Equatable, Sendable {
  public enum Severity: String, Sendable {
    /// Nothing can be done with the configuration.
    case error
    /// The configuration is read, but it probably does not do what was meant.
    case warning
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
  /// How many characters of the line are wrong.
  public var length: Int? { place?.length }

  /// Where it is, as compilers write it: the file, the line and the column.
  public var location: String {
    place.map { "\(file):\($0.line):\($0.column)" } ?? file
  }
}

extension Problem: CustomStringConvertible {
  /// Where and what, in one line.
  public var description: String { "\(location): \(message)" }

  /// The same with the line of the file, and what is wrong marked in it.
  public var explanation: String {
    guard let excerpt = place?.excerpt else { return description }
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
    case withoutEffect = "a table without an effect"
    case missingKey = "a key that the device does not have"
    case missingChord = "a panic chord that a keyboard does not have: the usual one holds there"
  }
}
