import Bus
import Debounce
import EventDevices
import Glibc
import Status
import TestMachine
import Testing

extension EndToEnd {
  @Suite("Pausing: everything passes as it is")
  struct PausedTests {
    @Test("from when a key is up, on the same clone; the recording replays as the run")
    func keyHeld() throws {
      let keyboard = try UinputDevice()
      // While a command runs, nobody reads the clone: repeats would fill the reader's buffer.
      keyboard.endRepeats()
      let desk = try Desk(on: SystemBus(), keyboard)
      #expect(try desk.countPresses(18) == 1)
      desk.keyboard.send(42, down: true)
      _ = try desk.application.frames { $0.events.contains(.key(42, down: true)) }
      #expect(try Command(["pause", desk.keyboard.path]).status == 0)
      #expect(try desk.countPresses(18) == 2)
      desk.keyboard.send(42, down: false)
      let release = try desk.application.frames { $0.events.contains(.key(42, down: false)) }
      #expect(keyMoves(release) == [.key(42, down: false)])
      let status = try #require(try DaemonClient().status().devices.first)
      #expect(status.pause == DevicePause() && status.state == .debounced)
      #expect(try Command(["status"]).output.contains("until “keydebounce resume”"))

      desk.keyboard.send(42, down: true)
      _ = try desk.application.frames { $0.events.contains(.key(42, down: true)) }
      #expect(try Command(["resume"]).status == 0)
      #expect(try desk.countPresses(18) == 1)
      desk.keyboard.send(42, down: false)
      let last = try desk.application.frames { $0.events.contains(.key(42, down: false)) }
      #expect(keyMoves(last) == [.key(42, down: false)])
      #expect(try DaemonClient().status().devices.first?.pause == nil)
      #expect(try desk.daemon.end() == 0)
      let replay = Replay(try desk.daemon.recorded())
      #expect(replay.clean == replay.replayed)
    }

    @Test("until the time is over, and for what is plugged in meanwhile")
    func time() throws {
      let bus = try SystemBus()
      let keyboard = try UinputDevice(name: "paused keyboard")
      let folder = try ConfigurationFolder(
        device: "[device]\nname = \"*paused keyboard\"\nvirtual = true\n")
      let daemon = try DaemonProcess(call: ["run", "--config", folder.path])
      _ = try daemon.waitForClone(of: keyboard.path)
      try daemon.waitUntilSaid("on the system bus")
      #expect(try Command(["pause"]).status == 0)
      let other = try UinputDevice(name: "other paused keyboard")
      _ = try daemon.waitForClone(of: other.path)
      let client = try DaemonClient()
      // The machine has keyboards of its own.
      let nodes = [keyboard.path, other.path]
      var devices = try client.status().devices.filter { nodes.contains($0.node) }
      #expect(devices.map(\.pause) == [DevicePause(), DevicePause()])
      try client.pause(keyboard.path, for: 1)
      try daemon.waitForLine(containing: "debounced again after a pause")
      devices = try client.status().devices.filter { nodes.contains($0.node) }
      #expect(devices.filter { $0.pause == nil }.map(\.node) == [keyboard.path])
      #expect(throws: ControlError.notHeld("/dev/input/event99")) {
        try client.resume("/dev/input/event99")
      }
      try client.resume()
      #expect(try client.status().devices.allSatisfy { $0.pause == nil })
      // By their names, as everywhere.
      let several = try Command(["pause", "paused keyboard"])
      #expect(several.status == 1 && several.errors.contains("may mean several devices; name one"))
      #expect(try Command(["pause", "other paused"]).status == 0)
      devices = try client.status().devices.filter { $0.pause != nil }
      #expect(devices.map(\.node) == [other.path])
      withExtendedLifetime((bus, other)) {}
    }

    @Test("whoever polkit lets may pause, and nothing waits for polkit", arguments: [true, false])
    func polkit(isGranting: Bool) throws {
      let desk = try Desk(on: SystemBus())
      let polkit = try PolkitAuthority(granting: isGranting)
      let client = try BusClient(as: .nobody)
      let answer = try client.answer(to: "Pause", desk.keyboard.path, number: 0)
      #expect(answer == (isGranting ? .answered : .refused))
      #expect(try client.answer(to: "Watch", desk.keyboard.path) == .refused)
      #expect(try client.answer(to: "Reload") == (isGranting ? .answered : .refused))
      #expect(polkit.actions == ["io.github.keydebounce.pause", "io.github.keydebounce.reload"])
      #expect(try desk.countPresses(18) == (isGranting ? 2 : 1))
      // Root and the group need no polkit.
      let member = try BusClient(as: .member)
      #expect(try member.answer(to: "Resume", desk.keyboard.path) == .answered)
      #expect(try member.answer(to: "Reload") == .answered)
      #expect(polkit.actions.count == 2)
      polkit.stop()
      #expect(try client.answer(to: "Pause", desk.keyboard.path, number: 0) == .refused)
      #expect(try desk.countPresses(18) == 1)
    }

