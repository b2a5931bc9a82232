import Debounce
import EventDevices
import Recording
import Samples
import SystemPackage
import Testing
@testable import keydebounce

@Suite("What top sees of a device that the daemon shows")
struct LiveKeysTests {
  private static let stroke = WatchedStream.text { text in
    func move(_ value: Int32, at time: Microseconds) {
      text.append(raw: Frame(time: time, [Event(type: EventType.key, code: 30, value: value)]))
    }
    func decide(_ isPress: Bool, edge: Microseconds, at time: Microseconds, _ kind: Outcome.Kind) {
      text.append(Outcome(key: 30, isPress: isPress, edge: edge, time: time, kind: kind))
    }
    move(1, at: 11_000_000)
    decide(true, edge: 11_000_000, at: 11_000_000, .passed)
    [Event.key(30, down: true)].withUnsafeBufferPointer { text.append(clean: $0, at: 11_000_000) }
    move(0, at: 11_004_000)
    decide(false, edge: 11_004_000, at: 11_004_000, .waits(until: 11_029_000))
    move(1, at: 11_006_000)
    decide(true, edge: 11_006_000, at: 11_006_000, .withdrawn(.pressBounce, with: 11_004_000))
    move(2, at: 11_007_000)
    decide(true, edge: 11_006_000, at: 11_008_000, .restored(.pressBounce))
  }

  @Test("shows the same in pieces of any length, without waiting", arguments: [1, 7, 64, 100_000])
  func pieces(length: Int) throws {
    let ends = try FileDescriptor.pipe()
    try ends.writeEnd.writeAll(WatchedStream.head(held: KeySet([42])))
    let watched = try DaemonStream("/dev/input/event0", ends.readEnd)
    var live = LiveKeys()
    var wasAlarmed = false
    var rest = Self.stroke[...]
    while !rest.isEmpty {
      try ends.writeEnd.writeAll(rest.prefix(length))
      while let entry = watched.read() {
        live.receive(entry, at: 0)
        wasAlarmed = wasAlarmed || live.isAlarmed(30)
      }
      rest = rest.dropFirst(length)
    }
    // Down, up and down; removed and restored.
    #expect(live.presses == 2 && live.removed == 0 && wasAlarmed && !live.isAlarmed(30))
    _ = live.advance(to: .max)
    #expect((0..<256).filter(live.isLit) == [30, 42])
    try ends.writeEnd.writeAll(WatchedStream.closing)
    #expect(isClosed(watched))
    try ends.writeEnd.close()
  }

  /// A file has always something to read, as a daemon that writes without end.
  @Test("lets whoever reads turn to other things, even if the daemon writes without end")
  func endless() throws {
    let lines =
      String(decoding: WatchedStream.head() + Self.stroke, as: UTF8.self)
      + String(repeating: "#\n", count: 500_000)
    let folder = try Folder(["endless": lines])
    let file = try FileDescriptor.open(folder.path + "/endless", .readOnly)
    let watched = try DaemonStream("/dev/input/event0", file)
    var pauses = 0
    while true {
      var entries = 0
      while let entry = watched.read() {
        if case .closed = entry {
          #expect(pauses >= 15)
          return
        }
        entries += 1
      }
      #expect(entries < 10_000)
      pauses += 1
    }
  }

  @Test("counts as removed what the engine counts, also what waited and was locked out")
  func lockedOut() {
    var (live, counters) = (LiveKeys(), Counters())
    let kinds: [Outcome.Kind] = [
      .waits(until: 9), .vanished(.lockedOut), .withdrawn(.dropOut, with: 1),
      .reclassified(.releaseBounce), .suppressed(.throttled, deliveredAt: nil), .vanished(nil),
      .restored(.throttled), .restored(.tooSoon),
    ]
    for kind in kinds {
      let outcome = Outcome(key: 30, isPress: true, edge: 0, time: 0, kind: kind)
      counters.count(outcome)
      live.receive(.outcome(outcome), at: 0)
      #expect(live.removed == Int(counters.chatter.total + counters.suppressed), "\(kind)")
    }
    #expect(live.removed == 2)
  }

  /// Whether nothing more comes after what can be read.
  private func isClosed(_ watched: DaemonStream) -> Bool {
    while let entry = watched.read() {
      if case .closed = entry { return true }
    }
    return false
  }
}
