/// Something that takes whatever comes from outside, and what must hold of it whatever comes.
public enum FuzzSubject: String, CaseIterable, Sendable {
  /// Device files, and `keydebounce.toml`.
  case configuration
  /// Recordings in the form of evemu.
  case recording
  /// What evtest prints.
  case evtest
  /// The engine, with frames and rules made of the bytes.
  case engine

  /// Lets the subject take these bytes.
  ///
  /// - Returns: What does not hold; `nil` if all is well. A trap is what it is.
  public func violation(in bytes: [UInt8]) -> String? {
    switch self {
    case .configuration: violationOfConfiguration(in: bytes)
    case .recording: violationOfRecording(in: bytes)
    case .evtest: violationOfRecording(in: Array("Input driver version is 1.0.1\n".utf8) + bytes)
    case .engine: violationOfEngine(in: bytes)
    }
  }
}
