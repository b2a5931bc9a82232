import Debounce

/// What the person was asked to do when an event occurred, which decides what may be concluded from it.
///
/// In a guided calibration faults are identified by the task, and need not be inferred from a histogram, in which rare
/// chatter and fast fingers look alike.
public enum Phase: Hashable, Sendable {
  /// Typing and ordinary work: only what fingers hardly ever do counts as a fault.
  case typing
  /// Single taps of the key, a beat apart: any gap of less than 150 ms is a fault.
  case taps(KeyCode)
  /// The key is held for seconds: any release inside is a drop-out.
  case holds(KeyCode)
  /// Double taps of the key, as fast as possible: they show the person's own gaps.
  case doubles(KeyCode)

  /// The phase as it applies to a key: other keys than the requested one are merely typed.
  func applied(to key: KeyCode) -> Phase {
    switch self {
    case .taps(let asked), .holds(let asked), .doubles(let asked): asked == key ? self : .typing
    case .typing: .typing
    }
  }
}
