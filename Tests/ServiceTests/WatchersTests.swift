import AllocationCounter
import Debounce
import EventDevices
import Glibc
import Recording
import SystemPackage
import Testing

@testable import Service

@Suite("Those who watch a device")
struct WatchersTests {
  private static let device = RecordedDevice(DeviceIdentity(name: "Desk"))
  private static let press = Frame(time: 1_000_000, [.key(30, down: true)])

  /// The daemon's end of a connection, and a client's, which waits for what comes.
  private static func connection() throws -> (daemon: FileDescriptor, client: FileDescriptor) {
    var ends: [CInt] = [-1, -1]
    let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw Errno(rawValue: errno) }
    return (FileDescriptor(rawValue: ends[0]), FileDescriptor(rawValue: ends[1]))
  }

  /// One who reads a connection when it likes.
  private final class Reader {
    let end: FileDescriptor
    private var recording: RecordingReader?
    private var isAnswered = false
    /// How many lines it has read.
    var count = 0

    init(_ end: FileDescriptor) {
      self.end = end
      _ = fcntl(end.rawValue, F_SETFL, O_RDONLY | O_NONBLOCK)
      recording = RecordingReader(file: "watch") { [unowned self] buffer in
        if !isAnswered {
          var answer = [UInt8](repeating: 0, count: VarlinkService.done.count)
          let length = recv(end.rawValue, &answer, answer.count, CInt(MSG_WAITALL))
          #expect(length == answer.count && answer == VarlinkService.done)
          isAnswered = true
        }
        let length = try end.read(into: buffer)
        count += buffer[..<length].count { $0 == UInt8(ascii: "\n") }
        return length
      }
    }

    /// What the connection has now.
    func read() throws -> [RecordingParser.Entry] {
      var entries: [RecordingParser.Entry] = []
      do {
        while let entry = try recording?.next() { entries.append(entry) }
      } catch Errno.wouldBlock {}
      return entries
    }
  }

  /// More long frames than the largest room that a system may grant has place for.
  private static let rounds = 60

  /// A frame for which as much is written as for a thousand.
  private static let long = Frame(
    time: 500_000, (0..<1000).map { Event(type: 2, code: 0, value: $0) })

  @Test("are given the head, the keys that are down, and each frame with what became of it")
  func frames() throws {
    let (pipe, reader) = try Self.connection()
    defer { try? reader.close() }
    var watchers = Listeners()
    _ = watchers.add(pipe, Self.device, LearnedHabits(), held: KeySet([42]), at: 7)
    var engine = Debouncer(Rules(strategy: .none))
    engine.reportsOutcomes = true
    engine.process(Self.press)
    watchers.append(raw: Self.press)
    watchers.append(&engine.outcomes)
    engine.output.drain { watchers.append(clean: $0, at: $1) }
    watchers.endWatching(at: 3_000_000)
    let reading = Reader(reader)
    #expect(
      try reading.read() == [
        .lost(lines: 0, held: KeySet([42]), at: 7), .raw(Self.press),
        .outcome(
          Outcome(key: 30, isPress: true, edge: 1_000_000, time: 1_000_000, kind: .passed)),
        .clean(Self.press), .closed(at: 3_000_000),
      ])
  }

  @Test("lose whole lines when they are too slow, are told how many, and go on from there")
  func loss() throws {
    let (pipe, slowEnd) = try Self.connection()
    let (other, quickEnd) = try Self.connection()
    defer { for end in [slowEnd, quickEnd] { try? end.close() } }
    let (slow, quick) = (Reader(slowEnd), Reader(quickEnd))
    var watchers = Listeners()
    _ = watchers.add(pipe, Self.device, LearnedHabits(), held: KeySet(), at: 0)
    _ = watchers.add(other, Self.device, LearnedHabits(), held: KeySet(), at: 0)
    for round in 0..<Self.rounds {
      watchers.append(raw: Self.long)
      if round == Self.rounds - 1 { watchers.append(raw: Self.press) }
      try watchers.flush(held: KeySet([30]), at: 500_000)
      // This one keeps up.
      #expect(try quick.read().contains(.raw(Self.long)))
    }
    var entries = try slow.read()
    // Once there is room again, the reader is told of what was lost since it was last told.
    for _ in 0..<2 {
      watchers.append(raw: Self.press)
      try watchers.flush(held: KeySet([30]), at: 500_000)
      entries += try slow.read()
    }
    #expect(entries.last == .raw(Self.press))
    // The first thing is that watching begins.
    let notices = entries.dropFirst().compactMap { entry -> Int? in
      guard case .lost(let lines, let held, _) = entry else { return nil }
      #expect(held == KeySet([30]))
      return lines
    }
    #expect(!notices.isEmpty)
    let frames = entries.filter { if case .raw = $0 { true } else { false } }
    #expect(frames.allSatisfy { $0 == .raw(Self.long) || $0 == .raw(Self.press) })
    // Each long frame has 1001 lines, a press two: none is missing without being counted, none is torn.
    let head = RecordingText(of: Self.device).bytes.count { $0 == UInt8(ascii: "\n") }
    let sent = head + 1 + Self.rounds * 1001 + 3 * 2
    #expect(slow.count - notices.count + notices.reduce(0, +) == sent)
  }

  @Test(
    "that have lost lines are told so at the end, too, and that it is the end",
    arguments: [false, true])
  func lossAtEnd(isMorePending: Bool) throws {
    let (pipe, end) = try Self.connection()
    defer { try? end.close() }
    let reading = Reader(end)
    var watchers = Listeners()
    _ = watchers.add(pipe, Self.device, LearnedHabits(), held: KeySet(), at: 0)
    for _ in 0..<Self.rounds {
      watchers.append(raw: Self.long)
      try watchers.flush(held: KeySet([30]), at: 500_000)
    }
    _ = try reading.read()
    if isMorePending { watchers.append(raw: Self.press) }
    watchers.endWatching(at: 3_000_000)
    let entries = try reading.read()
    #expect(entries.count == 2 && entries.last == .closed(at: 3_000_000))
    guard case .lost(let lines, _, let time)? = entries.first else {
      Issue.record("the loss is not told: \(entries)")
      return
    }
    #expect(lines > 0 && time == 3_000_000)
  }

  @Test("are gone when they close their end, and there is room for four")
  func room() throws {
    var watchers = Listeners()
    var readers: [FileDescriptor] = []
    func add() throws -> Bool {
      let (pipe, reader) = try Self.connection()
      let isAdded = watchers.add(pipe, Self.device, LearnedHabits(), held: KeySet(), at: 0)
      if isAdded { readers.append(reader) } else { try reader.close() }
      return isAdded
    }
    for _ in 0..<Listeners.mostWatchers { #expect(try add()) }
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
    try watchers.flush(held: KeySet([30]), at: 500_000)
    let isEmpty = watchers.isEmpty
    #expect(isEmpty)
  }

  @Test(
    "cost no memory for each frame, whether they read or not",
    .enabled(if: allocation_count() >= 0, "a sanitizer counts allocations"))
  func allocations() throws {
    let (stopped, reader) = try Self.connection()
    let (other, quick) = try Self.connection()
    defer { for end in [reader, quick] { try? end.close() } }
    var watchers = Listeners()
    _ = watchers.add(stopped, Self.device, LearnedHabits(), held: KeySet(), at: 0)
    _ = watchers.add(other, Self.device, LearnedHabits(), held: KeySet(), at: 0)
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var engine = Debouncer()
    engine.reportsOutcomes = true
    var frames = ContiguousArray([true, false].map { Frame(time: 0, [.key(30, down: $0)]) })
    var time: Microseconds = 0
    let held = KeySet([30])
    func play(_ count: Int) throws {
      for _ in 0..<count {
        for index in frames.indices {
          time += 100_000
          frames[index].time = time
          engine.process(frames[index])
          watchers.append(raw: frames[index])
          watchers.append(&engine.outcomes)
          engine.output.drain { watchers.append(clean: $0, at: $1) }
          try watchers.flush(held: held, at: 500_000)
          _ = Glibc.read(quick.rawValue, &buffer, buffer.count)
        }
      }
    }
    try play(2000)
    let before = allocation_count()
    try play(1000)
    #expect(allocation_count() == before)
  }
}
