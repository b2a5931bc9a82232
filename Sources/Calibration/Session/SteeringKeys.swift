import Debounce

/// What the keys of a device tell `calibrate` itself: on, back, and the way out that always works.
///
/// Taken from what the device sends, for the terminal may be another one's. A key that chatters steers once.
public struct SteeringKeys {
  public enum Order: Equatable, Sendable {
    case skip
    case back
    case panic
  }

  /// `KEY_RIGHT` and `KEY_PAGEDOWN`; `KEY_LEFT` and `KEY_PAGEUP`.
  private static let onward: Set<KeyCode> = [106, 109]
  private static let backward: Set<KeyCode> = [105, 104]
  /// Steps are not taken faster.
  private static let pause: Microseconds = 400_000

  private let chord: Set<KeyCode>
  private var held: Set<KeyCode> = []
  private var last: Microseconds?

  public init(chord: [KeyCode]) {
    self.chord = Set(chord)
  }

  /// What the frame orders.
  ///
  /// - Parameter asked: The key that the person is asked to press: it steers nothing meanwhile.
  public mutating func receive(_ frame: borrowing Frame, asked: KeyCode?) -> Order? {
    var order: Order?
    for index in frame.events.indices where frame.events[index].type == EventType.key {
      let event = frame.events[index]
      guard event.value == 1 else {
        if event.value == 0 { held.remove(event.code) }
        continue
      }
      held.insert(event.code)
      guard event.code != asked else { continue }
      let isTooSoon = last.map { frame.time - $0 < Self.pause } ?? false
      if Self.onward.contains(event.code) || Self.backward.contains(event.code) {
        last = frame.time
        if !isTooSoon { order = Self.onward.contains(event.code) ? .skip : .back }
      }
    }
    return !chord.isEmpty && held.isSuperset(of: chord) ? .panic : order
  }

  /// Nothing is known any more of which keys are down.
  public mutating func forget() {
    held = []
  }
}
