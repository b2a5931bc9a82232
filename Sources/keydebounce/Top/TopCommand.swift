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
    guard output.isTerminal, isatty(STDIN_FILENO) == 1 else { throw NoScreen.noTerminal }
    guard !output.isDumb else { throw NoScreen.dumb }
    var session = try TopSession(StatusSource(file: from), on: output)
    try session.run()
  }
}

enum NoScreen: Error, CustomStringConvertible {
  case noTerminal
  /// The terminal can only write one line after the other.
  case dumb

  var description: String {
    switch self {
    case .noTerminal:
      "“top” needs a terminal to draw on and to read keys from; “keydebounce status” writes to files and pipes"
    case .dumb:
      """
      TERM is “dumb” or not set, so “top” cannot draw here. Set TERM to your terminal's type, or use \
      “keydebounce status --plain”
      """
    }
  }
}

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

  /// What the daemon makes of a device; `nil` if it does not hold it.
  mutating func watch(_ node: String) throws(ControlError) -> DaemonStream? {
    try ask { client throws(ControlError) in try client.watch(node) }
      .map { DaemonStream(node, $0) }
  }

  /// Asks the daemon. The connection stays, also where it refuses or has ended: the bus announces what becomes of it. A new one is
  /// made where ``takeChanges()`` has found it gone.
  private mutating func ask<Answer>(
    _ question: (borrowing DaemonClient) throws(ControlError) -> Answer
  ) throws(ControlError) -> Answer {
    if client == nil {
      client = try DaemonClient()
      client?.listenForChanges()
    }
    guard let client = client.take() else { preconditionFailure("just made") }
    let answer: Result<Answer, ControlError>
    do {
      answer = .success(try question(client))
    } catch {
      answer = .failure(error)
    }
    self.client = consume client
    return try answer.get()
  }
}

/// Another subcommand of this program, in the same terminal, while this process waits for its end.
enum ForegroundCommand {
  /// Runs it. Ctrl-C and Ctrl-Z are for it; if it is stopped, so is this process until it goes on.
  ///
  /// - Throws: `Errno` if it cannot be started.
  static func run(_ arguments: [String]) throws(Errno) {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // This process has signals blocked that end the other.
    var none = sigset_t()
    sigemptyset(&none)
    var usual = sigset_t()
    sigemptyset(&usual)
    sigaddset(&usual, SIGPIPE)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &usual)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var words: [UnsafeMutablePointer<CChar>?] = (["keydebounce"] + arguments).map { strdup($0) }
    words.append(nil)
    defer { for word in words { free(word) } }
    var child = pid_t()
    let result = posix_spawn(&child, "/proc/self/exe", nil, &attributes, words, environ)
    guard result == 0 else { throw Errno(rawValue: result) }
    var status: CInt = 0
    while true {
      guard waitpid(child, &status, WUNTRACED) == child else {
        guard errno == EINTR else { return }
        continue
      }
      // As WIFSTOPPED has it.
      guard status & 0xff == 0x7f else { return }
      raise(SIGSTOP)
      kill(child, SIGCONT)
    }
  }
}

/// When `top` asks the daemon for its status: soon after something has happened, and otherwise hardly ever.
///
/// What is pressed is seen by watching the device that is shown, and that a device comes, goes or is paused, the daemon
/// announces. What nobody announces, as the counts of other devices, is shown within a minute.
public struct StatusSchedule: Sendable {
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
  public private(set) var due: Microseconds

  /// - Parameters:
  ///   - isRoot: Whether everything is shown as it is now.
  ///   - now: The present; the first question is due at once.
  public init(isRoot: Bool, at now: Microseconds) {
    self.isRoot = isRoot
    due = now
  }

  /// The daemon may have another answer than the last: ask as soon as it would give it.
  public mutating func somethingHappened() {
    due = min(due, asked.map { $0 + Self.shortestPause } ?? due)
  }

  /// A key of the device that is shown was pressed. Others than root would be shown nothing of it yet.
  public mutating func keyMoved() {
    if isRoot { somethingHappened() }
  }

  public mutating func receive(_ status: DaemonStatus, at now: Microseconds) {
    asked = now
    var pause = Self.longestPause
    if !isRoot { pause += Self.delay - now % Self.longestPause }
    for change in status.devices.compactMap(\.nextChange) { pause = min(pause, change) }
    due = now + max(pause, Self.shortestPause)
  }

  public mutating func receiveNothing(at now: Microseconds) {
    asked = now
    due = now + Self.retry
  }
}

extension DeviceStatus {
  /// In how many microseconds the device will be in another state without anybody announcing that; `nil` if that is not to
  /// be expected.
  fileprivate var nextChange: Microseconds? {
    switch state {
    case .starting, .waiting, .handedOver, .leaving: 0
    case .busy: 5_000_000
    case .debounced: pause?.remaining.map { Microseconds($0 * 1_000_000) }
    }
  }
}
