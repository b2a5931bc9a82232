import Debounce
import Devices
import Testing

@testable import Recording

@Suite("What the daemon writes for one who watches")
struct WatchRecordsTests {
  private struct Nothing: Error {}

  private static let device = RecordedDevice(DeviceIdentity(name: "Desk"))

  /// What is written, with the head.
  private func bytes(_ fill: (inout WatchRecords) -> Void) -> [UInt8] {
    var records = WatchRecords(capacity: 1)
    fill(&records)
    return WatchRecords.head(of: Self.device, LearnedHabits(usualHold: 80_000))
      + records.withUnsafeBytes { Array($0) }
  }

  private func read(_ bytes: [UInt8]) throws -> [RecordingParser.Entry] {
    var decoder = WatchDecoder(named: "watch")
    decoder.receive(bytes)
    var entries: [RecordingParser.Entry] = []
    while let entry = try decoder.next() { entries.append(entry) }
    return entries
  }

  /// An outcome of each kind, with and without what may be missing.
  private static let kinds: [Outcome.Kind] =
    [
      .passed, .waits(until: 4_210_158_790), .withdrawn(.pressBounce, with: 7),
      .taken(.throttled, deliveredAt: nil), .taken(.throttled, deliveredAt: 9_000_000), .duplicate,
      .repeated, .postponed(until: 8), .emitted, .vanished(nil), .corrected, .meant(.single, 1),
      .meant(.double, 48), .meant(.hold, 767), .continued, .learned, .forgot,
    ]
    + Removal.allCases.flatMap {
      [.vanished($0), .restored($0), .reclassified($0), .withdrawn($0, with: 0)]
    }

  @Test("an outcome is read back, whatever it is", arguments: kinds)
  func outcomes(kind: Outcome.Kind) throws {
    for isPress in [true, false] {
      let outcome = Outcome(
        key: 30, isPress: isPress, edge: 4_210_133_790, time: 4_210_133_791, kind: kind)
      #expect(try read(bytes { $0.append(outcome) }) == [.outcome(outcome)])
    }
  }

  @Test("a frame is read back, however long it is", arguments: 0...5)
  func frames(length: Int) throws {
    let events = (0..<length).map { Event(type: UInt16($0), code: 0xffff, value: -1 << (6 * $0)) }
    let frame = Frame(time: 5_000_000_000_000, events)
    let entries = try read(
      bytes { records in
        records.append(raw: frame)
        frame.events.withUnsafeBufferPointer { records.append(clean: $0, at: frame.time) }
      })
    #expect(entries == [.raw(frame), .clean(frame)])
  }

