import Debounce
import Status

/// What became of the presses of one device, or of several.
///
/// ```
///  sent − lost  =  pressesIn
///  pressesIn    =  pressesOut + chatter + throttled + lockedOut + settled
///  pressesOut   =  read + unread
/// ```
///
/// What was sent and read the test knows; what stands between is what the daemon says. What is left over in each line is
/// `lost`, `settled` or `unread`, which must be 0 unless something happened that explains it: ``SoakDevice`` knows.
struct SoakAccount {
  /// What the device sent while it was debounced.
  var sent = 0
  /// What the kernel had no room for while the daemon did not read. Only where that was provoked.
  var lost = 0

  /// What the daemon has counted.
  var counts = SoakCounts()

  /// Presses that were decided neither by a strategy nor by a group, but by the state of the keys: after events were lost
  /// or the machine slept, and when the device was let go. Those that were never passed on, less those that were after
  /// having been counted as suppressed. Only where there was such an event.
  var settled = 0

  /// What the application read.
  var read = 0
  /// Presses that the application did not read: it was slower than a flood, or than the end of a clone.
  var unread = 0

  static func += (sum: inout SoakAccount, other: SoakAccount) {
    sum.sent += other.sent
    sum.lost += other.lost
    sum.counts += other.counts
    sum.settled += other.settled
    sum.read += other.read
    sum.unread += other.unread
  }
}

/// The daemon's counters of one device.
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
