import Control
import Debounce
import EventDevices
import Foundation
import Glibc
import Status
import TestMachine
import Testing

extension EndToEnd {
  @Suite("A device whose name is a trap")
  struct HostileNameTests {
    /// Colours, a line of its own with a priority as the journal reads it, markup, JSON, and writing from right to left.
    private static let name = "\u{1b}[31mX\n<0>keydebounce: forged\u{9b}2J\u{202e}\"}<b>&"

    /// Whether a terminal, a log or whoever reads lines obeys something in the text.
    private func isObeyed(_ text: String) -> Bool {
      text.unicodeScalars.contains { scalar in
        scalar != "\n" && scalar != "\t" && scalar.properties.generalCategory == .control
          || scalar == "\u{202e}"
      } || text.split(separator: "\n").contains { $0.hasPrefix("<0>") }
    }

    @Test("neither the log, the terminal nor who reads JSON obeys it")
    func name() throws {
      let keyboard = try UinputDevice(name: Self.name)
      let journal = try DaemonProcess(
        call: ["run", "--device", keyboard.path],
        wrapper: ["/usr/bin/env", "JOURNAL_STREAM=1:1"])
      // The log puts one line to each message.
      let line = try journal.waitForLine(containing: "debounced from now on")
      #expect(line.hasPrefix("<5>“␛[31mX␊<0>keydebounce"))
      #expect(!isObeyed(journal.log), "\(journal.log)")

      for method in [ControlMethod.status, .devices] {
        let connection = try ControlConnection()
        try connection.send(method.fullName)
        let answer = String(decoding: try #require(try connection.message()), as: UTF8.self)
        #expect(answer.contains("forged") && !isObeyed(answer), "\(answer)")
      }
      var client = try DaemonClient()
      #expect(try client.status().devices.map(\.name) == [Self.name])
      #expect(try client.devices().map(\.name) == [Self.name])
      for call in [
        ["status"], ["status", "--json"], ["list", "--all"], ["list", "--all", "--json"],
        ["keys", "--device", Self.name], ["check", "--config", "/no\u{1b}[31m\nwhere"],
      ] {
        let command = try Command(call)
        #expect(!isObeyed(command.output), "\(call): \(command.output)")
        #expect(!isObeyed(command.errors), "\(call): \(command.errors)")
      }
    }

    @Test("nor is a keyboard left alone that has none")
    func nameless() throws {
      let monitor = try Monitor()
      let keyboard = try HIDDevice(.init(name: ""), report: HIDReports.keyboard())
      let node = try monitor.waitForNode { $0.name.isEmpty && $0.kinds.contains(.keyboard) }
      let daemon = try DaemonProcess(["--device", node.path])
      let application = try EventReader(path: daemon.waitForClone(of: node.path))
      for usage: UInt8 in [4, 0] { try keyboard.send([0, 0, usage, 0, 0, 0, 0, 0]) }
      let moves = keyMoves(try application.frames(upTo: .key(30, down: false)))
      #expect(moves == .stroke(30))
    }

    @Test("nor the name of a program that holds a device")
    func process() throws {
      let keyboard = try UinputDevice()
      let remapper = try EventReader(path: keyboard.path)
      try #require(remapper.grab())
      let file = "/proc/self/comm"
      let before = try String(contentsOfFile: file, encoding: .utf8)
      try "\u{1b}[31m\u{9b}bad".write(toFile: file, atomically: false, encoding: .utf8)
      defer { try? before.write(toFile: file, atomically: false, encoding: .utf8) }
      let daemon = try DaemonProcess(["--device", keyboard.path])
      let line = try daemon.waitForLine(containing: "another program has grabbed \(keyboard.path)")
      #expect(line.contains("(process \(getpid()))"))
      #expect(!isObeyed(line), "\(line)")
    }
  }
}
