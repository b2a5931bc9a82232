import Debounce
import Testing

@testable import EventDevices

@Suite("Frames that are kept")
struct FrameStoreTests {
  private func frame(_ number: Int, events: Int = 2) -> Frame {
    Frame(
      time: Microseconds(number),
      (0..<events).map { .key(KeyCode(number % 200 + $0), down: $0 == 0) })
  }

  @Test("come out as they went in, also when more come meanwhile")
  func order() {
    let store = FrameStore()
    #expect(store.isEmpty && store.presses == 0)
    for number in 0..<10 { store.append(frame(number, events: 1 + number % 4)) }
    #expect(store.presses == 10)
    var taken = Frame(capacity: 4)
    for number in 0..<10 {
      #expect(store.takeFirst(into: &taken) == nil)
      #expect(taken == frame(number, events: 1 + number % 4))
      store.append(frame(number + 10, events: 1 + (number + 10) % 4))
    }
    for number in 10..<20 {
      _ = store.takeFirst(into: &taken)
      #expect(taken == frame(number, events: 1 + number % 4))
    }
    #expect(store.isEmpty && store.presses == 0)
  }

  @Test("have between them that events were lost, with the keys that were down")
  func losses() {
    let store = FrameStore()
    store.append(frame(1))
    store.append(Frame(time: 2), held: KeySet([30]))
    store.append(frame(3))
    store.append(Frame(time: 4), held: KeySet())
    var taken = Frame()
    #expect(store.takeFirst(into: &taken) == nil)
    #expect(store.takeFirst(into: &taken) == KeySet([30]))
    #expect(taken == Frame(time: 2))
    #expect(store.takeFirst(into: &taken) == nil)
    #expect(store.takeFirst(into: &taken) == KeySet())
    #expect(store.isEmpty)
  }

  @Test("have room for a second of whatever a keyboard sends, and say when it is used up")
  func room() {
    var store = FrameStore()
    var count = 0
    while !store.isFull, count < 10_000 {
      store.append(frame(count))
      count += 1
    }
    #expect((1000..<10_000).contains(count))
    #expect(store.presses == count)
    // Those of a report in which many keys change at once, too.
    store = FrameStore()
    var events = 0
    while !store.isFull, events < 100_000 {
      store.append(frame(0, events: 40))
      events += 40
    }
    #expect((2000..<100_000).contains(events))
    store = FrameStore()
    while !store.isFull { store.append(frame(0), held: KeySet()) }
    #expect(!store.isEmpty)
  }
}
