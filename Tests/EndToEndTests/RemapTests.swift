import CEvdev
import Debounce
import EventDevices
import Glibc
import TestMachine
import Testing

extension EndToEnd {
  @Suite("A key that is remapped while the daemon runs")
  struct RemapTests {
    private static let name = "keydebounce remapped keyboard"
    /// `EVIOCSKEYCODE`, a macro that Swift cannot import.
    private static let setKeyCode: UInt = 0x4008_4504
    private static let (a, b) = (KeyCode(KEY_A), KeyCode(KEY_B))
    /// A key that the keyboard does not have.
    private static let newKey = KeyCode(KEY_PROG1)

    /// Has the kernel send another key for the one that sends `KEY_A`, as `setkeycodes` and udev's hwdb do.
    private func remap(_ path: String) throws {
      let descriptor = open(path, O_RDWR | O_CLOEXEC)
      defer { close(descriptor) }
      // The scan code is HID's usage.
      var entry: [UInt32] = [0x70004, UInt32(Self.newKey)]
      guard ioctl(descriptor, Self.setKeyCode, &entry) == 0 else {
        throw WaitedInVain(description: "the key cannot be remapped: \(errno)")
      }
    }

    @Test("is not lost, neither the first time nor later, and no other is")
    func remapped() throws {
      try BuiltInKeyboard.detach()
      let monitor = try Monitor()
      let keyboard = try HIDDevice(.init(name: Self.name), report: HIDReports.keyboard())
      let node = try monitor.waitForNode { $0.name == Self.name && !$0.isClone }
      let daemon = try DaemonProcess()
      let old = try EventReader(path: daemon.waitForClone(of: node.path))
      let oldPath = try monitor.waitForNode { $0.name == Self.name && $0.isClone }.path
      // The numbers that HID has for keys: 4 is A, 5 is B, 6 is C.
      func send(_ usages: UInt8...) throws {
        try keyboard.send([0, 0] + usages + [UInt8](repeating: 0, count: 6 - usages.count))
      }
      try send(4)
      try send()
      _ = try old.frames(upTo: .key(Self.a, down: false))

      try remap(node.path)
      // B is held: the daemon must not make the clone anew while a key is down.
      try send(5)
      try send(5, 4)
      try send(5)
      try send()
      let moves = keyMoves(try old.frames(upTo: .key(Self.b, down: false)))
      #expect(moves == .stroke(Self.b))
      try daemon.waitForLine(containing: "has keys that it did not have before")
      // The daemon does not grab the keyboard anew with a key down; until then, applications read the keyboard itself.
      try send(6)
      let clone = try monitor.waitForNode {
        $0.name == Self.name && $0.isClone && $0.path != oldPath
      }
      let new = try EventReader(path: clone.path)
      try send()
      var received = keyMoves(try new.frames(upTo: .key(Self.newKey, down: false)))
      #expect(received == .stroke(Self.newKey))
      try send(4)
      try send()
      received = keyMoves(try new.frames(upTo: .key(Self.newKey, down: false)))
      #expect(received == .stroke(Self.newKey))
      withExtendedLifetime(keyboard) {}
    }
  }
}
