import Debounce

/// The way out that always works: some keys held together, as Backspace, Escape and Enter.
///
/// Decided by the raw events, before any strategy: the chord must work when the settings do not.
struct PanicChord {
  let keys: [KeyCode]

  /// A bit for each key, as ``bit(of:)`` says: most keys that are typed are told apart by it from these.
  private let bits: UInt64

  /// Which of the keys are down, a bit each.
  private var down: UInt8 = 0

  /// - Parameters:
  ///   - keys: At most 8.
  ///   - held: The keys that are down.
  init(keys: [KeyCode], held: KeySet = KeySet()) {
    self.keys = Array(keys.prefix(8))
    bits = self.keys.reduce(0) { $0 | Self.bit(of: $1) }
    resynchronise(held: held)
  }

  /// Whether all of the chord's keys are down.
  var isHeld: Bool { down != 0 && down.nonzeroBitCount == keys.count }

  /// Receives a raw frame.
  mutating func receive(_ frame: borrowing Frame) {
    for index in frame.events.indices {
      let event = frame.events[index]
      guard event.type == EventType.key, bits & Self.bit(of: event.code) != 0 else { continue }
      for place in keys.indices where keys[place] == event.code {
        if event.value == 0 { down &= ~(1 << place) } else { down |= 1 << place }
      }
    }
  }

  private static func bit(of key: KeyCode) -> UInt64 { 1 << UInt64(key % 64) }

  /// Takes the given state for the truth.
  mutating func resynchronise(held: KeySet) {
    down = 0
    for (place, key) in keys.enumerated() where held.contains(key) { down |= 1 << place }
  }
}
