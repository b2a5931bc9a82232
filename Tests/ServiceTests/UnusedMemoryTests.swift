import Debounce
import Testing

@testable import Service

@Suite("Memory that only starting needs")
struct UnusedMemoryTests {
  private let second: Microseconds = 1_000_000

  @Test("wakes nobody as long as there is none")
  func none() {
    #expect(UnusedMemory().deadline == .max)
  }

  @Test("is given back once nothing has happened for a second")
  func quiet() {
    var memory = UnusedMemory()
    memory.appears(now: 0)
    #expect(memory.deadline == second)
    memory.giveBack(now: second, lastEvent: 0)
    #expect(memory.deadline == .max)
  }

  @Test("waits for all of it")
  func more() {
    var memory = UnusedMemory()
    memory.appears(now: 0)
    memory.appears(now: second / 2)
    #expect(memory.deadline == second * 3 / 2)
  }

  @Test("disturbs nobody who types")
  func typing() {
    var memory = UnusedMemory()
    memory.appears(now: 0)
    memory.giveBack(now: second, lastEvent: second - 1)
    #expect(memory.deadline == 61 * second)
    memory.giveBack(now: 61 * second, lastEvent: second - 1)
    #expect(memory.deadline == .max)
  }

  @Test("stays when something else has woken the daemon")
  func early() {
    var memory = UnusedMemory()
    memory.appears(now: 0)
    memory.giveBack(now: second - 1, lastEvent: 0)
    #expect(memory.deadline == second)
  }

  @Test("is given back seldom if it is a client's")
  func clients() {
    var memory = UnusedMemory()
    memory.appearsNowAndThen(now: 0)
    for time in 1..<60 { memory.appearsNowAndThen(now: Microseconds(time) * second) }
    #expect(memory.deadline == 60 * second)
    memory.appears(now: 3 * second)
    #expect(memory.deadline == 4 * second)
  }
}
