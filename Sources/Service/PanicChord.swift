import Debounce

/// The way out that always works: Backspace, Escape and Enter held together.
///
/// Judged by what the switches say, before any strategy: the chord must work when the settings do not.
struct PanicChord {
  /// `KEY_BACKSPACE`, `KEY_ESC` and `KEY_ENTER`.
  private static let keys: [KeyCode] = [14, 1, 28]

  /// Which of the keys are down, a bit each.
  private var down: UInt8 = 0

  /// Takes note of a raw frame.
  ///
  /// - Returns: Whether all of the chord's keys are down now.
  mutating func isHeld(after frame: borrowing Frame) -> Bool {
    for index in frame.events.indices {
      let event = frame.events[index]
      guard event.type == EventType.key, let place = Self.keys.firstIndex(of: event.code) else {
        continue
      }
      if event.value == 0 { down &= ~(1 << place) } else { down |= 1 << place }
    }
    return down == 0b111
  }

  /// Takes the given state for the truth.
  mutating func resynchronise(held: KeySet) {
    down = 0
    for (place, key) in Self.keys.enumerated() where held.contains(key) { down |= 1 << place }
  }
}
