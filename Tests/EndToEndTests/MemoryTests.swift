import EventDevices
import Glibc
import TestMachine
import Testing

extension EndToEnd {
  @Suite("Memory at rest")
  struct MemoryTests {
    /// What 8 keyboards may take at rest, in KiB. Starting takes 11 000. At rest 6000 were seen since the bus has a thread of
    /// its own, and 3600 before.
    private static let limit = 7168

    @Test("what only starting needs is given back as soon as nobody types")
    func atRest() throws {
      let folder = try ConfigurationFolder(
        device: "[device]\nname = \"keydebounce test keyboard\"\nvirtual = true\n")
      try BuiltInKeyboard.detach()
      let keyboards = try (0..<8).map { _ in
        try UinputDevice(.plainKeyboard, waitingForUdev: false)
      }
      let daemon = try DaemonProcess(call: ["run", "--config", folder.path])
      for keyboard in keyboards { _ = try daemon.waitForClone(of: keyboard.path) }
      #expect(try memory(of: daemon, comesDownWithin: patience / 2) <= Self.limit)
    }

    private func memory(of daemon: DaemonProcess, comesDownWithin limit: Int64) throws -> Int {
      let end = monotonicNow() + limit
      var memory = Int.max
      while memory > Self.limit, monotonicNow() < end {
        sleep(until: monotonicNow() + 100_000)
        memory = try ProcessUse(of: daemon.processIdentifier).ownMemory
      }
      print("\(memory) KiB")
      return memory
    }
  }
}
