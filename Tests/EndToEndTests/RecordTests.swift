import Debounce
import EventDevices
import Foundation
import Glibc
import Status
import StrokeFixtures
import TestMachine
import Testing

extension EndToEnd {
  @Suite("Recordings")
  struct RecordTests {
    @Test("record writes down what a device sends, and lets others read it meanwhile")
    func record() throws {
      let keyboard = try UinputDevice(name: "recorded keyboard")
      let console = try EventReader(path: keyboard.path)
      let path = "/tmp/recording-\(getpid())-\(keyboard.path.split(separator: "/").last ?? "")"
      defer { unlink(path) }
      let named = try Command(
        ["---completion", "record", "--", "positional@0", "2", "0", "keydebounce", "record", ""])
      #expect(named.output.split(separator: "\n").contains("recorded keyboard"), "\(named.output)")
      // By a part of its name, as people do.
      let record = try DaemonProcess(call: ["record", "recorded key", "-o", path])
      try record.waitForLine(containing: "everything that you type")
      try record.waitForLine(containing: "Ctrl-C ends it")
      keyboard.play(.stroke(30))
      _ = try console.frames(upTo: .key(30, down: false))
      #expect(try record.end(by: SIGINT) == 0)

      let replay = try Command(["replay", "--json", path])
      #expect(replay.status == 0, "\(replay.errors)")
      #expect(replay.json?["presses_in"] as? Int == 1, "\(replay.output)")
      let text = try Command(["replay", path])
      #expect(text.errors.contains("recorded keyboard"))
    }

    @Test(
      "record of a keyboard that chatters has every raw frame, and the daemon goes on debouncing it"
    )
    func held() throws {
      let desk = try Desk()
      let (keyboard, daemon, application) = desk.all
      let path = "/tmp/recording-\(UUID().uuidString).evemu"
      let record = try DaemonProcess(call: ["record", keyboard.path, "-o", path], recording: path)
      try record.waitForLine(containing: "the daemon holds the device, and debounces it meanwhile")
      try record.waitForLine(containing: "Ctrl-C ends it")
      let keys: [KeyCode] = [30, 18, 31, 44]
      for key in keys { keyboard.play(.bouncing(key).pausing(until: 250)) }
      #expect(try application.moves(on: keyboard) == keys.flatMap { [Event].stroke($0) })
      // An answer comes after all that the daemon has written for who watches.
      _ = try DaemonStatus.ask()
      #expect(try record.end(by: SIGINT) == 0)
      #expect(!record.log.contains("lost"))

      let recorded = try Replay(record.recorded()).raw
      #expect(
        keyMoves(recorded)
          == keys.flatMap { [Edge].bouncing($0).moves } + [Event].stroke(mark))
      // As the daemon has read them, to the microsecond.
      #expect(try recorded == Replay(daemon.recorded()).raw)
      let replay = try Command(["replay", "--json", path])
      #expect(replay.json?["presses_in"] as? Int == 2 * keys.count + 1, "\(replay.errors)")
    }
  }
}
