import Debounce

/// What the person was asked to do when an event came: it decides what may be concluded from the event.
///
/// The protocol is that of `calibrate`'s guided mode. Its point is that faults are labelled by how they were made,
/// and need not be guessed from a histogram, where rare chatter and fast fingers look alike.
public enum Phase: Hashable, Sendable {
  /// Free or prompted typing, and ordinary work: only what hardly any finger does counts as a fault.
  case typing
  /// Single taps of the key, a beat apart: any gap of less than 150 ms is a fault.
  case taps(KeyCode)
  /// The key is held for seconds: any release inside is a drop-out.
  case holds(KeyCode)
  /// Double taps of the key, as fast as the person can: the person's own gaps.
  case doubles(KeyCode)

  /// The phase as it is for a key: only the key that was asked for is labelled.
  func applied(to key: KeyCode) -> Phase {
    switch self {
    case .taps(let asked), .holds(let asked), .doubles(let asked): asked == key ? self : .typing
    case .typing: .typing
    }
  }
}
