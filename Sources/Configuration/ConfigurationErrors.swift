/// What is wrong with the configuration: all of it at once.
public struct ConfigurationErrors: Error, Equatable, Sendable {
  /// One thing that is wrong.
  public struct Problem: Equatable, Sendable, CustomStringConvertible {
    public let file: String
    /// The line's number, from 1; `nil` if it is not known.
    public let line: Int?
    /// What was found, what was expected, and the nearest right name.
    public let message: String

    public init(file: String, line: Int?, message: String) {
      self.file = file
      self.line = line
      self.message = message
    }

    public var description: String {
      "\(file):\(line.map { "\($0):" } ?? "") \(message)"
    }
  }

  public let problems: [Problem]

  public init(_ problems: [Problem]) {
    self.problems = problems
  }
}

extension ConfigurationErrors: CustomStringConvertible {
  public var description: String {
    problems.map(\.description).joined(separator: "\n")
  }
}
