import Debounce
import Samples
import Status
import Testing

@testable import keydebounce

@Suite("When top asks the daemon")
struct StatusScheduleTests {
  private static let second: Microseconds = 1_000_000
  private static let minute: Microseconds = 60 * second
  /// Ten seconds after a whole minute.
  private static let start = 100 * minute + 10 * second

  private func schedule(
    isRoot: Bool = true, _ change: (inout DeviceStatus) -> Void = { _ in }
  ) -> StatusSchedule {
    var schedule = StatusSchedule(isRoot: isRoot, at: Self.start)
    #expect(schedule.due == Self.start)
    var status = StatusSamples.wornKeyboard
    change(&status.devices[0])
    schedule.receive(status, at: Self.start)
    return schedule
  }

  @Test("not before a minute is over, while nothing happens")
  func rest() {
    #expect(schedule().due == Self.start + Self.minute)
  }

  @Test("once for all that happens within a second, and then not until something happens again")
  func happenings() {
    var schedule = schedule()
    for _ in 0..<3 {
      schedule.keyMoved()
      #expect(schedule.due == Self.start + StatusSchedule.shortestPause)
    }
    schedule.somethingHappened()
    #expect(schedule.due == Self.start + StatusSchedule.shortestPause)
    let next = schedule.due + 30 * Self.second
    schedule.receive(StatusSamples.wornKeyboard, at: next)
    #expect(schedule.due == next + Self.minute)
  }

  @Test("for others than root when a minute is published or something is announced, not for keys")
  func others() {
    var schedule = schedule(isRoot: false)
    let next = 101 * Self.minute + StatusSchedule.delay
    #expect(schedule.due == next)
    schedule.keyMoved()
    #expect(schedule.due == next)
    schedule.somethingHappened()
    #expect(schedule.due == Self.start + StatusSchedule.shortestPause)
    schedule.receive(StatusSamples.withoutCounts, at: next)
    #expect(schedule.due == 102 * Self.minute + StatusSchedule.delay)
  }

  @Test(
    "each second while a device is about to be in another state",
    arguments: [DeviceStatus.State.starting, .waiting, .leaving])
  func states(state: DeviceStatus.State) {
    #expect(schedule { $0.state = state }.due == Self.start + StatusSchedule.shortestPause)
  }

  @Test("when a pause ends, and often enough while another program has a device")
  func pauses() {
    #expect(schedule { $0.pause = DevicePause() }.due == Self.start + Self.minute)
    #expect(schedule { $0.pause = DevicePause(remaining: 20) }.due == Self.start + 20 * Self.second)
    #expect(schedule { $0.pause = DevicePause(remaining: 7200) }.due == Self.start + Self.minute)
    #expect(
      schedule { $0.pause = DevicePause(remaining: 1e300) }.due == Self.start + Self.minute)
    let soon = schedule { $0.pause = DevicePause(remaining: 0) }
    #expect(soon.due == Self.start + StatusSchedule.shortestPause)
    #expect(schedule { $0.state = .busy }.due < Self.start + Self.minute)
  }

  @Test("again after a while if it has not answered, and sooner if it announces itself")
  func trouble() {
    var schedule = schedule()
    let failed = schedule.due
    schedule.receiveNothing(at: failed)
    #expect(schedule.due == failed + StatusSchedule.retry)
    schedule.somethingHappened()
    #expect(schedule.due == failed + StatusSchedule.shortestPause)
  }
}
