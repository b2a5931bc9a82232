import Control
import Debounce
import EventDevices
import Glibc
import Status
import TestMachine
import Testing

extension EndToEnd {
  @Suite("Pausing: everything passes as it is")
  struct PassThroughTests {
    @Test("from when a key is up, on the same clone; the recording replays as the run")
    func keyHeld() throws {
      let keyboard = try UinputDevice()
      // While a command runs, nobody reads the clone: repeats would fill the reader's buffer.
      keyboard.endRepeats()
      let desk = try Desk(keyboard)
      #expect(try desk.countPresses(18) == 1)
      try desk.application.move(42, down: true, on: keyboard)
      #expect(try Command(["pause", keyboard.path]).status == 0)
      #expect(try desk.countPresses(18) == 2)
      #expect(try desk.application.move(42, down: false, on: keyboard) == [.key(42, down: false)])
      let status = try #require(try DaemonClient.statusNow().devices.first)
      #expect(status.pause == DevicePause() && status.state == .debounced)
      #expect(try Command(["status"]).output.contains("until “keydebounce resume”"))

      try desk.application.move(42, down: true, on: keyboard)
      #expect(try Command(["resume"]).status == 0)
      #expect(try desk.countPresses(18) == 1)
      #expect(try desk.application.move(42, down: false, on: keyboard) == [.key(42, down: false)])
      #expect(try DaemonClient.statusNow().devices.first?.pause == nil)
      #expect(try desk.daemon.end() == 0)
      let replay = Replay(try desk.daemon.recorded())
      #expect(replay.clean == replay.replayed)
    }

    @Test("members of the group may pause, ten times a second at most; devices say until when")
    func member() throws {
      try ControlConnection.makeGroup()
      let desk = try Desk()
      let member = try ControlConnection(as: .member)
      let device: [String: ControlValue] = ["device": .text(desk.keyboard.path)]
      let changes = 30
      let start = monotonicNow()
      for number in 0..<changes {
        let method: ControlMethod = number.isMultiple(of: 2) ? .pause : .resume
        let answer = try #require(try member.call(method, device))
        #expect(answer.error == nil)
      }
      let tenths = (monotonicNow() - start) / 100_000
      #expect(tenths >= changes - 1, "\(changes) changes in \(tenths) tenths of a second")
      #expect(try desk.countPresses(18) == 1)
      let until = Glibc.time(nil) + 600
      var answer = try #require(
        try member.call(.pause, device.merging(["seconds": .number(600)]) { $1 }))
      #expect(answer.error == nil)
      #expect(try desk.countPresses(18) == 2)
      var client = try DaemonClient()
      let end = try #require(try client.devices().first?.pausedUntil)
      #expect((until...(Glibc.time(nil) + 601)).contains(end))
      try client.pause(desk.keyboard.path, for: 1)
      try wait(for: "the pause to be over") {
        try DaemonClient.statusNow().devices.first?.pause == nil
      }
      try client.pause(desk.keyboard.path)
      // Without a device: all.
      answer = try #require(try member.call(.resume))
      #expect(answer.error == nil)
      #expect(try desk.countPresses(18) == 1)
      #expect(try client.devices().map(\.paused) == [false])
    }
  }
}

extension Desk {
  /// Makes a stroke that begins with a bounce, and reports how many presses of it are passed on.
  fileprivate func countPresses(_ key: KeyCode) throws -> Int {
    try application.moves(of: .bouncing(key), on: keyboard).count { $0 == .key(key, down: true) }
  }
}
