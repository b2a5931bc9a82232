import Debounce
import Testing

@testable import Service

@Suite("Memory that only starting needs")
struct UnusedMemoryTests {
  private let start = Instant(0)
  private let second: Microseconds = 1_000_000

  @Test("is given back once nothing has happened for a second, and then wakes nobody")
  func quiet() {
    var memory = UnusedMemory(now: start)
    #expect(memory.deadline == start + second)
    let isDue = memory.checkDue(now: start + second, lastEvent: start)
    #expect(isDue)
    #expect(memory.deadline == .never)
  }

  @Test("waits for all of it")
  func more() {
    var memory = UnusedMemory(now: start)
    memory.appears(now: start + second / 2)
    #expect(memory.deadline == start + second * 3 / 2)
  }

  @Test("disturbs nobody who types, and is given back at the first pause")
  func typing() {
    var memory = UnusedMemory(now: start)
    var isDue = memory.checkDue(now: start + second, lastEvent: start + second - 1)
    #expect(!isDue)
    #expect(memory.deadline == start + 2 * second - 1)
    isDue = memory.checkDue(now: start + 2 * second - 1, lastEvent: start + second - 1)
    #expect(isDue)
    #expect(memory.deadline == .never)
  }

  @Test("stays when something else has woken the daemon")
  func early() {
    var memory = UnusedMemory(now: start)
    let isDue = memory.checkDue(now: start + second - 1, lastEvent: start)
    #expect(!isDue)
    #expect(memory.deadline == start + second)
  }
}
