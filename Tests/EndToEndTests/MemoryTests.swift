import EventDevices
import Glibc
import TestMachine
import Testing

extension EndToEnd {
  @Suite("Memory at rest")
  struct MemoryTests {
    /// Memory of the daemon's own that so many keyboards may take at rest, in KiB. Pages of the program's file do not count: the
    /// kernel drops them by itself when it needs room. Libraries of the Debian after 13 take up to 16 KiB more than those of 12.
    private static let limits = [(8, 2064), (1, 1843), (64, 15_360)]

    @Test(
      "keyboards take little, once what only starting needs has been given back",
      arguments: isEndurance ? limits : [limits[0]])
    func atRest(_ count: Int, limit: Int) throws {
      let folder = try ConfigurationFolder(
        device: "[device]\nname = \"keydebounce test keyboard\"\nvirtual = true\n")
      try BuiltInKeyboard.detach()
      let keyboards = try (0..<count).map { _ in
        try UinputDevice(.plainKeyboard(), waitingForUdev: false)
      }
      let daemon = try DaemonProcess(call: ["run", "--config", folder.path])
      for keyboard in keyboards { _ = try daemon.waitForClone(of: keyboard.path) }
      try wait(for: "no more than \(limit) KiB", lookingEvery: 100_000) {
        let memory = try ProcessUse(of: daemon.processIdentifier).memory
        print("\(count) keyboards: \(memory) KiB")
        return memory <= limit
      }
    }
  }
}
