import ArgumentParser
import Bus
import Debounce
import Glibc
import Status
import SystemPackage
import Terminal

struct TopCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "top",
    abstract: "Show devices, keys and their wear on one screen, live.",
    discussion: """
      Fills the terminal until “q”: the devices that the daemon has taken, the keyboard with its keys coloured by wear, \
      the worst keys, and the selected key closely. Tab moves between them, arrows and the mouse select. A letter \
      calibrates the selected key, pauses the device, has it left alone, or reloads the settings; “h” shows them all.

      What was counted is shown to root, and to the group “keydebounce” as it was at the last whole minute. Whatever is \
      shown is written nowhere.

      Colours follow TERM, and are left out where NO_COLOR is set: signs show the same. With mouse reporting on, most \
      terminals select text while Shift is held.
      """)

  @Option(
    help: ArgumentHelp(
      "Show what “status --json” has written, and ask no daemon.",
      discussion: "“-” is not possible here.",
      valueName: "file"), completion: .file())
  var from: String?

  func validate() throws {
    if from == "-" { throw ValidationError("Standard input is for keys here: give --from a file.") }
  }

  func run() throws {
    do {
      let terminal = Terminal.standardOutput
      guard terminal.isTerminal, Terminal(STDIN_FILENO).isTerminal else {
        throw NoScreen.noTerminal
      }
      guard !terminal.isDumb else { throw NoScreen.dumb }
      var session = try TopSession(StatusSource(file: from), on: terminal)
      try session.run()
    } catch {
      throw ExitCode.reporting(error)
    }
  }
}

/// Why nothing can be drawn.
enum NoScreen: Error, CustomStringConvertible {
  case noTerminal
  /// The terminal can only write one line after the other.
  case dumb

  var description: String {
    switch self {
    case .noTerminal:
      "“top” needs a terminal for what it shows and for keys; “keydebounce status” writes to files and pipes"
    case .dumb:
      """
      TERM is “dumb” or not set: this terminal can show no screen. Set TERM to what it is, or take \
      “keydebounce status --plain”
      """
    }
  }
}

/// Where the status is from.
struct StatusSource: ~Copyable {
  private let file: String?
  private var client: DaemonClient?

  /// - Parameter file: What `status --json` has written; `nil` for the daemon.
  init(file: String?) {
    self.file = file
  }

  /// Whether it never changes.
  var isFixed: Bool { file != nil }

  mutating func status() throws -> DaemonStatus {
    if let file { return try StatusCommand.status(in: file) }
    return try ask { client throws(ControlError) in try client.status() }
  }

  /// What to wait for, because the daemon may announce something: the descriptor is negative if there is nothing. As it
  /// was when ``takeChanges()`` was last called.
  private(set) var announcements = Self.noAnnouncements
  private static var noAnnouncements: pollfd { pollfd(fd: -1, events: 0, revents: 0) }

  /// Whether the daemon has announced that its status is another one now, or cannot announce anything any more.
  mutating func takeChanges() -> Bool {
    announcements = Self.noAnnouncements
    guard let client = client.take() else { return false }
    guard let hasChanged = client.takeChanges() else { return true }
    announcements = client.poll
    self.client = consume client
    return hasChanged
  }

  /// Makes the daemon reload its settings, and returns what is wrong with them.
  mutating func reload() throws(ControlError) -> [String] {
    try ask { client throws(ControlError) in try client.reload() }
  }

  /// Has a device paused, until it is resumed, or debounced again.
  mutating func pause(_ node: String, _ isPaused: Bool) throws(ControlError) {
    try ask { client throws(ControlError) in
      if isPaused { try client.pause(node) } else { try client.resume(node) }
    }
  }

  /// What was counted of a device on each day; `nil` if that is not to be had.
  mutating func days(of node: String) -> [Day: KeyDays]? {
    guard !isFixed else { return nil }
    return try? ask { client throws(ControlError) in try client.history(of: node) }
  }

  /// A descriptor with what the daemon does with a device; `nil` if it does not hold it.
  mutating func watch(_ node: String) throws(ControlError) -> FileDescriptor? {
    try ask { client throws(ControlError) in try client.watch(node) }
  }

  /// Asks the daemon, on a new connection if the last has failed.
  private mutating func ask<Answer>(
    _ question: (borrowing DaemonClient) throws(ControlError) -> Answer
  ) throws(ControlError) -> Answer {
    if client == nil {
      client = try DaemonClient()
      client?.listenForChanges()
    }
    guard let client = client.take() else { preconditionFailure("just made") }
    let answer = try question(client)
    self.client = consume client
    return answer
  }
}
