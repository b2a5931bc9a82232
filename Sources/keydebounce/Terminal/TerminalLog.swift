import Glibc
import Logging
import SystemPackage

/// Writes the log to standard error, a line a message.
///
/// Where standard error is the journal (systemd says so in `JOURNAL_STREAM`), each line begins with its
/// priority, as sd-daemon(3) has it.
struct TerminalLog: LogHandler {
  var logLevel = Logger.Level.info
  var metadata = Logger.Metadata()

  private let isJournal = getenv("JOURNAL_STREAM") != nil

  subscript(metadataKey key: String) -> Logger.MetadataValue? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    var line = isJournal ? "<\(event.level.syslogPriority)>" : "keydebounce: "
    if !isJournal, let word = event.level.word { line += word + ": " }
    line += "\(event.message)\n"
    // One write a line: lines of different processes stay apart.
    _ = try? FileDescriptor.standardError.writeAll(line.utf8)
  }
}

extension Logger.Level {
  /// The level as syslog(3) counts.
  fileprivate var syslogPriority: Int {
    switch self {
    case .trace, .debug: 7
    case .info: 6
    case .notice: 5
    case .warning: 4
    case .error: 3
    case .critical: 2
    }
  }

  /// What a person is told of the level; nothing where nothing is wrong.
  fileprivate var word: String? {
    switch self {
    case .trace, .debug, .info, .notice: nil
    case .warning: "warning"
    case .error, .critical: "error"
    }
  }
}
