/// What is wrong with the configuration: all of it at once.
public struct ConfigurationErrors: Error, Equatable, Sendable {
  /// Everything that was found, errors and warnings, by file and line.
  public let findings: [Problem]

  init(_ findings: [Problem]) {
    self.findings = findings
  }

  /// What must be mended.
  public var problems: [Problem] { findings.filter { $0.severity == .error } }

  /// What is unwise besides.
  public var warnings: [Problem] { findings.filter { $0.severity == .warning } }
}

extension ConfigurationErrors: CustomStringConvertible {
  /// A line for each thing that must be mended.
  public var description: String {
    problems.map(\.description).joined(separator: "\n")
  }
}
