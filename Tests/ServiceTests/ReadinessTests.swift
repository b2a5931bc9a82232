import Testing

@testable import Service

@Suite("Ready is reported")
struct ReadinessTests {
  private static let start = Instant.longAgo + 1_000_000_000

  /// After how many microseconds it is reported, if it is asked whenever it wants to be.
  private func reported(
    udevIsBusy: (Int64) -> Bool, devicesAreSettled: (Int64) -> Bool
  ) -> Int64 {
    var readiness = Readiness(at: Self.start)
    while true {
      let passed = readiness.deadline - Self.start
      if readiness.isReady(
        udevIsBusy: udevIsBusy(passed), devicesAreSettled: devicesAreSettled(passed),
        at: readiness.deadline)
      {
        #expect(readiness.isReported && readiness.deadline == .never)
        return passed
      }
      #expect(!readiness.isReported && readiness.deadline - Self.start > passed)
    }
  }

  @Test("when udev is idle and every device is settled, seen twice")
  func idle() {
    #expect(reported(udevIsBusy: { _ in false }, devicesAreSettled: { _ in true }) == 20_000)
    #expect(reported(udevIsBusy: { $0 < 300_000 }, devicesAreSettled: { _ in true }) == 320_000)
    #expect(reported(udevIsBusy: { _ in false }, devicesAreSettled: { $0 >= 90_000 }) == 120_000)
  }

  @Test("not between what udev announces and the device that comes of it")
  func inBetween() {
    // udev is idle at 40 ms; the device of which it has told is found at 60, and settled at 200.
    let settled: (Int64) -> Bool = { $0 < 60_000 || $0 >= 200_000 }
    #expect(reported(udevIsBusy: { $0 < 60_000 }, devicesAreSettled: settled) == 220_000)
  }

  @Test("after two seconds in any case, and once")
  func late() {
    #expect(reported(udevIsBusy: { _ in true }, devicesAreSettled: { _ in true }) == 2_000_000)
    #expect(reported(udevIsBusy: { _ in false }, devicesAreSettled: { _ in false }) == 2_000_000)
    var readiness = Readiness(at: Self.start)
    let late = Self.start + 5_000_000
    let first = readiness.isReady(udevIsBusy: true, devicesAreSettled: false, at: late)
    let second = readiness.isReady(udevIsBusy: false, devicesAreSettled: true, at: late + 1)
    #expect(first && !second)
  }
}
