import EventDevices
import Foundation
import Glibc
import TestMachine
import Testing

extension EndToEnd {
  @Suite("A clone is what nobody else can claim to be")
  struct CloneIdentityTests {
    private static let folder = "/dev/input/by-id/"
    private static let phys = "aa:bb:cc:dd:ee:ff/input0"

    /// A keyboard's node, to which udev makes a link as long as this lives, also if it looks at the keyboard again.
    private struct Keyboard {
      private let rule: UdevRule
      let device: HIDDevice
      let node: DeviceNode
      let link: String
      var ownLink: String { folder + "keydebounce-" + link }

      init(_ name: String, _ monitor: borrowing Monitor) throws {
        link = "usb-\(name)-event-kbd"
        rule = try UdevRule(
          """
          SUBSYSTEM=="input", KERNEL=="event*", ATTRS{name}=="keydebounce \(name)", ATTRS{phys}!="keydebounce/*", \
          SYMLINK+="input/by-id/\(link)"
          """)
        var identity = HIDDevice.Identity(name: "keydebounce \(name)")
        identity.phys = phys
        device = try HIDDevice(identity, report: HIDReports.keyboard())
        // Not what udev knows of an earlier one of its number.
        let link = self.link
        node = try monitor.waitForAnnouncement {
          $0.name == identity.name && !$0.isClone
        } following: {
          $0.links.contains(folder + link)
        }
      }
    }

    /// Has udev process a device again, and waits until it has.
    private func trigger(_ node: DeviceNode) throws {
      let input = URL(fileURLWithPath: node.id.syspath).deletingLastPathComponent().path
      let trigger = try Command(
        program: "/bin/udevadm",
        ["trigger", "--action=change", "--settle", input, node.id.syspath])
      #expect(trigger.status == 0, "\(trigger.errors)")
    }

    /// A device that says that it is the clone of a keyboard, as a user can make it who may open uinput.
    private func stranger(_ name: String, claiming phys: String) throws -> UinputDevice {
      var blueprint = Blueprint.plainKeyboard(name: name)
      blueprint.phys = "keydebounce/" + phys
      return try UinputDevice(blueprint)
    }

    private func node(_ device: UinputDevice) throws -> DeviceNode {
      try Monitor().waitForNode { $0.path == device.path }
    }

    @Test("is the keyboard's twin in all but its phys")
    func identity() throws {
      let keyboard = try UinputDevice()
      let daemon = try DaemonProcess(["--device", keyboard.path])
      let clone = try Source(path: daemon.waitForClone())
      let source = try Source(path: keyboard.path)
      let (original, copy) = (source.identity, clone.identity)
      #expect(copy.name == original.name)
      #expect(copy.bus == original.bus)
      #expect(copy.vendor == original.vendor)
      #expect(copy.product == original.product)
      #expect(copy.version == original.version)
      #expect(copy.phys == "keydebounce/" + (original.phys ?? ""))
      let (originalCapabilities, copiedCapabilities) = (source.capabilities, clone.capabilities)
      #expect(copiedCapabilities == originalCapabilities)
    }

    @Test(
      "two nodes of one keyboard, in one place, get the links of their own clones",
      arguments: [false, true])
    func twoNodes(claims: Bool) throws {
      try BuiltInKeyboard.detach()
      let rules = try PackagedRules()
      let monitor = try Monitor()
      let keyboards = try ["first", "second"].map { try Keyboard($0, monitor) }
      let configuration = try ConfigurationFolder(
        defaults: "[defaults]\nclaim-links = \(claims)\n")
      let daemon = try DaemonProcess(["--config", configuration.path])
      for keyboard in keyboards {
        let clone = try daemon.waitForClone(of: keyboard.node.path)
        #expect(target(of: keyboard.ownLink) == clone)
        #expect(
          target(of: Self.folder + keyboard.link) == (claims ? clone : keyboard.node.path))
        let nodes = try Monitor().nodes()
        #expect(keyboard.node.clone(among: nodes)?.path == clone)
      }
      // No mark outlives its clone.
      #expect(try marks().count == 2)
      #expect(try daemon.end() == 0)
      #expect(try marks() == [])
      withExtendedLifetime((rules, keyboards)) {}
    }

