import Glibc
import Testing

@testable import EventDevices
@testable import Service

@Suite("Which devices are paused")
struct PausesTests {
  private let now = Instant(1_000_000)
  private let desk = DeviceNode.ID(syspath: "desk", number: 1)
  private let other = DeviceNode.ID(syspath: "other", number: 2)

  @Test("all are, with those that come, until the time is over or all are resumed")
  func all() {
    var pauses = Pauses()
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
    var pauses = Pauses()
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
}

@Suite("Calls that are done together")
struct PacedCallsTests {
  private let server: ControlServer

  init() throws { server = try ControlServer(in: "/nowhere") }

  private func call(_ number: UInt64) -> ControlledCall {
    ControlledCall(number: number, server: server)
  }

  /// The numbers of the calls for which the work is due.
  private func take(_ calls: inout PacedCalls, at now: Instant) -> [UInt64] {
    (calls.takeDue(at: now) ?? []).map(\.number)
  }

  @Test("wait until the pause since the last ones is over, and those that came meanwhile with them")
  func paced() {
    var calls = PacedCalls(every: 10)
    let now = Instant(1000)
    #expect(calls.deadline == .never)
    #expect(take(&calls, at: now).isEmpty)
    calls.add(call(1))
    #expect(take(&calls, at: now) == [1])
    #expect(calls.deadline == .never)
    calls.add(call(2))
    #expect(calls.deadline == now + 10)
    #expect(take(&calls, at: now + 9).isEmpty)
    calls.add(call(3))
    #expect(take(&calls, at: now + 10) == [2, 3])
    #expect(calls.deadline == .never)
    #expect(take(&calls, at: now + 20).isEmpty)
    calls.add(call(4))
    #expect(take(&calls, at: now + 20) == [4])
    // Nobody answers signals, however many come.
    for _ in 0..<1000 { calls.add(nil) }
    #expect(calls.takeDue(at: now + 29) == nil)
    #expect(calls.takeDue(at: now + 30)?.count == 0)
    #expect(calls.takeDue(at: now + 40) == nil)
  }
}
