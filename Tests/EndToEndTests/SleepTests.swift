import Configuration
import Debounce
import EventDevices
import Foundation
import Glibc
import TestMachine
import Testing

extension EndToEnd {
  @Suite(
    "The machine sleeps", .enabled(if: MachineSleep.isPossible, "this machine only idles"))
  struct SleepTests {
    @Test("what waited is decided when it wakes, and the next press is none of it")
    func waiting() throws {
      // A release that waits, for as long as may be, for the press that would show it to be a bounce.
      let folder = try ConfigurationFolder(
        defaults: "[defaults]\nstrategy = \"eager-defer\"\nthreshold = 1000\n")
      let (keyboard, daemon, application) = try Desk(settings: folder).all
      keyboard.tap(30)
      _ = try application.frames(upTo: .key(30, down: true))
      try MachineSleep.sleepAndWake()
      keyboard.send(30, down: true)
      try daemon.waitForLine(containing: "the machine was asleep")
      keyboard.send(30, down: false)
      let strokes = try application.frames(upTo: .key(30, down: true))
      #expect(keyMoves(strokes) == [.key(30, down: false), .key(30, down: true)])
      _ = try application.frames(upTo: .key(30, down: false))
      #expect(try daemon.end() == 0)
      // The recording tells of the sleep, or else it would be decided otherwise.
      let rules = try LoadedSettings(readingFrom: folder.path).settings.rules
      let replay = Replay(try daemon.recorded(), by: rules)
      #expect(keyMoves(replay.replayed) == keyMoves(replay.clean))
      #expect(keyMoves(replay.clean).count == 4)
    }

    @Test("a key that was held when it fell asleep is not stuck")
    func held() throws {
      let desk = try Desk()
      let (keyboard, _, application) = desk.all
      try application.move(42, down: true, on: keyboard)
      try MachineSleep.sleepAndWake()
      // The kernel lets go of the keys, of the keyboard's and of the clone's.
      let moves = try application.moves(of: .stroke(30), on: keyboard)
      #expect(moves == [.key(42, down: false), .key(30, down: true), .key(30, down: false)])
    }
  }
}
