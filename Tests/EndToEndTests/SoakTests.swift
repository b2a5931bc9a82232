import Control
import EventDevices
import Foundation
import Glibc
import Randomness
import Status
import TestMachine
import Testing

extension EndToEnd {
  /// `KEYDEBOUNCE_SOAK` is for how many seconds, `KEYDEBOUNCE_SEED` what decides on all that happens: `make soak` takes an
  /// hour.
  @Suite("A soak: typing, plugging, reloading, floods, stalls and jumps of the clock, at random")
  struct SoakTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let seconds =
      environment["KEYDEBOUNCE_SOAK"].flatMap { Int64($0) } ?? (isEndurance ? 600 : 20)
    private static let seed = UInt64.testSeed

    /// After how many complaints there is no more to be learned.
    private static let enough = 10
    /// How often a long soak says how it is getting on, and how often the machine sleeps in it, in microseconds.
    private static let report: Int64 = 180_000_000
    private static let sleep: Int64 = 600_000_000

    @Test("every press is accounted for, nothing is stuck, and nothing grows")
    func soak() throws {
      print("KEYDEBOUNCE_SEED=\(Self.seed) KEYDEBOUNCE_SOAK=\(Self.seconds)")
      let soak = try Soak(seed: Self.seed)
      let start = monotonicNow()
      do {
        var (nextReport, nextSleep) = (start + Self.report, start + Self.sleep / 2)
        while monotonicNow() < start + Self.seconds * 1_000_000,
          soak.complaints.count < Self.enough
        {
          let isTimeToSleep = nextSleep <= monotonicNow()
          if isTimeToSleep { nextSleep += Self.sleep }
          try soak.runEpoch(withSleep: isTimeToSleep)
          guard nextReport <= monotonicNow() else { continue }
          nextReport += Self.report
          print("soak: \((monotonicNow() - start) / 1_000_000) s, \(soak.summary)")
          fflush(nil)
        }
        // Its own, that of the socket, the one that stores what it has counted, and the one that closes devices.
        let daemon = RunningProcess(soak.daemon.processIdentifier)
        #expect(try daemon.number("Threads:") <= 4)
        try soak.checkStatistics()
        soak.checkEnds()
      } catch {
        print("soak: ended by an error:\n\(soak.report)")
        throw error
      }
      print(soak.report)
      soak.checkGrowth()
      print("\(soak.descriptors) descriptors from the beginning to the end")
      try soak.end()
    }
  }
}

extension Soak {
  /// How it stands, in a line.
  var summary: String {
    let sum = devices.reduce(into: SoakCounts()) { $0 += $1.counts }
    return """
      \(epochs) epochs, \(devices.reduce(0) { $0 + $1.events }) events, \
      \(sum.pressesIn) presses: \(sum.pressesOut) passed on, \
      \(sum.chatter) chatter, \(sum.suppressed) suppressed; \(sum.resynchronisations) losses; \(reloads) reloads; \
      \(uses.last?.memory ?? 0) KiB; \(complaints.count) complaint(s)
      """
  }

  /// The account of everything.
  var report: String {
    let actions = SoakAction.allCases.map { "\($0) \(done[$0, default: 0])" }
    let lives = devices.map { "\($0.kind) \($0.lives)" }
    return """
      soak: \(summary)
      \(devices.map { "\($0.kind): \($0.counts)" }.joined(separator: "\n"))
      actions: \(actions.joined(separator: ", ")); refused \(refusalsHeard)
      lives: \(lives.joined(separator: ", ")); of \(devices.reduce(0) { $0 + $1.unreadEnds }) clones the end was not read
      """
  }

  /// What is kept of each key, over all lives of a device, is what its lives have counted.
  func checkStatistics() throws {
    let status = try DaemonClient.statusNow()
    for device in devices {
      let keys = status.devices.first { $0.name == device.name }?.keys ?? []
      let strokes = keys.reduce(0) { $0 + Int($1.strokes) }
      let chatter = keys.reduce(0) { $0 + Int($1.chatter.total) }
      let counts = device.counts
      if strokes != counts.pressesOut || chatter != counts.chatter {
        complain(
          """
          \(device.name): of its keys, \(strokes) strokes and \(chatter) pieces of chatter are kept, but its \
          \(device.lives) lives had \(counts.pressesOut) and \(counts.chatter)
          """)
      }
    }
  }

  /// A clone stays for a moment when its device goes, so that applications read its last releases. This one is seldom too
  /// slow for that.
  func checkEnds() {
    let unread = devices.reduce(0) { $0 + $1.unreadEnds }
    let ends = devices.reduce(0) { $0 + $1.lives - 1 }
    if unread > 1 + ends / 10 { complain("of \(ends) clones, the end of \(unread) was not read") }
  }

  /// Compares what the daemon uses at the end with what it used after a quarter of the time.
  func checkGrowth() {
    guard uses.count >= 8 else { return }
    let memory = uses.map(\.memory)
    let (quarter, last) = (memory[memory.count / 4], memory[memory.count - 1])
    print("anonymous memory: \(memory[0]) KiB, \(quarter) after a quarter, \(last) at the end")
    #expect(last - quarter <= Self.settling, "\(last - quarter) KiB more after the first quarter")
  }

  /// In KiB: what is kept and used again, and has not all been taken after a quarter of the time: 68 devices plugged in and
  /// nothing else took 2 MiB, of which 0.2 after the first quarter.
  private static let settling = 1024

  /// Ends the daemon: it leaves nothing behind.
  func end() throws {
    wallClock.restore()
    #expect(try daemon.end() == 0)
    #expect(try Clones.present().isEmpty)
    for device in devices {
      guard let path = device.device?.path else { continue }
      #expect(try EventReader(path: path).grab(), "“\(device.name)” is still grabbed")
    }
  }
}
