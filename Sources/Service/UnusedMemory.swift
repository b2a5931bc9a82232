import CLinux
import Debounce
import Glibc

/// What was needed to read settings and to take devices, and will not be for as long as people type: most of the program.
/// It is given back to the system. The few pages that typing needs are back with the next key, in microseconds as long as
/// the kernel still has them in its cache, and stay.
struct UnusedMemory {
  /// For how long nothing must have happened: to give it back takes some time, and nobody is to wait for it.
  private static let quiet: Microseconds = 1_000_000
  /// When to look again if something has, and how seldom what a client has asked for is cleared away. Whoever types types
  /// on: no timer every second for that.
  private static let patience: Microseconds = 60_000_000

  /// When ``giveBack(now:lastEvent:)`` must be called at the latest; `.max` for never.
  private(set) var deadline = Microseconds.max

  init() {
    // What is large gets pages of its own, untouched until they are used: each engine has room for every key's counts. Left
    // alone, malloc would take them from its heap once one was freed, with whatever was written there before.
    mallopt(M_MMAP_THRESHOLD, 128 * 1024)
  }

  /// Hears that something has just been done that is not done often. More of it may follow.
  mutating func appears(now: Microseconds) {
    deadline = now + Self.quiet
  }

  /// Hears that something has just been done that may be done often, as for a client that watches.
  mutating func appearsNowAndThen(now: Microseconds) {
    deadline = min(deadline, now + Self.patience)
  }

  /// Gives it back, if it is time.
  ///
  /// - Parameter lastEvent: When a device last had something to read.
  mutating func giveBack(now: Microseconds, lastEvent: Microseconds) {
    guard deadline <= now else { return }
    guard lastEvent + Self.quiet <= now else {
      deadline = now + Self.patience
      return
    }
    deadline = .max
    malloc_trim(0)
    clinux_forget_program_pages()
  }
}
