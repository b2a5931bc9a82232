import Randomness
import Testing

@testable import Debounce

/// The list in order, against one that is searched from end to end.
@Suite struct DeadlineQueueTests {
  private struct Model {
    var entries: [(deadline: Microseconds, serial: Int, key: KeyCode)] = []
    var serial = 0

    mutating func set(_ key: KeyCode, to deadline: Microseconds) {
      remove(key)
      entries.append((deadline, serial, key))
      serial += 1
    }

    mutating func remove(_ key: KeyCode) {
      entries.removeAll { $0.key == key }
    }

    mutating func raise(to deadline: Microseconds, where predicate: (KeyCode) -> Bool) {
      for index in entries.indices where predicate(entries[index].key) {
        entries[index].deadline = max(entries[index].deadline, deadline)
      }
    }

    var first: KeyCode? {
      entries.min { ($0.deadline, $0.serial) < ($1.deadline, $1.serial) }?.key
    }

    func oldest(where predicate: (KeyCode) -> Bool) -> KeyCode? {
      entries.filter { predicate($0.key) }.min { $0.serial < $1.serial }?.key
    }
  }

  @Test("It does what a list would do", arguments: [UInt64(1), 2, 3, 4, 5])
  func list(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var queue = DeadlineQueue()
    var model = Model()
    let keys = KeyCode([3, 40, 0x300][Int(seed) % 3])
    for _ in 0..<4000 {
      let key = KeyCode.random(in: 0..<keys, using: &random)
      switch Int.random(in: 0..<11, using: &random) {
      case 0..<6:
        let deadline = Microseconds.random(in: -10...10, using: &random)
        queue.set(key, to: deadline)
        model.set(key, to: deadline)
      case 6..<8:
        queue.remove(key)
        model.remove(key)
      case 8:
        let deadline = Microseconds.random(in: -10...10, using: &random)
        for place in queue.entries.indices
        where queue.entries[place].key % 3 == 0 && queue.entries[place].deadline < deadline {
          queue.raise(place, to: deadline)
        }
        queue.sort()
        model.raise(to: deadline) { $0 % 3 == 0 }
      default:
        guard let first = queue.first?.key else { continue }
        queue.remove(first)
        model.remove(first)
      }
      #expect(queue.first?.key == model.first)
      #expect(queue.entries.count == model.entries.count)
      #expect(queue.first { $0.key % 2 == 0 } == model.oldest { $0 % 2 == 0 })
    }
    while let entry = queue.first {
      #expect(entry.key == model.first)
      queue.remove(entry.key)
      model.remove(entry.key)
    }
    #expect(model.entries.isEmpty)
  }

  @Test("A raised deadline comes due as well")
  func raised() {
    var queue = DeadlineQueue()
    queue.set(5, to: EventClock.horizon + 1)
    queue.set(3, to: 10)
    for place in queue.entries.indices { queue.raise(place, to: EventClock.horizon + 1) }
    queue.sort()
    #expect(queue.entries.map(\.deadline) == [EventClock.horizon, EventClock.horizon])
    #expect(queue.first?.key == 5)
  }
}
