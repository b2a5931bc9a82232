import EventDevices
import Glibc
import TestMachine
import Testing

extension EndToEnd {
  @Suite("Memory at rest")
  struct MemoryTests {
    /// Memory of the daemon's own that 8 keyboards may take at rest, in KiB. Pages of the program's file do not count: the kernel
    /// drops them by itself when it needs room.
    private static let limit = 2048

    @Test("8 keyboards take little, once what only starting needs has been given back")
    func atRest() throws {
      let folder = try ConfigurationFolder(
        device: "[device]\nname = \"keydebounce test keyboard\"\nvirtual = true\n")
      try BuiltInKeyboard.detach()
      let keyboards = try (0..<8).map { _ in
        try UinputDevice(.plainKeyboard(), waitingForUdev: false)
      }
      let daemon = try DaemonProcess(call: ["run", "--config", folder.path])
      for keyboard in keyboards { _ = try daemon.waitForClone(of: keyboard.path) }
      try wait(for: "no more than \(Self.limit) KiB", lookingEvery: 100_000) {
        let memory = try ProcessUse(of: daemon.processIdentifier).memory
        print("\(memory) KiB")
        return memory <= Self.limit
      }
    }
  }
}
