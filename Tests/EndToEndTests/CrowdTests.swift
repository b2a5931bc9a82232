import Debounce
import EventDevices
import Foundation
import Glibc
import TestMachine
import Testing

extension EndToEnd {
  @Suite("Many devices at once")
  struct CrowdTests {
    private static let count = 64
    /// What `MemoryMax=` in the service's unit is.
    private static let memoryLimit = 128 << 20

    @Test("64 are plugged in and debounced, one floods, and the others lose nothing")
    func crowd() throws {
      let folder = try ConfigurationFolder(
        device: """
          [device]
          name = "keydebounce test keyboard"
          virtual = true
          [debounce]
          strategy = "eager-defer"
          threshold = 5
          """)
      try BuiltInKeyboard.detach()
      let daemon = try DaemonProcess(call: ["run", "--config", folder.path])
      try daemon.waitForLine(containing: "waiting for one to be plugged in")
      let descriptors = try daemon.countDescriptors()
      var keyboards = try (0..<Self.count).map { _ in
        try UinputDevice(.plainKeyboard(), waitingForUdev: false)
      }
      let applications = try keyboards.map { keyboard in
        try EventReader(path: daemon.waitForClone(of: keyboard.path))
      }
      #expect(try Clones.present().count == Self.count)

      let flood = KeyFlood(of: keyboards[0])
      // A person types on each, a stroke at a time.
      let keys = (16..<26).map { KeyCode($0) }
      for key in keys {
        for down in [true, false] {
          for keyboard in keyboards.dropFirst() { keyboard.send(key, down: down) }
          sleep(until: monotonicNow() + 50_000)
        }
      }
      let memory = try ProcessUse(of: daemon.processIdentifier).peak
      print("\(Self.count) keyboards: \(memory) KiB of memory at most")
      #expect(memory * 1024 < Self.memoryLimit / 2)
      let expected = keys.flatMap { [Event].stroke($0) }
      for (index, application) in applications.enumerated().dropFirst() {
        let received = try application.frames(upTo: .key(keys[9], down: false))
        #expect(keyMoves(received) == expected, "keyboard \(index)")
      }
      flood.stop()
      // A busy machine loses events of the flood and says so each time: a log that nobody reads gets no more lines.
      while daemon.nextLine(limit: 0) != nil {}

      keyboards = []
      for _ in 0..<Self.count { try daemon.waitForLine(containing: "was unplugged") }
      try daemon.waitForDescriptors(descriptors)
      #expect(try Clones.present().isEmpty)
    }
  }
}
