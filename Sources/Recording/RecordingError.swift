/// A mistake in a recording, and its place.
public struct RecordingError: Error, Equatable, Sendable {
  /// The file's name as the caller gave it.
  public let file: String
  /// The line's number, from 1.
  public let line: Int
  /// The words for what was found there, or the line in quotation marks, shortened.
  public let found: String
  public let expected: String
}

extension RecordingError: CustomStringConvertible {
  public var description: String { "\(file):\(line): found \(found); expected \(expected)" }

  /// The most bytes of a line that are shown.
  private static let longestQuotation = 80

  /// A line as messages show it.
  static func quotation(of line: some Collection<UInt8>) -> String {
    let shown = String(decoding: line.prefix(longestQuotation), as: UTF8.self).withoutControls
    return "“\(shown)\(line.count <= longestQuotation ? "" : "…")”"
  }
}

extension String {
  /// The text with spaces in place of control characters. A terminal would obey these, and some would end the line.
  var withoutControls: String {
    String(
      String.UnicodeScalarView(
        unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
  }
}