    private func marks() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: "/run/keydebounce-daemon")
        .filter { $0.hasPrefix("clone") }
    }

    @Test(
      "who may open uinput takes no link by claiming a keyboard's place, neither before nor after its clone"
    )
    func stranger() throws {
      try BuiltInKeyboard.detach()
      let rules = try PackagedRules()
      let monitor = try Monitor()
      let keyboard = try Keyboard("first", monitor)
      let before = try stranger("keydebounce first", claiming: Self.phys)
      let configuration = try ConfigurationFolder(defaults: "[defaults]\nclaim-links = true\n")
      let daemon = try DaemonProcess(["--config", configuration.path])
      let clone = try daemon.waitForClone(of: keyboard.node.path)
      let after = try stranger("keydebounce first", claiming: Self.phys)
      for device in [before, after] {
        let node = try node(device)
        try trigger(node)
        let now = try self.node(device)
        #expect(!now.links.contains { $0.hasPrefix(Self.folder) }, "\(now.links)")
        #expect(now.properties["KEYDEBOUNCE_SOURCE"] == nil)
      }
      #expect(target(of: keyboard.ownLink) == clone)
      #expect(target(of: Self.folder + keyboard.link) == clone)
      #expect(keyboard.node.clone(among: try Monitor().nodes())?.path == clone)
      withExtendedLifetime((rules, keyboard)) {}
    }

    @Test(
      "whatever is written where the daemon may write, root runs none of it, and takes no property from it"
    )
    func attack() throws {
      try BuiltInKeyboard.detach()
      let rules = try PackagedRules()
      let monitor = try Monitor()
      let keyboard = try Keyboard("first", monitor)
      let (folder, proof) = ("/run/keydebounce-daemon", "/tmp/root-was-here")
      let secret = "/tmp/for-root-alone"
      let evil = """
        REMOVE_CMD=/bin/sh -c "touch \(proof)"
        SYSTEMD_WANTS=evil.service
        ID_SEAT=seat9
        KEYDEBOUNCE_LINK=input/by-id/keydebounce-evil-event-kbd
        EVIL=1

        """
      try evil.write(toFile: secret, atomically: true, encoding: .utf8)
      let files = FileManager.default
      defer { for path in [proof, secret, folder] { try? files.removeItem(atPath: path) } }
      for (number, isLink) in [false, true].enumerated() {
        let place = "evil\(number)"
        func write(_ path: String) throws {
          let path = "\(folder)/\(path)"
          try files.createDirectory(
            at: URL(fileURLWithPath: path).deletingLastPathComponent(),
            withIntermediateDirectories: true)
          if isLink {
            try files.createSymbolicLink(atPath: path, withDestinationPath: secret)
          } else {
            try evil.write(toFile: path, atomically: true, encoding: .utf8)
          }
        }
        // The place in which earlier versions had udev read, written before there is a device.
        try write("clones/keydebounce/\(place)")
        var device: UinputDevice? = try stranger("evil", claiming: place)
        var node = try self.node(try #require(device))
        let clone = URL(fileURLWithPath: node.id.syspath).pathComponents.dropLast().last ?? ""
        let source = URL(fileURLWithPath: keyboard.node.id.syspath).pathComponents.dropLast().last
        // The place in which udev looks now. A file there makes the device a clone at most; a link does not even do that.
        try write("clone-\(clone)-of-\(try #require(source))")
        try trigger(node)
        node = try self.node(try #require(device))
        #expect(node.properties["KEYDEBOUNCE_SOURCE"] == (isLink ? nil : source))
        for name in ["REMOVE_CMD", "SYSTEMD_WANTS", "ID_SEAT", "EVIL"] {
          #expect(node.properties[name] == nil, "\(name)")
        }
        #expect(
          node.links.filter { $0.hasPrefix("/dev/input/by-") }
            == (isLink ? [] : [keyboard.ownLink]),
          "\(node.links)")
        device = nil
        try Monitor().waitForRemoval(of: node)
        _ = try Command(program: "/bin/udevadm", ["settle"])
        #expect(!files.fileExists(atPath: proof))
      }
      withExtendedLifetime((rules, keyboard)) {}
    }
  }
}
