import Debounce
import EventDevices
import Foundation
import Glibc
import StrokeFixtures
import TestMachine
import Testing

extension EndToEnd {
  @Suite("A busy machine changes when something is passed on, and never what")
  struct LoadTests {
    @Test("a run under load, with stalls, is what the engine does with the same frames")
    func stalls() throws {
      let (keyboard, daemon, application) = try Desk().all
      let load = try (0..<4).map { _ in
        try Process.run(busyLoop, arguments: ["-c", "while :; do :; done"])
      }
      defer { load.forEach { $0.terminate() } }

      var seed = UInt64(getpid()) &* 0x9e37_79b9_7f4a_7c15
      print("seed \(seed)")
      var received: [Frame] = []
      for round in 0..<60 {
        // Strokes and bounces of a few milliseconds up to some that last, on five keys.
        let key = KeyCode(30 + Int(random(&seed) % 5))
        keyboard.send(key, down: random(&seed) % 2 == 0)
        sleep(until: monotonicNow() + Int64(random(&seed) % 40) * 1000)
        if round % 10 == 5 {
          daemon.signal(SIGSTOP)
          sleep(until: monotonicNow() + 60_000)
        } else if round % 10 == 7 {
          daemon.signal(SIGCONT)
        }
        received += application.framesAtHand()
      }
      for key in 30..<35 { keyboard.send(KeyCode(key), down: false) }
      try keyboard.playMark()
      received += try application.framesUpToMark()

      let recording = try daemon.recording(withMarks: 1)
      #expect(recording.clean == recording.replayed)
      #expect(keyMoves(received) == keyMoves(recording.clean).filter { $0.code != mark })
    }

    @Test("events that the kernel had no room for leave no key stuck and none lost")
    func lostEvents() throws {
      let (a, s, d): (KeyCode, KeyCode, KeyCode) = (30, 31, 32)
      let (keyboard, daemon, application) = try Desk().all
      keyboard.send(a, down: true)
      _ = try application.frames { $0.events.contains(.key(a, down: true)) }

      daemon.signal(SIGSTOP)
      try daemon.waitUntilStopped()
      keyboard.send(a, down: false)
      for _ in 0..<200 {
        keyboard.send(s, down: true)
        keyboard.send(s, down: false)
      }
      keyboard.send(d, down: true)
      daemon.signal(SIGCONT)
      try daemon.waitForLine(containing: "events were lost")
      try keyboard.playMark()

      // A is let go although its release was lost, and D is down although its press was.
      let moves = keyMoves(try application.framesUpToMark()).filter { $0.code != s }
      #expect(moves == [.key(a, down: false), .key(d, down: true)])
      keyboard.send(d, down: false)
      try keyboard.playMark()
      #expect(keyMoves(try application.framesUpToMark()) == [.key(d, down: false)])
      let recording = try daemon.recording(withMarks: 2)
      #expect(recording.clean == recording.replayed)
    }

    private let busyLoop = URL(fileURLWithPath: "/bin/sh")

    private func random(_ state: inout UInt64) -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state >> 33
    }
  }
}
