import Logging

/// The subject of a line of the log. The journal's catalog, `systemd/keydebounce.catalog`, says what to do about it.
public enum LogSubject: String, CaseIterable, Sendable {
  /// The daemon's work on a device.
  case device = "5ee31ded4fa145da882f0bd90058faa5"
  /// A device that cannot be debounced as it should be.
  case failedDevice = "c7c6e8c4230c4a61a84bd00801a00a0e"
  /// A file of the configuration that has errors.
  case brokenFile = "130a1ebaf0724bfda6b6a1b5efbe4700"
  case panicChord = "92cad37490464f21bd1b9e23d78ea565"
  /// The watchdog has ended the daemon before this one.
  case watchdog = "819f914922f84d9db133a69b2d43a5b5"

  /// The field of the journal, and the key of the log's metadata.
  public static let field = "MESSAGE_ID"
}

extension Logger {
  /// The same log, for lines about this.
  public func about(_ subject: LogSubject) -> Logger {
    var log = self
    log[metadataKey: LogSubject.field] = .string(subject.rawValue)
    return log
  }
}
