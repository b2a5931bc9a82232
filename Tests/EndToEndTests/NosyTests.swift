import Debounce
import EventDevices
import Foundation
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

    @Test("neither from counts nor from the status, asked for 200 times a second")
    func polling() throws {
      let desk = try Desk(on: SystemBus())
      let (keyboard, _, application) = desk.all
      let clients: [(BusClient, String)] = [
        (try BusClient(as: .nobody), "Status"), (try BusClient(as: .member), "Statistics"),
        (try BusClient(as: .member), "Status"),
      ]
      let root = try BusClient(as: .root)
      var answers = try clients.map { [try $0.0.call($0.1)] }
      let before = try counts(root)

      // A stroke takes 80 ms, in which all are asked 16 times.
      let start = monotonicNow()
      var time = start
      for (number, letter) in Self.sentence.enumerated() {
        let key = Self.key(of: letter)
        for step in 0..<16 {
          if step == 0 { keyboard.send(key, down: true) }
          if step == 8 { keyboard.send(key, down: false) }
          for (index, (client, member)) in clients.enumerated() {
            let answer = try client.call(member)
            if answer != answers[index].last { answers[index].append(answer) }
          }
          time = max(time + 5000, monotonicNow())
          sleep(until: time)
        }
        if number == 10 {
          // Live for root: what was typed is there.
          #expect(try counts(root).strokes > before.strokes)
        }
      }
      try keyboard.playMark()
      _ = try application.framesUpToMark()
      // What came between two whole minutes is one step.
      let minutes = Int(monotonicNow() / 60_000_000 - start / 60_000_000)
      for ((_, member), answers) in zip(clients, answers) {
        #expect(
          answers.count <= 1 + minutes,
          "“\(member)” changed \(answers.count - 1) times in \(minutes) minutes")
      }
      #expect(try counts(root).strokes == before.strokes + UInt32(Self.sentence.count) + 1)
      withExtendedLifetime(desk) {}
    }

    @Test(
      "and the group has the counts at the next whole minute, when they are stored: a daemon that is killed loses no more"
    )
    func published() throws {
      let bus = try SystemBus()
      let (keyboard, state) = (try UinputDevice(), try TemporaryFolder())
      func start() throws -> (DaemonProcess, EventReader) {
        let daemon = try DaemonProcess(["--device", keyboard.path, "--state", state.path])
        let application = try EventReader(path: daemon.waitForClone())
        try daemon.waitUntilSaid("on the system bus")
        return (daemon, application)
      }
      let (daemon, application) = try start()
      let member = try BusClient(as: .member)
      // All that is typed is to be of one minute.
      let left = 60_000_000 - monotonicNow() % 60_000_000
      if left < 10_000_000 { sleep(until: monotonicNow() + left) }
      _ = try application.moves(of: .stroke(30), on: keyboard)
      var counted = try counts(member)
      #expect(try counted.strokes == 0 && state.names().isEmpty)
      let end = monotonicNow() + 2 * patience
      while counted.strokes == 0, monotonicNow() < end {
        sleep(until: monotonicNow() + 100_000)
        counted = try counts(member)
      }
      #expect(counted.strokes == 2)
      let (minute, second) = (monotonicNow() % 60_000_000, Double(time(nil)))
      // Within the minute that has begun, by its own clock and by that of the answer.
      #expect(minute < 30_000_000)
      #expect(abs(counted.at + Double(minute) / 1e6 - second) < 3)
      try daemon.waitForIdleness(lasting: 3_000_000)
      #expect(try daemon.end(by: SIGKILL) == 128 + SIGKILL)
      let next = try start()
      #expect(try counts(BusClient(as: .root)).strokes == 2)
      withExtendedLifetime((bus, next)) {}
    }

    @Test("nor from what systemd shows, nor from the log")
    func sidelong() throws {
      let bus = try SystemBus()
      let manager = try NotifySocket()
      let keyboard = try UinputDevice()
      keyboard.send(30, down: true)
      let daemon = try DaemonProcess(
        call: ["run", "--device", keyboard.path],
        wrapper: [
          "/usr/bin/env", "NOTIFY_SOCKET=\(manager.path)", "KEYDEBOUNCE_LOG=info",
        ])
      try daemon.waitUntilSaid("on the system bus")
      let nobody = try BusClient(as: .nobody)
      let root = try BusClient(as: .root)
      func state(_ client: BusClient, _ member: String) throws -> DeviceStatus.State? {
        let text = try client.call(member) ?? ""
        return try StatusJSON.decode(DaemonStatus.self, from: Array(text.utf8)).devices.first?.state
      }
      while try state(root, "Statistics") != .waiting { sleep(until: monotonicNow() + 20_000) }
      let waiting = try nobody.call("Status")
      let minute = monotonicNow() / 60_000_000
      keyboard.send(30, down: false)
      while try state(root, "Statistics") != .debounced { sleep(until: monotonicNow() + 20_000) }
      let node = try Monitor().waitForNode { $0.isClone }
      let clone = try EventReader(path: node.path)
      let later = try nobody.call("Status")
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
      withExtendedLifetime(bus) {}
    }

    private func counts(_ client: BusClient) throws -> (strokes: UInt32, at: Double) {
      let text = try client.call("Statistics") ?? ""
      let status = try StatusJSON.decode(DaemonStatus.self, from: Array(text.utf8))
      let keys = try #require(status.devices.first?.keys)
      return (keys.reduce(0) { $0 + $1.strokes }, try #require(status.countedAt))
    }
  }
}
