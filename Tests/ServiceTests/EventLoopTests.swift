import Debounce
import Glibc
import Testing

@testable import Service

@Suite("The event loop")
struct EventLoopTests {
  @Test(
    "says whose each event is",
    arguments: [
      EventLoop.Token.monitor, .control, .background, .source(DeviceID(slot: 3, generation: .max)),
      .clone(DeviceID(slot: 0xff_ffff, generation: 7)),
    ])
  func tokens(_ token: EventLoop.Token) throws {
    let loop = try EventLoop(signals: [])
    var ends: [CInt] = [0, 0]
    try #require(pipe(&ends) == 0)
    defer { ends.forEach { close($0) } }
    #expect(write(ends[1], "a", 1) == 1)
    try loop.add(ends[0], as: token)
    #expect(try loop.wait(untilReady: true) == 1)
    #expect(loop.token(at: 0) == token)
    loop.remove(ends[0])
    #expect(try loop.wait(untilReady: false) == 0)
  }

  @Test("wakes at the earliest of the times that it was told")
  func timer() throws {
    let loop = try EventLoop(signals: [])
    let start = Instant.now
    loop.wake(at: start + 60_000_000)
    loop.wake(at: start + 2000)
    loop.wake(at: start + 30_000_000)
    #expect(try loop.wait(untilReady: true) == 1)
    #expect(loop.token(at: 0) == .timer)
    #expect(Instant.now >= start + 2000)
    loop.timerWentOff()
    #expect(try loop.wait(untilReady: false) == 0)
    loop.wake(at: .never)
    #expect(try loop.wait(untilReady: false) == 0)
  }
}
