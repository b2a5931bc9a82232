import CLinux
import Debounce
import Glibc

/// Memory that reading settings and taking devices needs, and typing does not: most of the program. It is given back
/// to the system once, when that is done. What typing needs must be fetched again at once
/// (``Rehearsal``), or else the next key would wait for it.
struct UnusedMemory {
  /// For how long nothing must have happened: giving it back takes a while, and no key should wait for that.
  private static let quiet: Microseconds = 1_000_000

  /// When ``checkDue(now:lastEvent:)`` must be called at the latest.
  private(set) var deadline: Instant

  /// Begins with what starting has needed.
  init(now: Instant) {
    // What is large, as an engine's keys, gets pages of its own. Those that were never used, as most of the room for
    // every key's counts, take no memory, and all of them go back to the system when they are freed. Left alone, malloc
    // would take them from its heap once one was freed, with whatever was written there before.
    mallopt(M_MMAP_THRESHOLD, 64 * 1024)
    // Room that several engines have side by side is larger than 2 MiB. Filled by pages of that size, most of which nobody
    // uses, it would take all of that. Where the kernel knows no such pages there is nothing to refuse.
    _ = clinux_refuse_huge_pages()
    // Nor does the worker's thread, which stores counts now and then, need a heap of its own.
    mallopt(M_ARENA_MAX, 1)
    deadline = now + Self.quiet
  }

  /// Receives that something has just been done that needs such memory. More may follow.
  mutating func appears(now: Instant) {
    deadline = now + Self.quiet
  }

  /// Whether to give it back now.
  ///
  /// - Parameter lastEvent: When a device last had something to read.
  mutating func checkDue(now: Instant, lastEvent: Instant) -> Bool {
    guard deadline <= now else { return false }
    let isQuiet = lastEvent + Self.quiet <= now
    // When it will have been quiet for long enough if no more keys come.
    deadline = isQuiet ? .never : lastEvent + Self.quiet
    return isQuiet
  }

  /// Gives it back.
  func giveBack() {
    malloc_trim(0)
    clinux_forget_program_pages()
  }
}
