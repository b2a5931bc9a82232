import Debounce

/// Finds out whether another program has grabbed a device that is read here: the kernel has keys down, then, of which
/// nothing was read. A pure value.
struct LoanCheck {
  /// How often the kernel is asked: a key that is held is seen twice.
  static let pause: Microseconds = 100_000

  /// When the kernel is to be asked; never again once it is known.
  private(set) var due: Microseconds = 0
  /// Whether the keys differed when the kernel was asked last.
  private var isSuspected = false
  /// Whether something has been read since then.
  private var hasRead = false

  /// Receives that something was read.
  mutating func read() { hasRead = true }

  /// Receives whether the kernel has other keys down than were read, and returns whether another program has the device:
  /// once.
  ///
  /// Only if they differ twice, with nothing read in between: an event may be on its way.
  mutating func isTaken(keysDiffer: @autoclosure () -> Bool, at now: Microseconds) -> Bool {
    guard due <= now else { return false }
    let differ = keysDiffer()
    let isTaken = differ && isSuspected && !hasRead
    (isSuspected, hasRead) = (differ, false)
    due = isTaken ? .max : now + Self.pause
    return isTaken
  }
}
