import Debounce
import EventDevices
import Recording
import Testing

@Suite("What the daemon writes for those who watch")
struct OutcomeLineTests {
  private func text(_ fill: (inout RecordingText) -> Void) -> [UInt8] {
    var text = RecordingText(of: RecordedDevice(DeviceIdentity(name: "Desk")), eventsSince: 0)
    fill(&text)
    return text.bytes
  }

  /// An outcome of each kind, with and without what may be missing.
  private static let kinds: [Outcome.Kind] =
    [
      .passed, .waits(until: 4_210_158_790), .suppressed(.throttled, deliveredAt: nil),
      .suppressed(.throttled, deliveredAt: 9_000_000), .duplicate, .repeated, .postponed(until: 8),
      .emitted, .vanished(nil), .corrected, .meant(.single, 1), .meant(.double, 48),
      .meant(.hold, 767), .continued, .learned, .forgot,
    ]
    + Removal.allCases.flatMap {
      [.vanished($0), .restored($0), .reclassified($0), .withdrawn($0, with: 0)]
    }

  @Test("an outcome is read back, whatever it is", arguments: kinds)
  func outcomes(kind: Outcome.Kind) throws {
    for isPress in [true, false] {
      let outcome = Outcome(
        key: 30, isPress: isPress, edge: 4_210_133_790, time: 4_210_133_791, kind: kind)
      #expect(try read(text { $0.append(outcome) }).entries == [.outcome(outcome)])
    }
  }

  @Test("says what is missing, drops what was in hand, and goes on from the keys that are down")
  func loss() throws {
    var torn = text { $0.append(raw: Frame(time: 1, (0..<3).map { .key(30, down: $0 != 1) })) }
    // Without its last two lines.
    for _ in 0..<2 { torn = Array(torn[...(torn.dropLast().lastIndex(of: 10) ?? 0)]) }
    let rest = text {
      $0.appendLoss(of: 12, held: KeySet([30, 42]), at: 2_500_000)
      $0.append(raw: Frame(time: 3_000_000, [.key(30, down: false)]))
    }
    #expect(
      try read(torn + rest.dropFirst(text { _ in }.count)).entries == [
        .lost(lines: 12, held: KeySet([30, 42]), at: 2_500_000),
        .raw(Frame(time: 3_000_000, [.key(30, down: false)])),
      ])
    // More keys than any hand holds: as many as can be written at once.
    let many = text { $0.appendLoss(of: 1, held: KeySet(1...500), at: 1) }
    #expect(try read(many).entries == [.lost(lines: 1, held: KeySet(1...127), at: 1)])
  }

  @Test("is read as it comes, however it is torn", arguments: [1, 7, 33, 4096])
  func torn(portion: Int) throws {
    struct Nothing: Error {}
    var unread = text {
      $0.appendLoss(of: 0, held: KeySet([42]), at: 1_000_000)
      $0.append(raw: Frame(time: 2_000_000, [.key(30, down: true)]))
      $0.appendLoss(of: 4, held: KeySet([31]), at: 3_000_000)
    }[...]
    // Each time there is nothing at first.
    var hasPaused = false
    var reader = RecordingReader(file: "watch") { buffer in
      hasPaused.toggle()
      guard !hasPaused else { throw Nothing() }
      let part = unread.prefix(portion)
      buffer.copyBytes(from: part)
      unread.removeFirst(part.count)
      return part.count
    }
    var entries: [RecordingParser.Entry] = []
    while true {
      do {
        guard let entry = try reader.next() else { break }
        entries.append(entry)
      } catch is Nothing {
        continue
      }
    }
    #expect(
      entries == [
        .lost(lines: 0, held: KeySet([42]), at: 1_000_000),
        .raw(Frame(time: 2_000_000, [.key(30, down: true)])),
        .lost(lines: 4, held: KeySet([31]), at: 3_000_000),
      ])
    #expect(reader.device.identity.name == "Desk")
  }

  @Test("goes on, as a replay, from what is missing")
  func replay() throws {
    var replay = Replay(Rules(strategy: .none))
    replay.process(.raw(Frame(time: 0, [.key(30, down: true)])))
    #expect(replay.output.count == 1)
    // The release of one key and the press of another are missing.
    replay.process(.lost(lines: 4, held: KeySet([31]), at: 1_000_000))
    let events = replay.output.frames.flatMap(\.events)
    #expect(events == [.key(30, down: false), .key(31, down: true)])
    replay.process(.outcome(Outcome(key: 30, isPress: true, edge: 0, time: 0, kind: .passed)))
    #expect(replay.output.isEmpty)
  }
}
