import Glibc
import Randomness
import TypingModel

/// The wall clock, put forward and back.
final class WallClock {
  /// What it shows when nobody has changed it, in seconds, less the time since the machine was switched on.
  private let truth: Int

  init() {
    truth = Self.seconds(CLOCK_REALTIME) - Self.seconds(CLOCK_BOOTTIME)
  }

  deinit {
    restore()
  }

  /// Puts it forward or back by hours, or by years.
  func jump(_ random: inout SeededRandom) {
    let longest = Bool.random(using: &random) ? 12 * 3600 : 20 * 365 * 86400
    set(Int.random(in: -longest...longest, using: &random))
  }

  /// Puts it forward by whole days.
  func advance(days: Int) {
    set(Self.seconds(CLOCK_REALTIME) - Self.seconds(CLOCK_BOOTTIME) - truth + days * 86_400)
  }

  /// Has it show the truth again.
  func restore() {
    set(0)
  }

  private func set(_ offset: Int) {
    var time = timespec(tv_sec: truth + Self.seconds(CLOCK_BOOTTIME) + offset, tv_nsec: 0)
    clock_settime(CLOCK_REALTIME, &time)
  }

  private static func seconds(_ clock: clockid_t) -> Int {
    var time = timespec()
    clock_gettime(clock, &time)
    return time.tv_sec
  }
}
