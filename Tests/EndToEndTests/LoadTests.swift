import Debounce
import EventDevices
import Foundation
import Glibc
import Randomness
import TestMachine
import Testing

extension EndToEnd {
  @Suite("A busy machine changes when something is passed on, and never what")
  struct LoadTests {
    @Test("a run under load, with stalls, is what the engine does with the same frames")
    func stalls() throws {
      let (keyboard, daemon, application) = try Desk().all
      // Twice as many as the virtual machine has processors.
      let load = try (0..<4).map { _ in
        try Process.run(URL(fileURLWithPath: "/bin/sh"), arguments: ["-c", "while :; do :; done"])
      }
      // They inherit the signals that this thread blocks, with the request to end.
      func endLoad() {
        for process in load {
          kill(process.processIdentifier, SIGKILL)
          process.waitUntilExit()
        }
      }
      defer { endLoad() }

      let seed = UInt64.testSeed
      print("KEYDEBOUNCE_SEED=\(seed)")
      var random = SeededRandom(seed: seed)
      var received: [Frame] = []
      for round in 0..<60 {
        // Strokes and bounces of a few milliseconds up to some that last, on five keys.
        keyboard.send(KeyCode.random(in: 30..<35, using: &random), down: .random(using: &random))
        sleep(until: monotonicNow() + Int64.random(in: 0..<40, using: &random) * 1000)
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
      endLoad()

      let recording = try daemon.recording(withMarks: 1)
      #expect(recording.clean == recording.replayed)
      #expect(keyMoves(received) == keyMoves(recording.clean).filter { $0.code != mark })
    }
  }
}
