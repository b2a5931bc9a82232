import Synchronization
import Testing

@testable import Service

@Suite("The slots that devices stand in")
struct SlotsTests {
  /// A device that says when it is destroyed.
  private struct Device: ~Copyable {
    let name: String
    let destroyed: Log

    deinit { destroyed.append(name) }
  }

  private final class Log: Sendable {
    private let entries = Mutex<[String]>([])

    func append(_ entry: String) { entries.withLock { $0.append(entry) } }

    var all: [String] { entries.withLock { $0 } }
  }

  @Test("what is meant for an earlier device does not reach the next one in its slot")
  func generations() throws {
    let log = Log()
    var slots = Slots<Device>()
    let first = slots.add(Device(name: "first", destroyed: log)).id
    slots.remove(first)
    let second = slots.add(Device(name: "second", destroyed: log)).id
    #expect(second.slot == first.slot)
    #expect(slots[first] == nil)
    #expect(slots[second]?.device.name == "second")
    slots.remove(first)
    #expect(slots[second] != nil, "removed in the name of an earlier one")
  }

  @Test("a device keeps its slot while others come and go, and is destroyed when it is removed")
  func stable() {
    let log = Log()
    var slots = Slots<Device>()
    #expect(slots.isEmpty)
    let ids = ["a", "b", "c"].map { slots.add(Device(name: $0, destroyed: log)).id }
    slots.remove(ids[1])
    #expect(log.all == ["b"])
    #expect(slots.present.map(\.id) == [ids[0], ids[2]])
    #expect(slots.count == 3)
    let next = slots.nextID
    #expect(slots.add(Device(name: "d", destroyed: log)).id == next)
    #expect(slots.present.map { $0.device.name } == ["a", "d", "c"])
    for entry in slots.present { slots.remove(entry.id) }
    #expect(slots.isEmpty)
    #expect(log.all == ["b", "a", "d", "c"])
  }

  @Test("an unknown name is nobody's")
  func unknown() {
    let slots = Slots<Device>()
    #expect(slots[DeviceID(slot: 0, generation: 0)] == nil)
    #expect(slots[DeviceID(slot: 70, generation: 1)] == nil)
  }
}
