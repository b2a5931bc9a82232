import Control
import EventDevices
import Status
import TestMachine

/// A keyboard, the daemon that debounces it, an application that reads its clone, and a console that reads the keyboard.
struct Desk {
  let keyboard: UinputDevice
  let daemon: DaemonProcess
  /// The clone's node.
  let clone: String
  let application: EventReader
  /// Reads the keyboard itself, past the daemon.
  let console: EventReader

  /// Starts the daemon, and waits until it debounces the keyboard. Then commands can ask it.
  ///
  /// - Parameters:
  ///   - keyboard: Another than one of its own.
  ///   - folder: The daemon's settings, if they are not the defaults.
  ///   - wrapper: A program, with its arguments, that runs the daemon.
  init(
    _ keyboard: UinputDevice? = nil, settings folder: ConfigurationFolder? = nil,
    wrapper: [String] = []
  ) throws {
    self.keyboard = try keyboard ?? UinputDevice()
    daemon = try DaemonProcess(
      ["--device", self.keyboard.path] + (folder.map { ["--config", $0.path] } ?? []),
      wrapper: wrapper)
    clone = try daemon.waitForClone()
    application = try EventReader(path: clone)
    console = try EventReader(path: self.keyboard.path)
  }

  /// The three that most tests use.
  var all: (UinputDevice, DaemonProcess, EventReader) { (keyboard, daemon, application) }
}

extension DaemonProcess {
  /// Starts the daemon where there is no keyboard yet: the one that every machine has is taken away.
  static func beforeDevices(_ arguments: [String] = []) throws -> DaemonProcess {
    try BuiltInKeyboard.detach()
    let daemon = try DaemonProcess(arguments)
    try daemon.waitForLine(containing: "waiting for one to be plugged in")
    return daemon
  }
}

/// A device file with which everything that a device sends passes as it is, except for what the lines say.
func passing(_ name: String, except lines: String) -> String {
  "[device]\nname = \"\(name)\"\n[debounce]\nstrategy = \"none\"\n\(lines)\n"
}

extension DaemonClient {
  /// What the daemon answers now.
  static func statusNow() throws -> DaemonStatus {
    var client = try DaemonClient(toCall: .status)
    return try client.status()
  }
}
