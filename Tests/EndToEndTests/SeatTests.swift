import EventDevices
import Glibc
import TestMachine
import Testing

extension EndToEnd {
  @Suite("What a decision went by changes")
  struct SeatTests {
    private static let name = "keydebounce moving keyboard"

    /// Has udev look at the keyboard again until it says what it should. A busy udev may follow earlier rules for a while.
    private func trigger(_ node: DeviceNode, until isSaid: (DeviceNode) -> Bool) throws {
      for _ in 0..<10 {
        let trigger = try Command(
          program: "/bin/udevadm", ["trigger", "--settle", "--action=change", node.id.syspath])
        #expect(trigger.status == 0, "\(trigger.errors)")
        if try Monitor().nodes().contains(where: { $0.id == node.id && isSaid($0) }) { return }
      }
      throw WaitedInVain(description: "udev does not follow its rules")
    }

    @Test("a keyboard that moves to another seat, or is opted out, is given back until it returns")
    func moves() throws {
      try BuiltInKeyboard.detach()
      let monitor = try Monitor()
      let keyboard = try HIDDevice(
        HIDDevice.Identity(name: Self.name), report: HIDReports.keyboard())
      let node = try monitor.waitForNode { $0.name == Self.name && !$0.isClone }
      let daemon = try DaemonProcess()
      _ = try daemon.waitForClone(of: node.path)
      for (property, value, reason) in [
        ("ID_SEAT", "seat1", "another seat"), ("KEYDEBOUNCE_IGNORE", "1", "KEYDEBOUNCE_IGNORE"),
      ] {
        do {
          // As loginctl and administrators do.
          let rule = try UdevRule(
            """
            SUBSYSTEM=="input", KERNEL=="event*", ATTRS{name}=="\(Self.name)", ENV{\(property)}="\(value)"
            """)
          try trigger(node) { $0.properties[property] == value }
          let line = try daemon.waitForLine(containing: "(\(node.path)): given back: ")
          #expect(line.contains(reason), "\(line)")
          let console = try EventReader(path: node.path)
          try wait(for: "the keyboard to be given back") { console.grab() }
          console.grab(false)
          withExtendedLifetime(rule) {}
        }
        try trigger(node) { $0.properties[property] != value }
        try daemon.waitForLine(containing: "(\(node.path)): debounced from now on")
      }
      withExtendedLifetime(keyboard) {}
    }

    /// Has udev say of the keyboard, and not of its clone, to which seat it belongs.
    private func sit(_ seat: String) throws -> UdevRule {
      try UdevRule(
        """
        SUBSYSTEM=="input", ATTRS{name}=="\(Self.name)", ATTRS{phys}!="keydebounce/*", ENV{ID_SEAT}="\(seat)"
        """)
    }

    /// Plugs the keyboard in, and waits until udev has it on the seat.
    private func plug(
      _ monitor: borrowing Monitor, at seat: String
    ) throws -> (HIDDevice, DeviceNode) {
      let keyboard = try HIDDevice(
        HIDDevice.Identity(name: Self.name), report: HIDReports.keyboard())
      let node = try monitor.waitForAnnouncement {
        $0.name == Self.name && !$0.isClone
      } following: {
        $0.seat == seat
      }
      return (keyboard, node)
    }

    /// What udev knows of a device above a node.
    private func seatOfInput(_ node: DeviceNode) throws -> String {
      let info = try Command(
        program: "/bin/udevadm", ["info", "--query=property", node.id.syspath + "/.."])
      return info.output.split(separator: "\n").first { $0.hasPrefix("ID_SEAT=") }
        .map { String($0.dropFirst("ID_SEAT=".count)) } ?? "seat0"
    }

    @Test(
      "a keyboard of another seat is taken if a file names its seat or place; its clone is there, and moves with it"
    )
    func otherSeat() throws {
      try BuiltInKeyboard.detach()
      let rules = try PackagedRules()
      var rule = try sit("seat1")
      let monitor = try Monitor()
      let (keyboard, node) = try plug(monitor, at: "seat1")
      let folder = try ConfigurationFolder()
      // The same model is taken at any seat by its numbers, if at all.
      let numbers = "[device]\nvendor = 0x1209\nproduct = 0x0b1e\n"
      try folder.write(device: "10-model.toml", numbers)
      let daemon = try DaemonProcess(["--config", folder.path])
      let line = try daemon.waitForLine(containing: "(\(node.path)): left alone: ")
      #expect(line.contains("another seat (“seat = \"seat1\"”"), "\(line)")
      #expect(try Clones.present().isEmpty)

      try folder.write(device: "10-model.toml", numbers + "seat = \"seat1\"\n")
      try folder.write(
        device: "20-place.toml", numbers + "name = \"\(Self.name)\"\nphys = \"\(node.phys)\"\n")
      daemon.signal(SIGHUP)
      var path = try daemon.waitForClone(of: node.path)
      var clone = try Monitor().waitForNode { $0.path == path }
      #expect(clone.seat == "seat1")
      #expect(try seatOfInput(clone) == "seat1")

      rule = try sit("seat2")
      try trigger(node) { $0.seat == "seat2" }
      try daemon.waitForLine(containing: "belongs to seat2 now")
      let debounced = try daemon.waitForLine(containing: "(\(node.path)): debounced from now on")
      path = debounced.split(separator: " ").last.map(String.init) ?? ""
      clone = try Monitor().waitForNode { $0.path == path }
      #expect(clone.seat == "seat2")
      withExtendedLifetime((rules, rule, keyboard)) {}
    }

    @Test(
      "whose clone would be on the first seat is not debounced: what is typed would arrive there")
    func withoutRules() throws {
      try BuiltInKeyboard.detach()
      let rule = try sit("seat1")
      let monitor = try Monitor()
      let (keyboard, node) = try plug(monitor, at: "seat1")
      let folder = try ConfigurationFolder(device: "[device]\nseat = \"seat1\"\n")
      let daemon = try DaemonProcess(["--config", folder.path])
      let line = try daemon.waitForLine(containing: "(\(node.path)): not debounced: ")
      #expect(line.contains("belongs to seat1, and udev has put its clone on seat0"), "\(line)")
      // The daemon tries a few times, and grabs the keyboard at none of them.
      for _ in 0..<3 {
        _ = try Monitor().waitForAnnouncement { $0.name == Self.name && $0.isClone }
        let console = try EventReader(path: node.path)
        #expect(console.grab(), "somebody has grabbed the keyboard")
      }
      #expect(!daemon.linesAtHand().contains { $0.contains("debounced from now on") })
      withExtendedLifetime((rule, keyboard)) {}
    }
  }
}
