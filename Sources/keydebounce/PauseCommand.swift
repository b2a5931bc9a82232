import ArgumentParser
import Calibration
import Bus
import EventDevices
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

      Root may pause, and the group “keydebounce”. With polkit, whoever sits at the machine may, too.
      """)

  @Argument(
    help: ArgumentHelp(
      "The device. Without it: all devices, even those that you plug in later.",
      discussion: NamedDevices.help, valueName: "device"),
    completion: NamedDevices.completion)
  var device: String?

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp(
      "For how long: 90s, 45m, 2h or 1h30m. Without it: until “resume”.", valueName: "time"))
  var length: String?

  func validate() throws {
    if let length, seconds(ofSpan: length) == nil {
      throw ValidationError(
        "--for takes a time such as 90s, 45m, 2h or 1h30m, not “\(length.printable)”.")
    }
  }

  func run() throws {
    let client = try DaemonClient()
    let node = try HeldNode.named(device, by: client)
    try client.pause(node, for: length.flatMap { seconds(ofSpan: $0) })
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
    help: ArgumentHelp(
      "The device. Without it: all devices.", discussion: NamedDevices.help, valueName: "device"),
    completion: NamedDevices.completion)
  var device: String?

  func run() throws {
    let client = try DaemonClient()
    try client.resume(HeldNode.named(device, by: client))
  }
}

/// A device of the daemon, as a person names it.
private enum HeldNode {
  static func named(_ name: String?, by client: borrowing DaemonClient) throws -> String? {
    guard let name else { return nil }
    do {
      return try DevicesWithCounts.named(
        name, leadingTo: NamedDevices.path(name), among: client.status().devices
      ).node
    } catch CountsError.none {
      throw ControlError.notHeld(name)
    }
  }
}
