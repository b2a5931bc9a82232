/// What is wrong with a recording, and where.
public struct RecordingError: Error, Equatable, Sendable {
  /// The file's name, as it was given.
  public let file: String
  /// The line's number, from 1.
  public let line: Int
  /// What was found there, shortened; in words or in quotation marks.
  public let found: String
  /// What was expected there.
  public let expected: String

  public init(file: String, line: Int, found: String, expected: String) {
    self.file = file
    self.line = line
    self.found = found
    self.expected = expected
  }
}

extension RecordingError: CustomStringConvertible {
  public var description: String { "\(file):\(line): found \(found); expected \(expected)" }
}

extension RecordingError {
  /// The longest piece of a line that is shown.
  private static let longestQuotation = 80

  /// A line as it is shown in a message, without control characters, which a terminal would obey.
  static func quotation(of line: some Collection<UInt8>) -> String {
    let isShort = line.count <= longestQuotation
    let text = String(decoding: line.prefix(longestQuotation), as: UTF8.self)
    let shown = String.UnicodeScalarView(
      text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 })
    return "“\(String(shown))\(isShort ? "" : "…")”"
  }
}
