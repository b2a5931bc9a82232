import Foundation
import Status
import TestMachine

/// A unit of the booted system, as `systemctl` tells of it.
struct Unit {
  /// The service.
  static let keydebounce = Unit(name: "keydebounce.service")

  let name: String

  /// Calls `systemctl VERB UNIT`.
  @discardableResult
  func systemctl(_ verb: String, _ options: String...) throws -> Command {
    try Command(program: "/usr/bin/systemctl", options + [verb, name])
  }

  /// Does what must succeed: `start`, `stop` …
  func order(_ verb: String) throws {
    // How often tests start the service does not count.
    if verb.hasSuffix("start") { try systemctl("reset-failed") }
    let command = try systemctl(verb)
    guard command.status == 0 else {
      throw WaitedInVain(
        description: "\(verb) \(name): \(command.errors)\(try systemctl("status").output)")
    }
  }

  /// Starts units in one transaction, as a start of the machine does. (`systemctl start A B` would make one for each, and the
  /// first may have started before systemd knows of the second.)
  static func startTogether(_ units: [Unit]) throws {
    let target = Unit(name: "together.target")
    let file = "/run/systemd/system/\(target.name)"
    let names = units.map(\.name).joined(separator: " ")
    try "[Unit]\nWants=\(names)\n".write(toFile: file, atomically: true, encoding: .utf8)
    try target.reloadAll()
    try target.order("start")
    try target.order("stop")
    try FileManager.default.removeItem(atPath: file)
    try target.reloadAll()
  }

  /// A property, as `systemctl show` prints it.
  func property(_ property: String) throws -> String {
    try systemctl("show", "--property=\(property)", "--value").output
      .trimmingCharacters(in: .newlines)
  }

  /// A property that is a number.
  func number(_ name: String) throws -> Int {
    Int(try property(name)) ?? -1
  }

  /// Settings of the unit for the time of a test.
  func override(_ text: String) throws {
    let folder = "/run/systemd/system/\(name).d"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try text.write(toFile: folder + "/test.conf", atomically: true, encoding: .utf8)
    try reloadAll()
  }

  func endOverride() throws {
    try FileManager.default.removeItem(atPath: "/run/systemd/system/\(name).d")
    try reloadAll()
  }

  private func reloadAll() throws {
    _ = try Command(program: "/usr/bin/systemctl", ["daemon-reload"])
  }
}

extension Command {
  /// Runs a line of a shell's.
  static func shell(_ line: String) throws -> Command {
    try Command(program: "/bin/sh", ["-c", line])
  }
}
