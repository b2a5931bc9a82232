import Testing

@testable import Service

@Suite("Which devices are paused")
struct PausesTests {
  private let now = Instant(1_000_000)
  private let desk = "desk"
  private let other = "other"

  @Test("all are, with those that come, until the time is over or all are resumed")
  func all() {
    var pauses = Pauses<String>()
    #expect(pauses.end(of: desk, at: now) == nil)
    pauses.pause(nil, until: now + 5)
    #expect(pauses.end(of: desk, at: now) == now + 5)
    #expect(pauses.end(of: desk, at: now + 5) == nil)
    pauses.pause(nil, until: .never)
    #expect(pauses.end(of: other, at: now + 5) == .never)
    pauses.pause(nil, until: .longAgo)
    #expect(pauses.end(of: other, at: now) == nil)
  }

  @Test("one is, or one is not while all are")
  func single() {
    var pauses = Pauses<String>()
    pauses.pause(desk, until: .never)
    #expect(pauses.end(of: desk, at: now) == .never && pauses.end(of: other, at: now) == nil)
    pauses.pause(desk, until: .longAgo)
    #expect(pauses.end(of: desk, at: now) == nil)
    pauses.pause(nil, until: .never)
    pauses.pause(desk, until: .longAgo)
    #expect(pauses.end(of: desk, at: now) == nil && pauses.end(of: other, at: now) == .never)
    // What is plugged in next is another device.
    pauses.forget(desk)
    #expect(pauses.end(of: desk, at: now) == .never)
    pauses.pause(desk, until: .longAgo)
    pauses.pause(nil, until: .longAgo)
    pauses.pause(desk, until: now + 1)
    pauses.pause(nil, until: .never)
    #expect(pauses.end(of: desk, at: now) == .never)
  }

  @Test("what was paused from a session ends with it, and nothing else does")
  func session() {
    var pauses = Pauses<String>()
    pauses.pause(nil, until: .never, session: "1")
    pauses.pause(other, until: .longAgo)
    pauses.sessionEnded("2")
    #expect(pauses.end(of: desk, at: now) == .never && pauses.end(of: other, at: now) == nil)
    pauses.pause(desk, until: now + 5)
    pauses.sessionEnded("1")
    #expect(pauses.end(of: desk, at: now) == now + 5)
    #expect(pauses.end(of: "third", at: now) == nil)
    pauses.pause(nil, until: .never)
    #expect(pauses.end(of: other, at: now) == .never, "it was resumed in another pause")
    pauses.pause(other, until: .never, session: "3")
    pauses.sessionEnded("3")
    #expect(pauses.end(of: other, at: now) == .never && pauses.end(of: desk, at: now) == .never)
    pauses.pause(nil, until: .longAgo)
    pauses.pause(other, until: .never, session: "4")
    pauses.sessionEnded("4")
    #expect(pauses.end(of: other, at: now) == nil)
  }
}
