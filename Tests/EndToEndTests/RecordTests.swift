import Debounce
import EventDevices
import Foundation
import Glibc
import Recording
import Status
import StrokeFixtures
import TestMachine
import Testing

extension EndToEnd {
  @Suite("Recordings")
  struct RecordTests {
    @Test("replay gives what the run gave, event for event")
    func replayOfRun() throws {
      let (keyboard, daemon, application) = try Desk().all
      for stroke in try StrokeCase.load(DaemonProcess.fixtures + "/chatter.strokes") {
        keyboard.play(stroke.raw)
      }
      try keyboard.playMark()
      _ = try application.framesUpToMark()
      #expect(try daemon.end() == 0)

      let replay = try Command(["replay", daemon.recording])
      #expect(replay.status == 0, "\(replay.errors)")
      var parser = RecordingParser()
      let replayed: [Frame] = try replay.output.split(separator: "\n").compactMap {
        if case .raw(let frame) = try parser.read(line: $0) { frame } else { nil }
      }
      let clean: [Frame] = try daemon.recorded().compactMap {
        if case .clean(let frame) = $0 { frame } else { nil }
      }
      #expect(clean.count > 20)
      #expect(replayed == clean)
    }

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
      _ = try console.frames { $0.events.contains(.key(30, down: false)) }
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
      try keyboard.playMark()
      #expect(keyMoves(try application.framesUpToMark()) == keys.flatMap { [Event].stroke($0) })
      // An answer comes after all that the daemon has written for who watches.
      _ = try DaemonStatus.ask()
      #expect(try record.end(by: SIGINT) == 0)
      #expect(!record.log.contains("lost"))

      func raw(_ process: DaemonProcess) throws -> [Frame] {
        try process.recorded().compactMap { if case .raw(let frame) = $0 { frame } else { nil } }
      }
      let recorded = try raw(record)
      #expect(
        keyMoves(recorded)
          == keys.flatMap { [Edge].bouncing($0).moves } + [Event].stroke(mark))
      // As the daemon has read them, to the microsecond.
      #expect(try recorded == raw(daemon))
      let replay = try Command(["replay", "--json", path])
      #expect(replay.json?["presses_in"] as? Int == 2 * keys.count + 1, "\(replay.errors)")
    }

    @Test("record ends when the daemon is killed, says so, and what there was is in the file")
    func daemonKilled() throws {
      let (keyboard, daemon, application) = try Desk().all
      let path = "/tmp/recording-\(UUID().uuidString).evemu"
      let record = try DaemonProcess(call: ["record", keyboard.path, "-o", path], recording: path)
      try record.waitForLine(containing: "Ctrl-C ends it")
      _ = try application.moves(of: .stroke(30), on: keyboard)
      _ = try DaemonStatus.ask()
      #expect(try daemon.end(by: SIGKILL) == 128 + SIGKILL)
      try record.waitForLine(containing: "the daemon has ended")
      #expect(try record.waitForEnd() == 0)
      let replay = try Command(["replay", "--json", path])
      #expect(replay.json?["presses_in"] as? Int == 2, "\(replay.errors)")
    }

    @Test("record of a device that may not be read names what is missing")
    func forbidden() throws {
      let keyboard = try UinputDevice()
      let record = try DaemonProcess(
        call: ["record", keyboard.path, "-o", "/tmp/none"],
        wrapper: Command.nobody)
      try record.waitForLine(containing: "no permission to open \(keyboard.path)")
      #expect(try record.waitForEnd() == 77)
    }
  }
}
