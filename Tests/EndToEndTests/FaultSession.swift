import CEvdev
import Control
import Debounce
import EventDevices
import Foundation
import Glibc
import TestMachine

/// A call that is to fail.
struct Fault: Hashable, CustomStringConvertible {
  /// The function that is called.
  var function: String
  /// Which of its calls fails, from 1.
  var number: Int
  /// Which of the reasons that it may have.
  var reason: Int

  var description: String { "\(function):\(number):\(reason)" }
}

extension Fault {
  /// A fault as it is printed, `read:3:0`; `nil` if the text is none.
  init?(_ text: some StringProtocol) {
    let parts = text.split(separator: ":")
    guard parts.count == 3, let number = Int(parts[1]), let reason = Int(parts[2]) else {
      return nil
    }
    self.init(function: String(parts[0]), number: number, reason: reason)
  }
}

/// A short life of the daemon, with everything in it that it does: start, chatter, another keyboard that comes and goes, a
/// reload, a question through the socket, and the end. One call fails, or none.
///
/// Nothing of it depends on how the daemon fares: each step is tried, and waits no longer than a moment for what is
/// usual.
struct FaultSession {
  /// How long a step waits for a line that usually comes, in microseconds.
  private static let moment: Int64 = 3_000_000
  private static let first = "keydebounce fault first"
  private static let second = "keydebounce fault second"
  /// Few keys, each of which takes a call to make; udev takes nothing with fewer for a keyboard.
  private static func smallKeyboard(name: String) -> Blueprint {
    var keyboard = Blueprint.keyboard(name: name)
    keyboard.codes[EV_KEY] = Array(1..<60)
    return keyboard
  }

  /// The outcome of a session.
  struct Outcome: CustomStringConvertible {
    /// What is wrong; empty if all is well.
    var complaints: [String] = []
    /// The calls that could have failed; or what was failed, after “failed ”.
    var calls: [Substring] = []
    var log = ""
    /// The daemon's exit status; `nil` if it did not end.
    var status: CInt?

    var wasReached: Bool { calls.contains { $0.hasPrefix("failed ") } }

    /// What the daemon said, without the numbers, which differ from run to run.
    var lines: Set<String> {
      Set(log.split(separator: "\n").map { $0.filter { !$0.isNumber } })
    }

    var description: String {
      let last = log.split(separator: "\n").last ?? "nothing"
      return "status \(status.map(String.init) ?? "none"), \(complaints), last said: \(last)"
    }
  }

  /// The keyboard that is always there.
  let keyboard: UinputDevice
  let configuration: ConfigurationFolder

  init() throws {
    try BuiltInKeyboard.detach()
    keyboard = try UinputDevice(Self.smallKeyboard(name: Self.first))
    configuration = try ConfigurationFolder()
    try configuration.write(
      device: "fault.toml",
      "[device]\nvendor = 0x1209\nproduct = 0x0001\nvirtual = true\n\n[keys]\nKEY_A = 40\n")
  }

  func run(_ fault: Fault?) throws -> Outcome {
    var outcome = Outcome()
    let report = "/tmp/faults-\(UUID().uuidString)"
    let state = "/tmp/state-\(UUID().uuidString)"
    mkdir(state, 0o700)
    defer {
      unlink(report)
      try? FileManager.default.removeItem(atPath: state)
    }
    let console = try EventReader(path: keyboard.path)
    let daemon = try DaemonProcess(
      call: ["run", "--config", configuration.path, "--state", state],
      wrapper: DaemonProcess.withFaults([
        "FAULT_REPORT=\(report)"
      ]) + (fault.map { ["FAULT=\($0)"] } ?? []))
    let application = live(daemon)

    // Whatever has become of the daemon, what is typed arrives, with it or without it.
    if !types(console) {
      outcome.complaints.append("what is typed arrives nowhere")
    }
    keyboard.send(30, down: true)
    daemon.signal(SIGTERM)
    _ = try? daemon.waitForLine(containing: "stopping", limit: Self.moment)
    keyboard.send(30, down: false)
    outcome.status = try daemon.waitForEndOrKill()
    outcome.log = daemon.log
    judgeEnd(&outcome)

    // A clone that takes no writes takes no release either; it goes, and with it its keys.
    let held = application?.heldAtEnd() ?? []
    if !held.isEmpty, fault?.function != "write" {
      outcome.complaints.append("the clone's reader has \(held.count) key(s) down for ever")
    }
    if !types(console) { outcome.complaints.append("the keyboard is dead afterwards") }
    if !console.grab() { outcome.complaints.append("the keyboard is still grabbed") }
    console.grab(false)
    outcome.calls =
      (try? String(contentsOfFile: report, encoding: .utf8))?.split(separator: "\n") ?? []
    return outcome
  }

  /// Takes the daemon through everything up to its end.
  ///
  /// - Returns: An application that reads the first keyboard's clone, if it has one.
  private func live(_ daemon: DaemonProcess) -> BackgroundReader? {
    // Whatever it says of a keyboard: that it is debounced, or why not.
    _ = try? daemon.waitForLine(containing: keyboard.path, limit: Self.moment)
    let application = clonePath().flatMap { try? BackgroundReader(path: $0) }
    do {
      let other = try UinputDevice(Self.smallKeyboard(name: Self.second))
      _ = try? daemon.waitForLine(containing: other.path, limit: Self.moment)
      for key in [30, 42] as [KeyCode] {
        for down in [true, false, true, false] { keyboard.send(key, down: down) }
      }
      other.send(30, down: true)
      daemon.signal(SIGHUP)
      _ = try? daemon.waitForLine(containing: "the configuration", limit: Self.moment)
      _ = try? DaemonClient.statusNow()
      // Here it is unplugged.
      withExtendedLifetime(other) {}
    } catch {
      // Then the rest shows why.
    }
    _ = try? daemon.waitForLine(containing: "was unplugged", limit: Self.moment)
    return application
  }

  /// The node of the first keyboard's clone, which has no name if the call failed that reads it.
  private func clonePath() -> String? {
    (try? Monitor().nodes())?.first { $0.isClone && $0.name != Self.second }?.path
  }

  /// Types a key until one stroke has arrived whole: from the keyboard itself, or from its clone.
  private func types(_ console: EventReader) -> Bool {
    let key: KeyCode = 59
    for _ in 0..<3 {
      let clone = clonePath().flatMap { try? EventReader(path: $0) }
      _ = console.framesAtHand()
      keyboard.tap(key)
      var heard: [[Event]] = [[], []]
      let end = monotonicNow() + Self.moment
      while monotonicNow() < end {
        for (place, reader) in [console, clone].enumerated() {
          guard let reader else { continue }
          heard[place] += keyMoves(reader.frames(until: monotonicNow() + 5000))
            .filter { $0.code == key }
          if heard[place].suffix(2) == [Event].stroke(key) {
            return true
          }
        }
      }
    }
    return false
  }

  private func judgeEnd(_ outcome: inout Outcome) {
    guard let status = outcome.status else {
      return outcome.complaints.append("the daemon does not end")
    }
    if status >= 128 { outcome.complaints.append("the daemon died of signal \(status - 128)") }
  }
}
