import Debounce

/// The keys of the measured device that control `calibrate` itself: next step, step back, and the panic chord.
///
/// They are read from the device, because the terminal may belong to another keyboard. A key that chatters counts once.
public struct SteeringKeys {
  public enum Order: Equatable, Sendable {
    case skip
    case back
    case panic
  }

  /// `KEY_RIGHT` and `KEY_PAGEDOWN`; `KEY_LEFT` and `KEY_PAGEUP`.
  private static let onward: Set<KeyCode> = [106, 109]
  private static let backward: Set<KeyCode> = [105, 104]
  /// The shortest time between two steps, in microseconds.
  private static let pause: Microseconds = 400_000

  private let chord: Set<KeyCode>
  private var held: Set<KeyCode> = []
  private var last: Microseconds?

  public init(chord: [KeyCode]) {
    self.chord = Set(chord)
  }

  /// Receives a frame.
  ///
  /// - Parameter asked: The key that the person is asked to press, which controls nothing meanwhile.
  /// - Returns: What the person wants; `nil` if nothing.
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

  /// Forgets which keys are down.
  public mutating func forget() {
    held = []
  }
}
