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

@Suite("Calls that are done together")
struct PacedCallsTests {
  @Test("wait for those of the same device, and for no others")
  func each() {
    var calls = PacedCalls<String, Int>()
    let now = Instant(1000)
    calls.add(1, for: "desk", every: 10)
    var due = calls.takeDue(at: now)
    #expect(calls.deadline == .never && due == ["desk": [1]])
    calls.add(2, for: "desk", every: 10)
    calls.add(3, for: "other", every: 10)
    due = calls.takeDue(at: now + 5)
    #expect(calls.deadline == now + 10 && due == ["other": [3]])
    due = calls.takeDue(at: now + 9)
    #expect(due.isEmpty)
    calls.add(4, for: "desk", every: 10)
    due = calls.takeDue(at: now + 10)
    #expect(calls.deadline == .never && due == ["desk": [2, 4]])
  }

  @Test("are done at once, and those that come soon after when the pause is over")
  func pace() {
    var calls = PacedCalls<String, Int>()
    let now = Instant(1000)
    var due = calls.takeDue(at: now)
    #expect(calls.deadline == .never && due.isEmpty)
    calls.add(1, for: "all", every: 10)
    #expect(calls.deadline <= now)
    due = calls.takeDue(at: now)
    #expect(calls.deadline == .never && due == ["all": [1]])
    calls.add(2, for: "all", every: 10)
    calls.add(3, for: "all", every: 10)
    due = calls.takeDue(at: now + 9)
    #expect(calls.deadline == now + 10 && due.isEmpty)
    due = calls.takeDue(at: now + 10)
    #expect(calls.deadline == .never && due == ["all": [2, 3]])
  }
}
