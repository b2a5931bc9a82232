import ArgumentParser
import Calibration
import Bus
import EventDevices
import Status
import Terminal

struct PauseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pause",
    abstract: "Pass everything on as it is for a while.",
    discussion: """
      No program loses its keyboard: its clone stays, and nothing is let go. Chatter passes, too; wheels are not filtered, and \
      keys with several meanings send their own key. It takes effect for each key as soon as it is up, and ends when the time is \
      over, with “keydebounce resume”, or when the daemon starts anew. Nothing is counted of single keys, and nothing \
      learned, meanwhile.

        keydebounce pause
        keydebounce pause --for 2h "Game Pad"

      For root, the group “keydebounce” and, where polkit runs, whoever sits at the machine.
      """)

  @Argument(
    help: ArgumentHelp(
      "The device; without it, all, also those that are plugged in meanwhile.",
      discussion: NamedDevices.help, valueName: "device"),
    completion: NamedDevices.completion)
  var device: String?

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp("For how long, as 90s, 45m, 2h or 1h30m.", valueName: "time"))
  var length: String?

  func validate() throws {
    if let length, seconds(ofSpan: length) == nil {
      throw ValidationError(
        "--for takes a time as 90s, 45m, 2h or 1h30m, not “\(length.printable)”.")
    }
  }

  func run() throws {
    do {
      let client = try DaemonClient()
      let node = try HeldNode.named(device, by: client)
      try client.pause(node, for: length.flatMap { seconds(ofSpan: $0) })
    } catch {
      throw ExitCode.reporting(error)
    }
  }
}

struct ResumeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "resume",
    abstract: "Debounce again after a pause.",
    discussion: """
      Each key is debounced again as soon as it is up. For those who may pause.
      """)

  @Argument(
    help: ArgumentHelp(
      "The device; without it, all.", discussion: NamedDevices.help, valueName: "device"),
    completion: NamedDevices.completion)
  var device: String?

  func run() throws {
    do {
      let client = try DaemonClient()
      try client.resume(HeldNode.named(device, by: client))
    } catch {
      throw ExitCode.reporting(error)
    }
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
