import Debounce
import EventDevices
import Foundation
import Glibc
import TestMachine
import Testing

extension EndToEnd {
  @Suite("Nobody reads the log")
  struct SilentReaderTests {
    @Test("the keyboard works all the same, and so does the way out")
    func full() throws {
      // A full pipe, like a terminal that somebody has stopped with Ctrl-S.
      let path = "/tmp/log-\(UUID().uuidString)"
      try #require(mkfifo(path, 0o600) == 0)
      defer { unlink(path) }
      let log = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
      defer { close(log) }
      while write(log, "x", 1) == 1 {}

      let keyboard = try UinputDevice()
      let daemon = try DaemonProcess(
        ["--device", keyboard.path],
        wrapper: ["/bin/sh", "-c", "exec \"$0\" \"$@\" 2>\(path)"])
      let clone = try Monitor().waitForNode {
        $0.isClone && $0.name == "keydebounce test keyboard"
      }
      let application = try EventReader(path: clone.path)
      // Until it is grabbed, the clone is silent.
      let console = try EventReader(path: keyboard.path)
      try wait(for: "the keyboard to be grabbed", lookingEvery: 50_000) {
        defer { console.grab(false) }
        return !console.grab()
      }
      #expect(try application.moves(of: .stroke(30), on: keyboard) == .stroke(30))
      for key in usualChord { keyboard.send(key, down: true) }
      #expect(try daemon.waitForEnd() == 75)
      #expect(console.grab())
    }
  }
}
