import Control
import Debounce
import EventDevices
import Foundation
import Glibc
import Recording
import Samples
import SystemPackage
import Testing

@testable import keydebounce

/// What a daemon writes that is watched.
enum WatchedStream {
  static let device = RecordedDevice(
    DeviceIdentity(name: "Worn", bus: 3, vendor: 0x1234, product: 0x5678, version: 0x0111),
    DeviceCapabilities(codes: [EventType.key: [18, 30]]))
  static let habits = LearnedHabits(
    usualHold: 82_000, keys: [LearnedHabits.Key(18)])

  static let start: Microseconds = 5_000_000

  /// A stroke of a worn key, with one contact too many: what the switch did.
  static let frames: [Frame] = [(0, 1), (8000, 0), (16_000, 1), (90_000, 0)].map { time, value in
    Frame(
      time: start + time, [Event(type: EventType.key, code: 18, value: Int32(value))])
  }

  /// The ends of a connection.
  static func ends() -> (client: FileDescriptor, daemon: CInt) {
    var ends: [CInt] = [-1, -1]
    #expect(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0)
    return (FileDescriptor(rawValue: ends[0]), ends[1])
  }

  static func head(held: KeySet = KeySet()) -> [UInt8] {
    var text = RecordingText(of: device, eventsSince: 0)
    text.append(habits)
    text.appendLoss(of: 0, held: held, at: start - 1000)
    return text.bytes
  }

  static func text(_ add: (inout RecordingText) -> Void) -> [UInt8] {
    var text = RecordingText(eventsSince: 0)
    add(&text)
    return text.bytes
  }

  static let raw = text { for frame in frames { $0.append(raw: frame) } }
  static let closing = text { $0.appendClosing(at: start + 1_000_000) }
  /// The daemon has removed the contact that was too many.
  static let removed = text {
    $0.append(
      Outcome(
        key: 18, isPress: true, edge: start + 16_000, time: start + 16_000,
        kind: .withdrawn(.pressBounce, with: start + 8000)))
  }
  static func loss(_ lines: Int, held: KeySet = KeySet()) -> [UInt8] {
    text { $0.appendLoss(of: lines, held: held, at: start + 500_000) }
  }
}

@Suite("What a daemon shows of a device")
struct DaemonStreamTests {
  /// A stream into which this has been written, and the daemon's end of it.
  private func stream(_ bytes: [UInt8]) throws -> (stream: DaemonStream, daemon: CInt) {
    let (client, daemon) = WatchedStream.ends()
    #expect(send(daemon, bytes, bytes.count, 0) == bytes.count)
    return (try DaemonStream("/dev/input/event3", client), daemon)
  }

  private func entries(_ stream: DaemonStream) -> [RecordingParser.Entry] {
    var entries: [RecordingParser.Entry] = []
    while let entry = stream.read() {
      entries.append(entry)
      if isClosed(entry) { break }
    }
    return entries
  }

  private func isClosed(_ entry: RecordingParser.Entry?) -> Bool {
    if case .closed? = entry { true } else { false }
  }

