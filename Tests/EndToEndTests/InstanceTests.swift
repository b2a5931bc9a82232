import EventDevices
import Glibc
import TestMachine
import Testing

extension EndToEnd {
  @Suite("One daemon at a time")
  struct InstanceTests {
    @Test("a second one ends and says which process the first is, which notices nothing")
    func second() throws {
      let (keyboard, first, application) = try Desk().all
      let second = try DaemonProcess()
      let line = try second.waitForLine(containing: "keydebounce runs already")
      #expect(line.contains("(process \(first.processIdentifier))"))
      #expect(line.contains("systemctl stop keydebounce"))
      #expect(try second.waitForEnd() == 1)
      #expect(try application.moves(of: .stroke(30), on: keyboard) == .stroke(30))
    }

    @Test("who may not write there goes without the lock")
    func nobody() throws {
      let daemon = try DaemonProcess(
        wrapper: ["/usr/bin/env", "RUNTIME_DIRECTORY=/proc/no-such-folder"])
      try daemon.waitForLine(containing: "cannot open /proc/no-such-folder/lock")
      #expect(try daemon.end() == 0)
    }
  }
}
