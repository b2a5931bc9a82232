import Debounce
import EventDevices

/// A moment, by the kernel's monotonic clock, which stamps the events. How long something takes is `Microseconds`.
struct Instant: Comparable, Hashable, Sendable {
  /// Since the machine was switched on. The clock stands still while it sleeps, by which `Daemon` notices sleep.
  let microseconds: Microseconds

  init(_ microseconds: Microseconds) {
    self.microseconds = microseconds
  }

  static var now: Instant { Instant(monotonicNow()) }

  /// The moment that never comes: the deadline of what waits for no time. A pause that is added to it traps.
  static var never: Instant { Instant(.max) }

  /// A moment before all that happens, by more than any pause.
  static var longAgo: Instant { Instant(.min / 2) }

  static func < (left: Instant, right: Instant) -> Bool { left.microseconds < right.microseconds }

  static func + (start: Instant, pause: Microseconds) -> Instant {
    Instant(start.microseconds + pause)
  }

  static func - (end: Instant, pause: Microseconds) -> Instant {
    Instant(end.microseconds - pause)
  }

  static func - (end: Instant, start: Instant) -> Microseconds {
    end.microseconds - start.microseconds
  }
}
