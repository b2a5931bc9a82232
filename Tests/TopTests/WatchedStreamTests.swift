import Debounce
import Devices
import Recording
import Testing

@testable import Top

@Suite("What top sees of a device that is watched")
struct WatchedStreamTests {
  private static let bytes: [UInt8] = {
    var records = WatchRecords(capacity: 1)
    func move(_ value: Int32, at time: Microseconds) {
      records.append(raw: Frame(time: time, [Event(type: EventType.key, code: 30, value: value)]))
    }
    func decide(_ isPress: Bool, edge: Microseconds, at time: Microseconds, _ kind: Outcome.Kind) {
      records.append(Outcome(key: 30, isPress: isPress, edge: edge, time: time, kind: kind))
    }
    records.appendLoss(of: 0, held: KeySet([42]), at: 10_000_000)
    move(1, at: 11_000_000)
    decide(true, edge: 11_000_000, at: 11_000_000, .passed)
    let press = Frame(time: 11_000_000, [.key(30, down: true)])
    press.events.withUnsafeBufferPointer { records.append(clean: $0, at: press.time) }
    move(0, at: 11_004_000)
    decide(false, edge: 11_004_000, at: 11_004_000, .waits(until: 11_029_000))
    move(1, at: 11_006_000)
    decide(
      true, edge: 11_006_000, at: 11_006_000, .withdrawn(.pressBounce, with: 11_004_000))
    move(2, at: 11_007_000)
    decide(true, edge: 11_006_000, at: 11_008_000, .restored(.pressBounce))
    records.appendClosing(at: 12_000_000)
    return WatchRecords.head(of: RecordedDevice(DeviceIdentity(name: "Keyboard")), LearnedHabits())
      + records.withUnsafeBytes { Array($0) }
  }()

  private static let sights: [LiveKeys.Sight] = [
    .lost(held: [42]), .raw(30, isDown: true), .raw(30, isDown: false), .raw(30, isDown: true),
    .removed(30), .restored(30),
  ]

  @Test("is the same in pieces of any length", arguments: [1, 2, 7, 32, 64, 100_000])
  func pieces(length: Int) throws {
    var stream = WatchedStream()
    var seen: [LiveKeys.Sight] = []
    var rest = Self.bytes[...]
    while !rest.isEmpty {
      #expect(!stream.isClosed)
      seen += try stream.receive(rest.prefix(length))
      rest = rest.dropFirst(length)
    }
    #expect(seen == Self.sights)
    #expect(stream.isClosed)
  }

  @Test("is refused if it is none")
  func nonsense() {
    var stream = WatchedStream()
    #expect(throws: RecordingError.self) { try stream.receive(Array("E: x y z\n".utf8)) }
  }
}
