import Clibsystemd
import Debounce
import EventDevices
import Foundation
import Glibc
import Status
import TestMachine
import Testing

@testable import Bus

extension DaemonClient {
  /// Its own name on the bus.
  fileprivate var name: String {
    var name: UnsafePointer<CChar>?
    sd_bus_get_unique_name(bus.pointer, &name)
    return name.map(String.init(cString:)) ?? ""
  }
}

extension EndToEnd {
  @Suite("The daemon on the system bus")
  struct BusTests {
    private static let address = [
      "io.github.keydebounce", "/io/github/keydebounce", "io.github.keydebounce.Daemon1",
    ]

    /// Calls a method with busctl, as `user` where it is given.
    private func call(
      _ member: String, _ arguments: [String] = [], as user: [String] = []
    ) throws -> Command {
      let call =
        user + ["/usr/bin/busctl", "--system", "call"] + Self.address + [member] + arguments
      return try Command(program: call[0], Array(call.dropFirst()))
    }

    /// Someone with no other rights than those of the group.
    private static let member = [
      "/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--groups=\(SystemBus.group)",
    ]

    @Test("busctl finds the object as it is documented")
    func introspection() throws {
      let bus = try SystemBus()
      let keyboard = try UinputDevice()
      let daemon = try DaemonProcess(["--device", keyboard.path])
      try daemon.waitForLine(containing: "on the system bus")
      let found = try Command(
        program: "/usr/bin/busctl",
        ["--system", "introspect", "--xml-interface"] + Self.address.prefix(2))
      #expect(found.status == 0, "\(found.errors)")
      let documented = try String(
        contentsOfFile: DaemonProcess.fixtures + "/../dbus/io.github.keydebounce.Daemon1.xml",
        encoding: .utf8)
      #expect(interface(in: found.output) == interface(in: documented))
      withExtendedLifetime(bus) {}
    }

    /// The interface in an introspection: a word for each tag that matters, without comments and space.
    private func interface(in xml: String) -> [String] {
      let text = xml.replacing(#/<!--(?s:.)*?-->/#, with: "")
      guard let begin = text.range(of: "<interface name=\"io.github.keydebounce.Daemon1\">"),
        let end = text.range(of: "</interface>", range: begin.upperBound..<text.endIndex)
      else { return [] }
      return text[begin.upperBound..<end.lowerBound].matches(of: #/<[^>]*>/#).map {
        $0.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
          .replacing(" />", with: "/>")
      }
    }

    @Test("anyone may read the properties, and is told when one has changed")
    func properties() throws {
      let desk = try Desk(on: SystemBus())
      let (keyboard, _, _) = desk.all
      func property(_ name: String) throws -> String {
        let call = Command.nobody + ["/usr/bin/busctl", "--system", "get-property"] + Self.address
        return try Command(program: call[0], call.dropFirst() + [name]).output
      }
      #expect(try property("Version") == "s \"\(Version.current)\"\n")
      #expect(try property("Devices") == "as 1 \"\(keyboard.path)\"\n")
      #expect(try property("Paused") == "b false\n")
      let nobody = try BusClient(as: .nobody)
      try nobody.listen(for: "PropertiesChanged", of: "org.freedesktop.DBus.Properties")
      for isPaused in [true, false] {
        #expect(try Command([isPaused ? "pause" : "resume"]).status == 0)
        let signals = try nobody.waitForSignals(isPaused ? 1 : 2, limit: Int64(patience))
        #expect(signals.last?.signature == "sa{sv}as")
        #expect(signals.last?.texts == [BusNames.interface])
        #expect(try property("Paused") == "b \(isPaused)\n")
      }
      withExtendedLifetime(desk) {}
    }

    @Test("anyone may ask for the status without counts, and for nothing else")
    func rights() throws {
      let bus = try SystemBus()
      let desk = try Desk()
      let (keyboard, _, application) = desk.all
      _ = try application.moves(of: .stroke(30), on: keyboard)

      let status = try call("Status", as: Command.nobody)
      #expect(status.status == 0, "\(status.errors)")
      #expect(status.output.contains(keyboard.path))
      #expect(!status.output.contains("KEY_"))
      #expect(!status.output.contains(#"\"keys\""#))
      #expect(!status.output.contains("presses"))
      for (member, arguments) in [
        ("Statistics", []), ("Reload", []), ("Borrow", ["su", keyboard.path, "1"]),
        ("Return", ["s", keyboard.path]), ("Reset", ["ss", keyboard.path, ""]),
        ("History", ["s", keyboard.path]),
        ("Watch", ["s", keyboard.path]),
      ] {
        let refused = try call(member, arguments, as: Command.nobody)
        #expect(refused.status != 0)
        #expect(refused.errors.contains("Access denied"), "\(refused.errors)")
      }
      #expect(try call("Statistics").output.contains("KEY_A"))
      // The group gets it as it was at the last whole minute: see NosyTests.
      #expect(try call("Statistics", as: Self.member).output.contains(#"\"keys\""#))
      for user in [[], Self.member] {
        #expect(try call("Reload", as: user).output == "as 0\n")
      }
      let reset = try call("Reset", ["ss", keyboard.path, "KEY_A"], as: Self.member)
      #expect(reset.status == 0, "\(reset.errors)")
      let left = try call("Statistics").output
      #expect(!left.contains("KEY_A") && left.contains(#"\"keys\""#))
      withExtendedLifetime(bus) {}
    }

    @Test("the daemon starts without a bus, joins one that appears, and one that returns")
    func busComesAndGoes() throws {
      let (keyboard, daemon, application) = try Desk().all
      var bus = try SystemBus()
      try daemon.waitForLine(containing: "on the system bus")
      #expect(try call("Status").status == 0)
      for _ in 0..<2 {
        bus.stop()
        try daemon.waitForLine(containing: "not on the system bus")
        #expect(try application.moves(of: .stroke(30), on: keyboard) == .stroke(30))
        bus = try SystemBus()
        try daemon.waitForLine(containing: "on the system bus as")
        #expect(try call("Status").status == 0)
      }
    }

    @Test("who listens for the daemon's announcements takes those of nobody else")
    func forgedAnnouncement() throws {
      let bus = try SystemBus()
      let (keyboard, daemon, _) = try Desk(on: bus).all
      var client = try DaemonClient()
      client.listenForChanges()
      _ = try client.status()
      while client.takeChanges() == true { _ = try client.status() }
      let nobody = try BusClient(as: .nobody)
      try nobody.send(
        signal: BusNames.changed, of: BusNames.interface, at: BusNames.object, to: client.name)
      try nobody.send(
        signal: "NameOwnerChanged", of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus",
        [BusNames.service, "", nobody.name], to: client.name)
      // Its answer comes after them.
      _ = try client.status()
      #expect(client.takeChanges() == false)
      try client.pause(keyboard.path)
      var poll = client.poll
      while client.takeChanges() == false { Glibc.poll(&poll, 1, -1) }
      withExtendedLifetime((bus, daemon)) {}
    }

    @Test("a bus that hangs holds up nobody who types")
    func busHangs() throws {
      let bus = try SystemBus()
      let (keyboard, daemon, application) = try Desk(on: bus).all
      bus.signal(SIGSTOP)
      defer { bus.signal(SIGCONT) }
      #expect(try application.moves(of: .stroke(30), on: keyboard) == .stroke(30))
      #expect(try daemon.end() == 0)
    }
  }
}