  @Test("says which device it is before anything is read")
  func head() throws {
    let (stream, daemon) = try stream(WatchedStream.head(held: KeySet([30])))
    defer { close(daemon) }
    #expect(stream.device.identity.name == "Worn")
    #expect(stream.device.capabilities == WatchedStream.device.capabilities)
    #expect(stream.habits == WatchedStream.habits)
    #expect(
      stream.read() == .lost(lines: 0, held: KeySet([30]), at: WatchedStream.start - 1000))
    #expect(stream.read() == nil)
  }

  @Test("has every raw frame, and says how many lines were lost")
  func frames() throws {
    let (stream, daemon) = try stream(
      WatchedStream.head() + WatchedStream.raw + WatchedStream.loss(7, held: KeySet([30])))
    defer { close(daemon) }
    var expected = WatchedStream.frames.map { RecordingParser.Entry.raw($0) }
    expected.append(.lost(lines: 7, held: KeySet([30]), at: WatchedStream.start + 500_000))
    #expect(Array(entries(stream).dropFirst()) == expected)
  }

  @Test(
    "ends with the device, with the daemon, and where no version knows it, and says which it was",
    arguments: [
      (WatchedStream.closing, "unplugged"), (Array("E: x y z\n".utf8), "does not know"),
      // In the middle of a line, too.
      ([], "the daemon has ended"), (Array("E: 5.09".utf8), "the daemon has ended"),
      (Array("# outco".utf8), "the daemon has ended"),
    ] as [([UInt8], String)])
  func ended(rest: [UInt8], words: String) throws {
    let (stream, daemon) = try stream(WatchedStream.head() + WatchedStream.raw + rest)
    close(daemon)
    let all = entries(stream)
    #expect(all.count == 2 + WatchedStream.frames.count && isClosed(all.last), "\(all)")
    // Reading on changes nothing.
    #expect(entries(stream).count == 1)
    #expect(stream.endInWords.contains(words))
  }

  @Test("is an error if it begins with something else, or not at all")
  func noHead() throws {
    #expect(throws: ControlError.unexpected(.watch)) { try stream(Array("E: x y z\n".utf8)) }
    let (client, daemon) = WatchedStream.ends()
    close(daemon)
    #expect(throws: ControlError.ended) { try DaemonStream("/dev/input/event3", client) }
  }

  @Test("is not waited for once a signal has come")
  func interrupted() throws {
    let (client, daemon) = WatchedStream.ends()
    let stop = open("/dev/zero", O_RDONLY)
    defer { for descriptor in [daemon, stop] { close(descriptor) } }
    #expect(throws: ControlError.unreachable(.canceled)) {
      try DaemonStream("/dev/input/event3", client, interruptedBy: stop)
    }
  }

  @Test("goes on after a stop without what was sent meanwhile")
  func reopened() throws {
    let (stream, daemon) = try stream(WatchedStream.head() + WatchedStream.raw)
    stream.reopen()
    #expect(stream.read() == nil)
    let later = WatchedStream.loss(3)
    #expect(send(daemon, later, later.count, 0) == later.count)
    #expect(
      stream.read() == .lost(lines: 3, held: KeySet(), at: WatchedStream.start + 500_000))
    close(daemon)
    stream.reopen()
    #expect(isClosed(stream.read()))
  }

  @Test("goes on after a stop without more than is read at once")
  func reopenedBehindMuch() throws {
    let (stream, daemon) = try stream(WatchedStream.head())
    defer { close(daemon) }
    // More than 64 KiB, and less than the kernel keeps.
    let frames = (0..<2000).map { index in
      Frame(
        time: WatchedStream.start + Microseconds(index) * 1000,
        [Event(type: EventType.key, code: 18, value: Int32(index % 2))])
    }
    let text = WatchedStream.text { text in for frame in frames { text.append(raw: frame) } }
    // The last frame has two lines. Half of the first one comes before the command goes on.
    let lastLines = WatchedStream.text { $0.append(raw: frames[1999]) }
    let rest = lastLines.count - 14
    let (typed, later) = (Array(text.dropLast(rest)), Array(text.suffix(rest)))
    #expect(typed.count > 90_000)
    #expect(send(daemon, typed, typed.count, CInt(MSG_DONTWAIT)) == typed.count)
    stream.reopen()
    #expect(stream.read() == nil)
    #expect(send(daemon, later, later.count, CInt(MSG_DONTWAIT)) == later.count)
    #expect(entries(stream) == [.raw(frames[1999])])
  }

  @Test("goes on after a stop, also if the daemon writes without end")
  func reopenedBesideEndless() throws {
    let (stream, daemon) = try stream(WatchedStream.head())
    Thread.detachNewThread {
      // Comments, which the reader leaves out.
      let line = Array("# \(String(repeating: "x", count: 1000))\n".utf8)
      while send(daemon, line, line.count, CInt(MSG_NOSIGNAL)) > 0 {}
      close(daemon)
    }
    stream.reopen()
    #expect(stream.read() == nil)
  }
}