    @Test(
      "what whoever sits at the machine pauses ends with the session, and root's pause does not")
    func session() throws {
      let desk = try Desk(on: SystemBus())
      let (polkit, logind) = (try PolkitAuthority(granting: true), try LoginManager())
      let client = try BusClient(as: .nobody)
      #expect(try client.answer(to: "Pause", desk.keyboard.path, number: 0) == .answered)
      #expect(try desk.countPresses(18) == 2)
      // A member of the group can say so to the daemon, and it is not true.
      let member = try BusClient(as: .member)
      try member.send(
        signal: "SessionRemoved", of: "org.freedesktop.login1.Manager",
        at: "/org/freedesktop/login1", ["7", "/org/freedesktop/login1/session/_37"],
        to: BusNames.service)
      #expect(try member.answer(to: "Resume", "/dev/input/event99") != .answered)
      #expect(try desk.countPresses(18) == 2)
      try logind.endSession()
      try desk.daemon.waitForLine(containing: "debounced again after a pause")
      #expect(try desk.countPresses(18) == 1)
      // Nobody who has no session has it paused for ever.
      #expect(
        try BusClient(as: .root).answer(to: "Pause", desk.keyboard.path, number: 0) == .answered)
      logind.stop()
      #expect(try desk.countPresses(18) == 2)
      polkit.stop()
    }

    @Test("as fast as whoever sits at the machine can ask, ten times a second at most")
    func flood() throws {
      let desk = try Desk(on: SystemBus())
      let polkit = try PolkitAuthority(granting: true)
      let client = try BusClient(as: .nobody)
      let changes = 30
      let start = monotonicNow()
      for number in 0..<changes {
        let member = number % 2 == 0 ? "Pause" : "Resume"
        let seconds: UInt32? = number % 2 == 0 ? 0 : nil
        #expect(try client.answer(to: member, desk.keyboard.path, number: seconds) == .answered)
      }
      let tenths = (monotonicNow() - start) / 100_000
      #expect(tenths >= changes - 1, "\(changes) changes in \(tenths) tenths of a second")
      #expect(try desk.countPresses(18) == 1)
      polkit.stop()
    }

    @Test("while polkit says nothing, one call of a user waits, and others are refused or answered")
    func silentPolkit() throws {
      let desk = try Desk(on: SystemBus())
      let polkit = try PolkitAuthority(granting: nil)
      let waiting = try BusClient(as: .nobody)
      try waiting.begin("Pause", desk.keyboard.path, number: 0)
      while polkit.actions.isEmpty { sleep(until: monotonicNow() + 1000) }
      let client = try BusClient(as: .nobody)
      for _ in 0..<100 {
        #expect(
          try client.answer(to: "Pause", desk.keyboard.path, number: 0)
            == .failed(BusNames.Error.limitsExceeded))
      }
      #expect(polkit.actions.count == 1)
      let member = try BusClient(as: .member)
      #expect(try member.answer(to: "Pause", desk.keyboard.path, number: 0) == .answered)
      #expect(try desk.countPresses(18) == 2)
      polkit.stop()
    }

    @Test("what is too long is refused, and what is repeated of it is cut")
    func tooLong() throws {
      let desk = try Desk(on: SystemBus())
      let root = try BusClient(as: .root)
      let invalid = BusClient.Answer.failed(BusNames.Error.invalidArguments)
      let long = String(repeating: "x", count: 4097)
      #expect(try root.answer(to: "Pause", long, number: 0) == invalid)
      #expect(try root.answer(to: "Reset", desk.keyboard.path, String(long.prefix(65))) == invalid)
      #expect(try root.answer(to: "Pause", long + long + long, number: 0) == invalid)
      let longest = String(long.dropFirst())
      #expect(
        try root.answer(to: "Pause", longest, number: 0) == .failed(BusNames.Error.notHeld))
      let text = try #require(root.lastError)
      #expect(text.contains("xxx…") && text.count < 250, "\(text.count)")
      #expect(try desk.countPresses(18) == 1)
    }

    /// Who may call what, as SECURITY.md has it.
    @Test(
      "who may call what",
      arguments: [
        (
          BusClient.User.root,
          "Status Statistics History Reload Borrow Return Reset Pause Resume Watch"
        ),
        (.member, "Status Statistics History Reload Borrow Return Reset Pause Resume"),
        (.nobody, "Status"),
      ])
    func rights(user: BusClient.User, allowed: String) throws {
      let desk = try Desk(on: SystemBus())
      let client = try BusClient(as: user)
      let path = desk.keyboard.path
      var answered: [String] = []
      for member in ["Status", "Statistics", "History", "Reload", "Borrow", "Return"] + ["Reset"] {
        let answer =
          switch member {
          case "Status", "Statistics", "Reload": try client.answer(to: member)
          case "Borrow": try client.answer(to: member, path, number: 1)
          case "Reset": try client.answer(to: member, path, "")
          default: try client.answer(to: member, path)
          }
        if answer != .refused { answered.append(member) }
      }
      if user != .nobody { _ = try desk.daemon.waitForClone() }
      if try client.answer(to: "Pause", path, number: 0) != .refused { answered.append("Pause") }
      if try client.answer(to: "Resume", path) != .refused { answered.append("Resume") }
      if try client.answer(to: "Watch", path) != .refused { answered.append("Watch") }
      #expect(answered.joined(separator: " ") == allowed)
    }
  }
}

extension Desk {
  /// Makes a stroke that begins with a bounce, and reports how many presses of it are passed on.
  fileprivate func countPresses(_ key: KeyCode) throws -> Int {
    try application.moves(of: .bouncing(key), on: keyboard).count { $0 == .key(key, down: true) }
  }
}
