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

      try expectToWork(try UinputDevice(), [], "exec \"$0\" \"$@\" 2>\(path)") { _ in }
    }

    @Test("and it is the terminal of another user, with room for less than there is to say")
    func foreignTerminal() throws {
      let terminal = try PseudoTerminal()
      let folder = try ConfigurationFolder()
      for (path, mode) in [("/dev/uinput", "666"), (folder.path, "755")] {
        _ = try Command(program: "/bin/chmod", [mode, path])
      }
      defer { chmod("/dev/uinput", 0o600) }
      let user = Command.keyboardUser.joined(separator: " ")
      try expectToWork(
        try UinputDevice(), ["--config", folder.path],
        "exec \(user) \"$0\" \"$@\" 2>\(terminal.path)"
      ) { daemon in
        // Far more lines than a terminal keeps.
        try folder.write(defaults: (1...900).map { "bad\($0) = 1" }.joined(separator: "\n"))
        daemon.signal(SIGHUP)
        try wait(for: "the terminal to fill", lookingEvery: 50_000) {
          var count: CInt = 0
          _ = ioctl(terminal.person, UInt(FIONREAD), &count)
          return count > 4000
        }
      }
    }

    /// - Parameters:
    ///   - script: How a shell runs the daemon, whose call are its parameters.
    ///   - happens: What happens once the keyboard is grabbed.
    private func expectToWork(
      _ keyboard: UinputDevice, _ arguments: [String], _ script: String,
      happens: (DaemonProcess) throws -> Void
    ) throws {
      let daemon = try DaemonProcess(
        ["--device", keyboard.path] + arguments, wrapper: ["/bin/sh", "-c", script])
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
      try happens(daemon)
      #expect(try application.moves(of: .stroke(30), on: keyboard) == .stroke(30))
      for key in usualChord { keyboard.send(key, down: true) }
      #expect(try daemon.waitForEnd() == 75)
      #expect(console.grab())
    }
  }
}
