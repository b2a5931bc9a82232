import Debounce
import Devices
import Recording
import SystemPackage
import Testing
import Top

@testable import keydebounce

@Suite("The pipe through which top sees what the daemon does")
struct WatchedDevicePipeTests {
  @Test("is looked into from time to time while somebody types, and waited at when nobody does")
  func pace() throws {
    let ends = try FileDescriptor.pipe()
    defer { try? ends.writeEnd.close() }
    let watched = WatchedDevicePipe(node: "/dev/input/event0", pipe: ends.readEnd)
    #expect(watched.read(at: 1_000_000) == [])
    #expect(watched.due == nil)
    #expect(watched.descriptor == ends.readEnd.rawValue)

    var records = WatchRecords(capacity: 1)
    records.append(raw: Frame(time: 7, [.key(30, down: true)]))
    let head = WatchRecords.head(
      of: RecordedDevice(DeviceIdentity(name: "Keyboard")), LearnedHabits())
    try ends.writeEnd.writeAll(head + records.withUnsafeBytes { Array($0) })
    #expect(watched.read(at: 2_000_000) == [.raw(30, isDown: true)])
    // No key that follows wakes anybody.
    #expect(watched.descriptor == -1)
    #expect(watched.due == 2_000_000 + WatchPace.interval)
    #expect(watched.read(at: 2_000_000 + WatchPace.interval) == [])
    #expect(watched.due == 2_000_000 + 2 * WatchPace.interval)

    #expect(watched.read(at: 2_000_000 + WatchPace.rest) == [])
    #expect(watched.due == nil)
    #expect(watched.descriptor == ends.readEnd.rawValue)
  }

  @Test("shows all that is in it at once, and says when nothing more comes")
  func reading() throws {
    let ends = try FileDescriptor.pipe()
    let watched = WatchedDevicePipe(node: "/dev/input/event0", pipe: ends.readEnd)
    let count = 1500
    var records = WatchRecords(capacity: count)
    for index in 0..<count {
      records.append(raw: Frame(time: Microseconds(index), [.key(30, down: index % 2 == 0)]))
    }
    let head = WatchRecords.head(
      of: RecordedDevice(DeviceIdentity(name: "Keyboard")), LearnedHabits())
    try ends.writeEnd.writeAll(head + records.withUnsafeBytes { Array($0) })
    #expect(watched.read(at: 1_000_000)?.count == count)
    try ends.writeEnd.close()
    #expect(watched.read(at: 2_000_000) == nil)
  }
}
