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

  /// The work that is due, with the numbers of the calls.
  private func take(_ calls: inout PacedCalls, at now: Instant) -> [PacedWork: [UInt64]] {
    calls.takeDue(at: now).mapValues { $0.map(\.number) }
  }

  @Test("wait for those of the same work, and for no others")
  func each() {
    var calls = PacedCalls()
    let now = Instant(1000)
    calls.add(call(1), for: .pauses, every: 10)
    #expect(take(&calls, at: now) == [.pauses: [1]])
    #expect(calls.deadline == .never)
    calls.add(call(2), for: .pauses, every: 10)
    calls.add(call(3), for: .reload, every: 10)
    #expect(take(&calls, at: now + 5) == [.reload: [3]])
    #expect(calls.deadline == now + 10)
    #expect(take(&calls, at: now + 9).isEmpty)
    calls.add(call(4), for: .pauses, every: 10)
    #expect(take(&calls, at: now + 10) == [.pauses: [2, 4]])
    #expect(calls.deadline == .never)
  }
}
