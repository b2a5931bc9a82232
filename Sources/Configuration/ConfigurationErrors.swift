/// Everything that is wrong with the configuration.
public struct ConfigurationErrors: Error, Equatable, Sendable {
  /// Everything that was found, errors and warnings, by file and line.
  public let findings: [Problem]

  init(_ findings: [Problem]) {
    self.findings = findings
  }

  /// The errors.
  public var problems: [Problem] { findings.filter { $0.severity == .error } }

  /// The warnings.
  public var warnings: [Problem] { findings.filter { $0.severity == .warning } }
}

extension ConfigurationErrors: CustomStringConvertible {
  /// A line for each error.
  public var description: String {
    problems.map(\.description).joined(separator: "\n")
  }
}
