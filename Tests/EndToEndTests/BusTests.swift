import CEvdev
import Debounce
import EventDevices
import TestMachine
import Testing

extension EndToEnd {
  @Suite("Devices of each bus work through their clones")
  struct BusTests {
    private static let left = Event(type: UInt16(EV_KEY), code: UInt16(BTN_LEFT), value: 1)

    @Test("a USB mouse and a USB tablet", arguments: ["usb-mouse", "usb-tablet"])
    func pointer(driver: String) throws {
      let name = driver == "usb-mouse" ? "QEMU QEMU USB Mouse" : "QEMU QEMU USB Tablet"
      let movement = driver == "usb-mouse" ? ("rel", 7, EV_REL) : ("abs", 9000, EV_ABS)
      let hypervisor = try Hypervisor()
      let folder = try ConfigurationFolder(
        device: passing(
          name, except: "[keys]\nBTN_LEFT = { strategy = \"eager-defer\", threshold = 100 }"))
      let daemon = try DaemonProcess.beforeDevices(["--config", folder.path])
      try hypervisor.plug(driver, as: "pointer")
      let application = try EventReader(path: daemon.waitForClone())

      try hypervisor.point([(movement.0, "x", movement.1), ("btn", "left", 1)])
      var received = try application.frames { $0.events.contains(Self.left) }
      try hypervisor.point([("btn", "right", 1)])
      received += try application.frames(upTo: .key(KeyCode(BTN_RIGHT), down: true))
      try hypervisor.point([("btn", "left", 0), (movement.0, "y", movement.1)])
      received += try application.frames(upTo: .key(KeyCode(BTN_LEFT), down: false))
      // What moved came with the button, or before it, and only once.
      let x = received.flatMap(\.events).filter { $0.type == movement.2 && $0.code == 0 }
      let y = received.flatMap(\.events).filter { $0.type == movement.2 && $0.code == 1 }
      #expect(x.count == 1 && y.count == 1)
      #expect(
        keyMoves(received) == [
          Self.left, .key(KeyCode(BTN_RIGHT), down: true), .key(KeyCode(BTN_LEFT), down: false),
        ])

      // The right button is still down.
      try hypervisor.unplug("pointer")
      let last = try application.frames { $0.events.contains { $0.type == EV_KEY } }
      #expect(last.last?.events == [.key(KeyCode(BTN_RIGHT), down: false)])
      try daemon.waitForLine(containing: "was unplugged")
      try hypervisor.waitForRemoval(of: "pointer")
    }

    @Test("a Bluetooth keyboard, though it is under /sys/devices/virtual")
    func bluetooth() throws {
      let daemon = try DaemonProcess.beforeDevices()
      let descriptors = try daemon.countDescriptors()
      let monitor = try Monitor()
      var keyboard: HIDDevice? = try HIDDevice(
        .init(name: "keydebounce cordless"), report: HIDReports.keyboard())
      let node = try monitor.waitForNode { $0.name == "keydebounce cordless" && !$0.isClone }
      #expect(node.id.syspath.hasPrefix("/sys/devices/virtual/misc/uhid/"))
      let path = try daemon.waitForClone(of: node.path)
      let clone = try monitor.waitForNode { $0.path == path }
      #expect(clone.identity.bus == UInt16(BUS_BLUETOOTH))
      let application = try EventReader(path: path)

      // A with Shift, then the reports that it sends when both come up.
      for report: [UInt8] in [[2, 0, 0], [2, 0, 4], [0, 0, 4], [0, 0, 0]] {
        try keyboard?.send(report + [0, 0, 0, 0, 0])
        sleep(until: monotonicNow() + 100_000)
      }
      let received = try application.frames(upTo: .key(30, down: false))
      #expect(
        keyMoves(received) == [
          .key(42, down: true), .key(30, down: true), .key(42, down: false), .key(30, down: false),
        ])

      // Caps Lock is the second LED of its report. The console may set its own first.
      application.send([Event(type: UInt16(EV_LED), code: UInt16(LED_CAPSL), value: 1)])
      while let output = try keyboard?.nextOutput(), output.last.map({ $0 & 2 }) == 0 {}

      // Its battery is empty, with a key down.
      try keyboard?.send([0, 0, 4, 0, 0, 0, 0, 0])
      _ = try application.frames(upTo: .key(30, down: true))
      let other = try BackgroundReader(path: path)
      keyboard = nil
      #expect(other.waitForEnd() == [.key(30, down: false)])
      try monitor.waitForRemoval(of: clone)
      try daemon.waitForDescriptors(descriptors)
      // Nothing to do, and nothing done: once udev has said its last word, not one wake-up in two seconds.
      try daemon.waitForIdleness(lasting: 2_000_000)
    }
  }
}
