import Debounce
import EventDevices
import Samples
import Testing

@testable import Service

@Suite("Devices that cannot be taken")
struct RetriesTests {
  private let node = Samples.node()

  @Test("are tried again a few times with growing pauses, and then no more")
  func pauses() {
    var retries = Retries()
    var now = Instant(0)
    var pauses: [Microseconds] = []
    var isNew = retries.add(node, now: now)
    #expect(isNew)
    while retries.deadline < .never {
      pauses.append(retries.deadline - now)
      now = retries.deadline
      let due = retries.takeDue(at: now)
      #expect(due == [node])
      isNew = retries.add(node, now: now)
      #expect(!isNew)
    }
    #expect(pauses == [200_000, 400_000, 800_000, 1_600_000, 3_200_000])
    // However often udev tells of it.
    for _ in 0..<100 { isNew = retries.add(node, now: now) }
    #expect(!isNew)
    #expect(retries.deadline == .never)
    retries.forget(node.id)
    isNew = retries.add(node, now: now)
    #expect(isNew)
  }
}
