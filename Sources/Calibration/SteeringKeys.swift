import Debounce

/// The keys of the measured device that control `calibrate` itself: next step, step back, and the panic chord.
///
/// The command reads them from the device, because another keyboard may type into the terminal. A key that chatters counts
/// once.
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

  /// - Parameter asked: The key that the person is asked to press, which controls nothing meanwhile.
  /// - Returns: What the person wants; `nil` if nothing.
  public mutating func receive(_ frame: borrowing Frame, asked: KeyCode?) -> Order? {
    var order: Order?
    for index in frame.events.indices where frame.events[index].type == EventType.key {
      let event = frame.events[index]
      if event.value == 0 { held.remove(event.code) }
      guard event.value == 1 else { continue }
      held.insert(event.code)
      let isOnward = Self.onward.contains(event.code)
      guard event.code != asked, isOnward || Self.backward.contains(event.code) else { continue }
      if last.map({ frame.time - $0 >= Self.pause }) ?? true { order = isOnward ? .skip : .back }
      last = frame.time
    }
    return !chord.isEmpty && held.isSuperset(of: chord) ? .panic : order
  }

  public mutating func forget() {
    held = []
  }
}
