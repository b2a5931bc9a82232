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
      Fills the terminal until you press “q”. You see the daemon's devices, the keyboard with each key coloured by its wear, \
      the worst keys, and one key closely. Tab moves between them; arrows and the mouse select. A letter calibrates the \
      selected key, pauses the device, stops debouncing it, or reloads the settings; “h” shows all letters.

      Root sees the counts as they are, the group “keydebounce” as they were at the last whole minute. top stores nothing.

      Colours follow TERM; with NO_COLOR there are none, and signs show the same. To select text with the mouse, hold \
      Shift in most terminals.
      """)

  @Option(
    help: ArgumentHelp(
      "Show what “status --json” has written instead of asking the daemon.",
      discussion: "A file, not “-”.",
      valueName: "file"), completion: .file())
  var from: String?

  func validate() throws {
    if from == "-" {
      throw ValidationError("top reads keys from standard input: give --from a file.")
    }
  }

  func run() throws {
    let output = TextOutput.standard
    guard output.isTerminal, isatty(STDIN_FILENO) == 1 else { throw CommandError.noTerminal }
    // It can only write one line after the other.
    guard !output.isDumb else {
      throw CommandError(
        """
        TERM is “dumb” or not set, so “top” cannot draw here. Set TERM to your terminal's type, or use \
        “keydebounce status --plain”
        """)
    }
    let isRoot = geteuid() == 0
    if let from {
      var model = TopModel(isRoot: isRoot, isFixed: true)
      model.receive(try StatusCommand.status(in: from))
      return try TopSession(model, asking: nil).run()
    }
    let client = try DaemonClient.listening()
    let status = try client.status()
    var model = TopModel(isRoot: isRoot, labels: client.labels())
    model.receive(status)
    try TopSession(model, asking: client).run()
  }
}

extension DaemonClient {
  /// A connection on which the daemon's announcements are received.
  static func listening() throws(ControlError) -> DaemonClient {
    var client = try DaemonClient()
    client.listenForChanges()
    return client
  }
}

extension CommandError {
  static let noTerminal = CommandError(
    "“top” needs a terminal to draw on and to read keys from; “keydebounce status” writes to files and pipes"
  )
}

/// When `top` asks the daemon for its status: soon after something has happened, and otherwise hardly ever.
///
/// What is pressed is seen by watching the device that is shown, and that a device comes, goes or is paused, the daemon
/// announces. What nobody announces, as the counts of other devices, is shown within a minute.
struct StatusSchedule {
  /// Between two questions, at least. The daemon makes no answer sooner, and whoever asks would wait for it.
  static let shortestPause: Microseconds = 1_050_000
  /// Between two questions while nothing happens.
  static let longestPause: Microseconds = 60_000_000
  /// Until the daemon is asked again after it has not answered.
  static let retry: Microseconds = 5_000_000
  /// How long after a whole minute others than root ask, who are shown what was counted up to then.
  static let delay: Microseconds = 200_000

  private let isRoot: Bool
  private var asked: Microseconds?

  /// When the daemon is to be asked.
  private(set) var due: Microseconds

  /// - Parameters:
  ///   - isRoot: Whether everything is shown as it is now.
  ///   - now: The present; the first question is due at once.
  init(isRoot: Bool, at now: Microseconds) {
    self.isRoot = isRoot
    due = now
  }

  /// The daemon may have another answer than the last: ask as soon as it would give it.
  mutating func somethingHappened() {
    due = min(due, asked.map { $0 + Self.shortestPause } ?? due)
  }

  /// A key of the device that is shown was pressed. Others than root would be shown nothing of it yet.
  mutating func keyMoved() {
    if isRoot { somethingHappened() }
  }

  mutating func receive(_ status: DaemonStatus, at now: Microseconds) {
    asked = now
    var pause = Self.longestPause
    if !isRoot { pause += Self.delay - now % Self.longestPause }
    for change in status.devices.compactMap(\.nextChange) { pause = min(pause, change) }
    due = now + max(pause, Self.shortestPause)
  }

  mutating func receiveNothing(at now: Microseconds) {
    asked = now
    due = now + Self.retry
  }
}

extension DeviceStatus {
  /// In how many microseconds the device will be in another state without anybody announcing that; `nil` if that is not to
  /// be expected.
  fileprivate var nextChange: Microseconds? {
    switch state {
    case .starting, .waiting, .leaving: 0
    case .busy: 5_000_000
    case .debounced: pause?.remaining.map { Microseconds(max(0, min($0, 3600)) * 1_000_000) }
    }
  }
}
