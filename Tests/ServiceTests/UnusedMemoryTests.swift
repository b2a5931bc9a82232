import Debounce
import Testing

@testable import Service

@Suite("Memory that only starting needs")
struct UnusedMemoryTests {
  private let second: Microseconds = 1_000_000

  @Test("is given back once nothing has happened for a second, and then wakes nobody")
  func quiet() {
    var memory = UnusedMemory(now: 0)
    #expect(memory.deadline == second)
    let isGivenBack = memory.giveBack(now: second, lastEvent: 0)
    #expect(isGivenBack)
    #expect(memory.deadline == .never)
  }

  @Test("waits for all of it")
  func more() {
    var memory = UnusedMemory(now: 0)
    memory.appears(now: second / 2)
    #expect(memory.deadline == second * 3 / 2)
  }

  @Test("disturbs nobody who types")
  func typing() {
    var memory = UnusedMemory(now: 0)
    var isGivenBack = memory.giveBack(now: second, lastEvent: second - 1)
    #expect(!isGivenBack)
    #expect(memory.deadline == 61 * second)
    isGivenBack = memory.giveBack(now: 61 * second, lastEvent: second - 1)
    #expect(isGivenBack)
  }

  @Test("stays when something else has woken the daemon")
  func early() {
    var memory = UnusedMemory(now: 0)
    let isGivenBack = memory.giveBack(now: second - 1, lastEvent: 0)
    #expect(!isGivenBack)
    #expect(memory.deadline == second)
  }
}