  @Test("what happens besides is read back")
  func others() throws {
    let entries = try read(
      bytes {
        $0.append(
          resynchronisedTo: KeySet([31]), before: KeySet([30]), others: Frame(time: 1_000_000))
        $0.appendReset(of: 30, at: 1)
        $0.appendReset(of: nil, at: 2)
        $0.append(isPaused: true, at: 3)
        $0.append(isPaused: false, at: 4)
        $0.appendClosing(at: 5)
      })
    let loss = Event(type: EventType.synchronisation, code: EventType.dropped, value: 0)
    #expect(
      entries == [
        .raw(Frame(time: 1_000_000, [loss, .key(30, down: false), .key(31, down: true)])),
        .reset(30, at: 1), .reset(nil, at: 2), .paused(true, at: 3), .paused(false, at: 4),
        .closed(at: 5),
      ])
  }

  @Test("says what is missing, drops what was in hand, and goes on from the keys that are down")
  func loss() throws {
    let frame = Frame(time: 1, (0..<3).map { .key(30, down: $0 != 1) })
    var torn = bytes { $0.append(raw: frame) }
    torn.removeLast(WatchRecords.size)
    let rest = bytes {
      $0.appendLoss(of: 12, held: KeySet([30, 42]), at: 2_500_000)
      $0.append(raw: Frame(time: 3_000_000, [.key(30, down: false)]))
    }
    let head = bytes { _ in }.count
    #expect(
      try read(torn + rest.dropFirst(head)) == [
        .lost(records: 12, held: KeySet([30, 42]), at: 2_500_000),
        .raw(Frame(time: 3_000_000, [.key(30, down: false)])),
      ])
    // More keys than any hand holds: as many as can be written at once.
    let many = try read(bytes { $0.appendLoss(of: 1, held: KeySet(1...500), at: 1) })
    #expect(many == [.lost(records: 1, held: KeySet(1...127), at: 1)])
  }

  @Test("is read as it comes, however it is torn", arguments: [1, 7, 33, 4096])
  func torn(portion: Int) throws {
    var unread = bytes {
      $0.appendLoss(of: 0, held: KeySet([42]), at: 1_000_000)
      $0.append(raw: Frame(time: 2_000_000, [.key(30, down: true)]))
      $0.appendLoss(of: 4, held: KeySet([31]), at: 3_000_000)
    }[...]
    var stream = WatchStream(named: "watch")
    // Each time there is nothing at first.
    var hasPaused = false
    var entries: [RecordingParser.Entry] = []
    var held: [KeySet] = []
    while true {
      do {
        let entry = try stream.next { buffer in
          hasPaused.toggle()
          guard !hasPaused else { throw Nothing() }
          let part = unread.prefix(portion)
          buffer.copyBytes(from: part)
          unread.removeFirst(part.count)
          return part.count
        }
        guard let entry else { break }
        entries.append(entry)
        held.append(stream.held)
      } catch is Nothing {
        continue
      }
    }
    #expect(
      entries == [
        .lost(records: 0, held: KeySet([42]), at: 1_000_000),
        .raw(Frame(time: 2_000_000, [.key(30, down: true)])),
        .lost(records: 4, held: KeySet([31]), at: 3_000_000),
      ])
    #expect(held == [[42], [30, 42], [31]].map { KeySet($0) })
    #expect(stream.device.identity.name == "Desk")
  }

  @Test("is an error where it is something else")
  func broken() throws {
    let head = bytes { _ in }
    func record(_ change: (inout WatchRecord) -> Void) -> [UInt8] {
      var record = WatchRecord(.outcome, at: 1)
      record.detail = 1
      change(&record)
      return head + Swift.withUnsafeBytes(of: record) { Array($0) }
    }
    _ = try read(record { _ in })
    for (bytes, found) in [
      (Array("# EVEMU 1.3\n# records: 2\n".utf8), "“# records: 2”"),
      (
        Array("E: 1.0 0001 001e 1\nE: 1.0 0000 0000 0\n".utf8),
        "an event before the line “# records: 1”"
      ),
      ([UInt8](repeating: 65, count: 1 << 20), "a line without an end"),
      (record { $0.kind = 77 }, "record 1 of the kind 77"),
      (record { $0.detail = 99 }, "record 1, of an outcome that is none"),
      (record { $0.key = 768 }, "record 1, of an outcome that is none"),
      (record { $0.detail = 3 }, "record 1, of an outcome that is none"),
      (
        record { $0.kind = WatchRecord.Kind.held.rawValue },
        "record 1, of a key that is down, where there is none"
      ),
      (
        record { ($0.kind, $0.detail) = (WatchRecord.Kind.raw.rawValue, 3) },
        "record 1, of a frame that is none"
      ),
    ] {
      let error = #expect(throws: RecordingError.self) { try read(bytes) }
      #expect(
        error?.description.contains(
          "found \(found); expected what this version's daemon writes: restart the daemon after an update"
        ) == true, "\(String(describing: error))")
    }
  }

  @Test("has the layout that it is said to have")
  func layout() {
    #expect(MemoryLayout<WatchRecord>.size == WatchRecord.size)
    #expect(MemoryLayout<WatchRecord>.stride == WatchRecord.size)
    #expect(MemoryLayout<WatchRecord>.offset(of: \.key) == 4)
    #expect(MemoryLayout<WatchRecord>.offset(of: \.time) == 8)
    #expect(MemoryLayout<WatchRecord>.offset(of: \.second) == 24)
  }

  @Test("goes on, as a replay, from what is missing")
  func replay() throws {
    var replay = Replay(Rules(strategy: .none))
    replay.process(.raw(Frame(time: 0, [.key(30, down: true)])))
    #expect(replay.output.count == 1)
    // The release of one key and the press of another are missing.
    replay.process(.lost(records: 4, held: KeySet([31]), at: 1_000_000))
    let events = (0..<replay.output.count).flatMap { replay.output[$0].events }
    #expect(events == [.key(30, down: false), .key(31, down: true)])
    replay.process(.outcome(Outcome(key: 30, isPress: true, edge: 0, time: 0, kind: .passed)))
    #expect(replay.output.isEmpty)
  }
}

@Suite("Who watches looks into the pipe")
struct WatchPaceTests {
  @Test("when something comes, then from time to time, and sleeps when nothing has come for long")
  func pace() {
    var pace = WatchPace()
    pace.looked(hasRead: false, at: 1_000_000)
    #expect(pace.due == nil)
    pace.looked(hasRead: true, at: 2_000_000)
    var now: Microseconds = 2_000_000
    var looks = 0
    while let due = pace.due {
      #expect(due == now + WatchPace.interval)
      now = due
      looks += 1
      pace.looked(hasRead: looks == 3, at: now)
    }
    // The third found something: the rest is counted from then.
    #expect(now == 2_000_000 + 3 * WatchPace.interval + WatchPace.rest)
  }
}
