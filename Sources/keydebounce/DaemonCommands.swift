import ArgumentParser
import Control
import Status
import Terminal

struct PauseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pause",
    abstract: "Stop debouncing for a while; keyboards work on.",
    discussion: """
      The daemon keeps its devices, and passes on everything that they send, chatter too. It does not filter wheels, and keys \
      with several meanings send their own key. Each key is paused as soon as it is up. The pause ends after the given time, \
      with “keydebounce resume”, or when the daemon restarts. Meanwhile the daemon counts nothing of single keys, and \
      learns nothing.

        keydebounce pause
        keydebounce pause --for 2h "Game Pad"

      Root may pause, and the group “keydebounce”: “sudo usermod -aG keydebounce $USER” makes you a member from the next \
      time on that you log in.
      """)

  @Argument(
    help: .device("The device. Without it: all devices, even those that you plug in later."),
    completion: NamedDevices.completion)
  var device: String?

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp(
      "For how long: 90s, 45m, 2h or 1h30m, at most 366d. Without it: until “resume”.",
      valueName: "time"))
  var length: String?

  func validate() throws {
    if let length, seconds(ofSpan: length) == nil {
      throw ValidationError(
        "--for takes a time from 1s to 366d, such as 90s, 45m or 1h30m, not “\(length.printable)”.")
    }
  }

  func run() throws {
    var client = try DaemonClient(toCall: .pause)
    try client.pause(client.node(named: device), for: length.flatMap { seconds(ofSpan: $0) })
  }
}

struct ResumeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "resume",
    abstract: "Debounce again after a pause.",
    discussion: """
      Each key is debounced again as soon as it is up. Whoever may pause may resume.
      """)

  @Argument(
    help: .device("The device. Without it: all devices."), completion: NamedDevices.completion)
  var device: String?

  func run() throws {
    var client = try DaemonClient(toCall: .resume)
    try client.resume(client.node(named: device))
  }
}

extension DaemonClient {
  /// The node of the daemon's device that a person means; `nil` if they name none.
  fileprivate mutating func node(named name: String?) throws -> String? {
    guard let name else { return nil }
    return try NamedDevices.path(named: name, preferring: devices().map(\.node))
  }
}

struct ReloadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reload",
    abstract: "Make the running daemon reload its configuration.",
    discussion: """
      Each key gets its new settings when it is next at rest. If the files have errors, the daemon keeps the settings that it \
      has; the command shows the errors and ends with 78. Root may reload, and the group “keydebounce”.
      """)

  func run() throws {
    var client = try DaemonClient(toCall: .reload)
    try Self.check(client.reload())
  }

  static func check(_ problems: [String]) throws(ExitCode) {
    guard !problems.isEmpty else { return }
    for problem in problems.prefix(200) { report("error: \(problem.printable)") }
    if problems.count > 200 { report("and \((problems.count - 200).grouped) errors more") }
    report(
      "the daemon keeps the settings that it has; “keydebounce check” shows the places of the errors"
    )
    throw ExitCode.badConfiguration
  }
}
