import AllocationCounter
import Debounce
import Devices
import Glibc
import Recording
import SystemPackage
import Testing

@testable import Service

@Suite("Those who watch a device")
struct WatchersTests {
  private static let device = RecordedDevice(DeviceIdentity(name: "Desk"))
  private static let press = Frame(time: 1_000_000, [.key(30, down: true)])

  /// Reads what is in a pipe, without waiting for more.
  private static func read(_ reader: FileDescriptor) throws -> [RecordingParser.Entry] {
    _ = fcntl(reader.rawValue, F_SETFL, O_RDONLY | O_NONBLOCK)
    var recording = RecordingReader(file: "watch") { buffer in
      do {
        return try reader.read(into: buffer)
      } catch Errno.resourceTemporarilyUnavailable {
        return 0
      }
    }
    var entries: [RecordingParser.Entry] = []
    while let entry = try recording.next() { entries.append(entry) }
    return entries
  }

  /// A frame for which as much is written as for a thousand.
  private static let long = Frame(
    time: 500_000, (0..<1000).map { Event(type: 2, code: 0, value: $0) })

  @Test("are given the head, the keys that are down, and each frame with what became of it")
  func frames() throws {
    let (pipe, reader) = try WatchPipe.make()
    defer { try? reader.close() }
    var watchers = Watchers(held: KeySet([42]))
    _ = watchers.add(pipe, Self.device, LearnedHabits(), at: 7)
    var outcomes = OutcomeLog()
    var output = FrameQueue()
    var engine = Debouncer(Rules(strategy: .none))
    engine.process(Self.press, into: &output, outcomes: &outcomes)
    watchers.append(raw: Self.press)
    watchers.append(outcomes)
    output.drain { watchers.append(clean: $0, at: $1) }
    watchers.finish(at: 3_000_000)
    #expect(
      try Self.read(reader) == [
        .lost(lines: 0, held: KeySet([42]), at: 7), .raw(Self.press),
        .outcome(
          Outcome(key: 30, isPress: true, edge: 1_000_000, time: 1_000_000, kind: .passed)),
        .clean(Self.press), .closed(at: 3_000_000),
      ])
  }

  @Test("lose whole lines when they are too slow, are told how many, and go on from there")
  func loss() throws {
    let (pipe, reader) = try WatchPipe.make()
    let (other, quick) = try WatchPipe.make()
    defer { for end in [reader, quick] { try? end.close() } }
    var watchers = Watchers(held: KeySet())
    _ = watchers.add(pipe, Self.device, LearnedHabits(), at: 0)
    _ = watchers.add(other, Self.device, LearnedHabits(), at: 0)
    for round in 0..<6 {
      watchers.append(raw: Self.long)
      if round == 5 { watchers.append(raw: Self.press) }
      watchers.flush()
      // This one keeps up.
      let read = try RecordingOf(quick).entries
      #expect(read.contains(.raw(Self.long)))
    }
    #expect(pipe.lost > 0 && other.lost == 0)
    let before = try RecordingOf(reader)
    // Once there is room again.
    watchers.append(raw: Self.press)
    watchers.flush()
    let after = try RecordingOf(reader)
    guard case .lost(let lines, let held, _) = after.entries.first else {
      Issue.record("nothing is said of the loss: \(after.entries)")
      return
    }
    #expect(after.entries.count == 1 && held == KeySet([30]) && pipe.lost == 0)
    // Each long frame has 1001 lines, the others two: none is missing without being counted, none is torn.
    #expect(before.lines + lines == 6 * 1001 + 2 + 2 + before.headLines)
    #expect(before.isWhole)
    watchers.append(raw: Self.press)
    watchers.flush()
    #expect(try RecordingOf(reader).entries == [.raw(Self.press)])
  }

  @Test("are gone when they close their end, and there is room for four")
  func room() throws {
    var watchers = Watchers(held: KeySet())
    var readers: [FileDescriptor] = []
    func add() throws -> Bool {
      let (pipe, reader) = try WatchPipe.make()
      let isAdded = watchers.add(pipe, Self.device, LearnedHabits(), at: 0)
      if isAdded { readers.append(reader) } else { try reader.close() }
      return isAdded
    }
    for _ in 0..<Watchers.most { #expect(try add()) }
    #expect(try !add())
    try readers.removeLast().close()
    #expect(try add())
    signal(SIGPIPE, SIG_IGN)
    for reader in readers { try reader.close() }
    do {
      let isEmpty = watchers.isEmpty
      #expect(!isEmpty)
    }
    watchers.append(raw: Self.press)
    watchers.flush()
    let isEmpty = watchers.isEmpty
    #expect(isEmpty)
  }

  @Test(
    "cost no memory for each frame, whether they read or not",
    .enabled(if: allocation_count() >= 0, "a sanitizer counts allocations"))
  func allocations() throws {
    let (stopped, reader) = try WatchPipe.make()
    let (other, quick) = try WatchPipe.make()
    defer { for end in [reader, quick] { try? end.close() } }
    var watchers = Watchers(held: KeySet())
    _ = watchers.add(stopped, Self.device, LearnedHabits(), at: 0)
    _ = watchers.add(other, Self.device, LearnedHabits(), at: 0)
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var outcomes = OutcomeLog()
    var output = FrameQueue()
    var engine = Debouncer()
    var frames = ContiguousArray([true, false].map { Frame(time: 0, [.key(30, down: $0)]) })
    var time: Microseconds = 0
    func play(_ count: Int) {
      for _ in 0..<count {
        for index in frames.indices {
          time += 100_000
          frames[index].time = time
          engine.process(frames[index], into: &output, outcomes: &outcomes)
          watchers.append(raw: frames[index])
          watchers.append(outcomes)
          outcomes.removeAll()
          output.drain { watchers.append(clean: $0, at: $1) }
          watchers.flush()
          _ = Glibc.read(quick.rawValue, &buffer, buffer.count)
        }
      }
    }
    play(500)
    #expect(stopped.lost > 0)
    let before = allocation_count()
    play(1000)
    #expect(allocation_count() == before)
  }
}

/// What is in a pipe now, line by line.
private struct RecordingOf {
  var entries: [RecordingParser.Entry] = []
  var lines = 0
  var headLines = 0
  /// Whether each line was one of a recording, and the last one ended.
  var isWhole = true

  init(_ reader: FileDescriptor) throws {
    _ = fcntl(reader.rawValue, F_SETFL, O_RDONLY | O_NONBLOCK)
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Glibc.read(reader.rawValue, &buffer, buffer.count)
      guard count > 0 else { break }
      bytes += buffer[..<count]
    }
    isWhole = bytes.last.map { $0 == UInt8(ascii: "\n") } ?? true
    var parser = RecordingParser()
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      lines += 1
      let text = String(decoding: line, as: UTF8.self)
      if !text.hasPrefix("E: ") { headLines += 1 }
      if let entry = try parser.read(line: text) { entries.append(entry) }
    }
  }
}
