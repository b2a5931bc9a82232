import CEvdev
import Debounce
import EventDevices
import TestMachine
import Testing

extension EndToEnd {
  /// The daemon stands still just before the grab, or right after it, as on a machine that has no time for it.
  @Suite("What is pressed at the moment of the grab")
  struct GrabMomentTests {
    private static let name = "keydebounce busy moment"

    private let keyboard: UinputDevice
    /// Reads the keyboard as everybody does.
    private let console: EventReader

    init() throws {
      keyboard = try UinputDevice(name: Self.name)
      keyboard.endRepeats()
      console = try EventReader(path: keyboard.path)
    }

    /// - Returns: The daemon, as it stands still for the first time, and an application that reads the clone.
    private func startDaemon(holding holds: HeldGrab...) throws -> (DaemonProcess, EventReader) {
      let daemon = try DaemonProcess(
        ["--device", keyboard.path],
        wrapper: DaemonProcess.withFaults(holds.map(\.variable)))
      let clone = try Monitor().waitForNode { $0.isClone && $0.name == Self.name }
      let application = try EventReader(path: clone.path)
      try holds[0].wait()
      return (daemon, application)
    }

    /// - Parameter heard: What everybody has heard of the keyboard before it is debounced, and has not read yet.
    private func checkDebounced(
      by daemon: DaemonProcess, for application: EventReader, heard: [Event] = []
    ) throws {
      _ = try daemon.waitForClone()
      #expect(try application.moves(of: .stroke(31), on: keyboard) == .stroke(31))
      #expect(keyMoves(console.framesAtHand()) == heard)
    }

    @Test("right after it, reaches applications: strokes, and a key that is still down")
    func after() throws {
      let hold = HeldGrab(.after)
      let (daemon, application) = try startDaemon(holding: hold)
      keyboard.play(.stroke(30))
      keyboard.send(42, down: true)
      hold.end()
      let received = try application.frames(upTo: .key(42, down: true))
      #expect(keyMoves(received) == [Event].stroke(30) + [.key(42, down: true)])
      try application.move(42, down: false, on: keyboard)
      try checkDebounced(by: daemon, for: application)
    }

    @Test("right before it, stays with those who read the keyboard until it is up")
    func before() throws {
      let hold = HeldGrab(.before)
      let (daemon, application) = try startDaemon(holding: hold)
      keyboard.send(30, down: true)
      hold.end()
      try daemon.waitForLine(containing: "still waiting for 1 key(s)")
      #expect(try console.move(30, down: false, on: keyboard) == .stroke(30))
      try checkDebounced(by: daemon, for: application)
    }

    @Test("and released right before it, is no reason to wait for another key")
    func strokeBefore() throws {
      let hold = HeldGrab(.before)
      let (daemon, application) = try startDaemon(holding: hold)
      keyboard.play(.stroke(30))
      hold.end()
      try checkDebounced(by: daemon, for: application, heard: [Event].stroke(30))
    }

    /// The flood overruns the daemon's queue, so that the daemon has not seen all of it.
    @Test("right before it, after more than a reader has room for, stays with those who read")
    func afterFlood() throws {
      let hold = HeldGrab(.before)
      let (daemon, application) = try startDaemon(holding: hold)
      for _ in 0..<1000 {
        for isDown in [true, false] { keyboard.send(30, down: isDown) }
      }
      keyboard.send(42, down: true)
      hold.end()
      try daemon.waitForLine(containing: "still waiting for 1 key(s)")
      _ = console.framesAtHand()
      #expect(try console.move(42, down: false, on: keyboard) == [.key(42, down: false)])
      try checkDebounced(by: daemon, for: application)
    }

    @Test("right before it, and comes up right after it, comes up for those who read the keyboard")
    func across() throws {
      let (before, after) = (HeldGrab(.before), HeldGrab(.after))
      let (daemon, application) = try startDaemon(holding: before, after)
      keyboard.send(30, down: true)
      before.end()
      try after.wait()
      keyboard.send(30, down: false)
      after.end()
      let heard = try console.frames(upTo: .key(30, down: false))
      #expect(keyMoves(heard) == .stroke(30))
      try checkDebounced(by: daemon, for: application)
    }

    @Test("right after it, while another key is down that others have seen, is seen by them, too")
    func afterAnother() throws {
      let (before, after) = (HeldGrab(.before), HeldGrab(.after))
      let (daemon, application) = try startDaemon(holding: before, after)
      keyboard.send(42, down: true)
      before.end()
      try after.wait()
      keyboard.send(30, down: true)
      after.end()
      let heard = try console.frames(upTo: .key(30, down: true))
      // A release of a key that is up is nothing to anybody.
      #expect(
        keyMoves(heard) == [.key(42, down: true), .key(30, down: false), .key(30, down: true)])
      for key: KeyCode in [30, 42] { keyboard.send(key, down: false) }
      let releases: [Event] = [.key(30, down: false), .key(42, down: false)]
      try checkDebounced(by: daemon, for: application, heard: releases)
    }
  }
}
