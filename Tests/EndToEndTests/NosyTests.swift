import Control
import Debounce
import EventDevices
import Glibc
import Status
import TestMachine
import Testing

extension EndToEnd {
  @Suite("Who looks at the daemon all the time learns nothing of what is typed")
  struct NosyTests {
    private static let sentence = Array("correct horse battery".utf8)

    /// A key for each letter; which does not matter.
    private static func key(of letter: UInt8) -> KeyCode {
      letter == UInt8(ascii: " ") ? 57 : 16 + KeyCode(letter) % 10
    }

    @Test("a member of the group, who asks for the devices 200 times a second")
    func polling() throws {
      try ControlConnection.makeGroup()
      let (keyboard, daemon, application) = try Desk().all
      let member = try ControlConnection(as: .member)
      var answers = [try devices(member)]
      let before = try strokes()

      // A stroke takes 80 ms, in which it is asked 16 times.
      let start = monotonicNow()
      var time = start
      for (number, letter) in Self.sentence.enumerated() {
        let key = Self.key(of: letter)
        for step in 0..<16 {
          if step == 0 { keyboard.send(key, down: true) }
          if step == 8 { keyboard.send(key, down: false) }
          let answer = try devices(member)
          if answer != answers.last { answers.append(answer) }
          time = max(time + 5000, monotonicNow())
          sleep(until: time)
        }
        // Live for root: what was typed is there.
        if number == 10 { #expect(try strokes() > before) }
      }
      _ = try application.moves(on: keyboard)
      // All that was typed between two whole minutes is one change.
      let minutes = Int(monotonicNow() / 60_000_000 - start / 60_000_000)
      #expect(answers.count <= 1 + minutes, "\(answers.count - 1) changes in \(minutes) minutes")
      #expect(try strokes() == before + UInt32(Self.sentence.count) + 1)
      withExtendedLifetime(daemon) {}
    }

    @Test(
      "who sees when files change: counts are stored at the next whole minute, and a kill loses no more"
    )
    func stored() throws {
      let (keyboard, state) = (try UinputDevice(), try TemporaryFolder())
      let daemon = try DaemonProcess(["--device", keyboard.path, "--state", state.path])
      let application = try EventReader(path: daemon.waitForClone())
      // All that is typed is to be of one minute.
      let left = 60_000_000 - monotonicNow() % 60_000_000
      if left < 10_000_000 { sleep(until: monotonicNow() + left) }
      #expect(try application.moves(of: .stroke(30), on: keyboard) == .stroke(30))
      #expect(try state.names().isEmpty)
      let minute = monotonicNow() / 60_000_000
      // It may be most of a minute, and the machine may be slow.
      let end = monotonicNow() + 2 * patience
      while try state.names().isEmpty, monotonicNow() < end {
        sleep(until: monotonicNow() + 100_000)
      }
      #expect(monotonicNow() / 60_000_000 > minute)
      #expect(monotonicNow() % 60_000_000 < 30_000_000)
      try daemon.waitForIdleness(lasting: 3_000_000)
      #expect(try daemon.end(by: SIGKILL) == 128 + SIGKILL)
      let next = try DaemonProcess(["--device", keyboard.path, "--state", state.path])
      _ = try next.waitForClone()
      // The mark is a stroke of its own.
      #expect(try strokes() == 2)
    }

    @Test("who reads what systemd shows, the log, or what members may ask")
    func sidelong() throws {
      try ControlConnection.makeGroup()
      let manager = try NotifySocket()
      let keyboard = try UinputDevice()
      keyboard.send(30, down: true)
      let daemon = try DaemonProcess(
        call: ["run", "--device", keyboard.path],
        wrapper: [
          "/usr/bin/env", "NOTIFY_SOCKET=\(manager.path)", "KEYDEBOUNCE_LOG=info",
        ])
      func state() -> DeviceStatus.State? { try? DaemonClient.statusNow().devices.first?.state }
      try wait(for: "the daemon to wait for the key") { state() == .waiting }
      let member = try ControlConnection(as: .member)
      let waiting = try devices(member)
      let minute = monotonicNow() / 60_000_000
      keyboard.send(30, down: false)
      try wait(for: "the keyboard to be debounced") { state() == .debounced }
      let node = try Monitor().waitForNode { $0.isClone }
      let clone = try EventReader(path: node.path)
      let later = try devices(member)
      _ = try clone.moves(of: .stroke(31), on: keyboard)
      _ = daemon.linesAtHand()
      if monotonicNow() / 60_000_000 == minute {
        #expect(later == waiting)
        #expect(!daemon.log.contains("debounced from now on"))
      }
      #expect(try daemon.end() == 0)
      // At the end nothing waits any more.
      #expect(daemon.log.contains("debounced from now on"))
      // One line for systemd, from the start to the end.
      var lines: Set<String> = []
      while let message = try? manager.next(), !message.hasPrefix("STOPPING") {
        for line in message.split(separator: "\n") where line.hasPrefix("STATUS") {
          lines.insert(String(line))
        }
      }
      #expect(lines == ["STATUS=1 device debounced"])
      #expect(daemon.log.contains("fewer than 100 presses passed on"))
      #expect(!daemon.log.contains(#/\b[0-9]{1,2} presses/#))
    }

    private func devices(_ connection: ControlConnection) throws -> [UInt8] {
      try connection.send(ControlMethod.devices.fullName)
      return try #require(try connection.message())
    }

    /// How many strokes root sees.
    private func strokes() throws -> UInt32 {
      let keys = try #require(try DaemonClient.statusNow().devices.first?.keys)
      return keys.reduce(0) { $0 + $1.strokes }
    }
  }
}
