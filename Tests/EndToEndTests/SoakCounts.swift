import Debounce
import Status

/// The daemon's counters of one device.
///
/// ```
///  sent − lost  =  pressesIn
///  pressesIn    =  pressesOut + chatter + throttled + lockedOut + unexplained
///  pressesOut   =  read + unread
/// ```
///
/// What was sent and read the test knows. `lost`, `unexplained` and `unread` must be 0 unless something happened that explains
/// them: ``SoakDevice`` knows. Presses are unexplained that were decided by the state of the keys, after events were lost or the
/// machine slept, and when the device was let go.
struct SoakCounts: Equatable {
  var pressesIn = 0
  var pressesOut = 0
  var pressBounces = 0
  var releaseBounces = 0
  var dropOuts = 0
  var throttled = 0
  var lockedOut = 0
  var resynchronisations = 0

  init() {}

  init(_ status: DeviceStatus) {
    let counts = status.counts
    pressesIn = Int(counts.pressesIn)
    pressesOut = Int(counts.pressesOut)
    pressBounces = Int(counts.chatter.pressBounces)
    releaseBounces = Int(counts.chatter.releaseBounces)
    dropOuts = Int(counts.chatter.dropOuts)
    throttled = Int(counts.throttled)
    lockedOut = Int(counts.lockedOut)
    resynchronisations = Int(counts.resynchronisations)
  }

  var chatter: Int { pressBounces + releaseBounces + dropOuts }
  /// Strokes that vanished whole.
  var suppressed: Int { throttled + lockedOut }
  /// Presses that came in and of which nothing has been said yet: as long as keys move, those that wait.
  var unexplained: Int { pressesIn - pressesOut - chatter - suppressed }

  static func += (sum: inout SoakCounts, other: SoakCounts) {
    for field in fields { sum[keyPath: field] += other[keyPath: field] }
  }

  static func - (left: SoakCounts, right: SoakCounts) -> SoakCounts {
    var difference = left
    for field in fields { difference[keyPath: field] -= right[keyPath: field] }
    return difference
  }

  private static var fields: [WritableKeyPath<SoakCounts, Int>] {
    [
      \.pressesIn, \.pressesOut, \.pressBounces, \.releaseBounces, \.dropOuts, \.throttled,
      \.lockedOut, \.resynchronisations,
    ]
  }
}
