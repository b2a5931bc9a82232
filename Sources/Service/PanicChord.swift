import Configuration
import Debounce

/// The way out that always works: some keys held together, such as Backspace, Escape and Enter.
///
/// Decided by the raw events, before any strategy: the chord must work when the settings do not.
struct PanicChord {
  /// The keys; none if the keyboard lacks any of them.
  let keys: [KeyCode]
  fileprivate let keyboard: PanicKeyboard
  /// Which of the keyboard's nodes this is.
  fileprivate let node: Int

  /// - Returns: Whether a key of a chord has moved, and all of a chord are down then.
  func receive(_ frame: borrowing Frame) -> Bool {
    var hasMoved = false
    for index in frame.events.indices {
      let event = frame.events[index]
      guard event.type == EventType.key, keyboard.mayKnow(event.code) else { continue }
      keyboard.receive(event, from: node)
      hasMoved = true
    }
    return hasMoved && keyboard.isHeld
  }

  /// Takes the given state of the node for the truth, and returns whether all keys of a chord are down.
  @discardableResult
  func resynchronise(held: KeySet) -> Bool {
    keyboard.resynchronise(held: held, on: node)
    return keyboard.isHeld
  }
}

/// The panic chords of one keyboard, and which of their keys are down. The keys of a keyboard may be spread over several
/// nodes, each of which may have another file.
final class PanicKeyboard {
  private var present = KeySet()
  private var chords: [[KeyCode]] = []
  /// The chords' keys, a bit each, as ``bit(of:)`` has it. Most keys that are typed have none of these bits, and are passed over.
  private var bits: UInt64 = 0
  /// The keys that are down on each node, of those that have such a bit. No engine is asked: each node has its own, and the chord
  /// must work whatever an engine does.
  private var down: [KeySet] = []

  init(with keys: KeySet = KeySet()) { add(keys) }

  func add(_ keys: KeySet) {
    for key in keys { present.insert(key) }
  }

  /// Adds a node with the chord that was chosen for it, and returns the one that holds there. The keyboard must have the keys of
  /// all nodes by then.
  func join(_ chosen: [KeyCode]) -> PanicChord {
    let chord = Settings.panicChord(chosen, on: present)
    chords.append(chord)
    for key in chord { bits |= Self.bit(of: key) }
    down.append(KeySet())
    return PanicChord(
      keys: chord.allSatisfy(present.contains) ? chord : [], keyboard: self, node: down.count - 1)
  }

  @inline(__always)
  fileprivate func mayKnow(_ key: KeyCode) -> Bool { bits & Self.bit(of: key) != 0 }

  private static func bit(of key: KeyCode) -> UInt64 { 1 << UInt64(key % 64) }

  fileprivate func receive(_ event: Event, from node: Int) {
    if event.value == 0 { down[node].remove(event.code) } else { down[node].insert(event.code) }
  }

  fileprivate func resynchronise(held: KeySet, on node: Int) {
    down[node].removeAll()
    for key in held where mayKnow(key) { down[node].insert(key) }
  }

  /// Whether all keys of a chord are down, on whichever nodes.
  fileprivate var isHeld: Bool {
    chords.contains { chord in
      !chord.isEmpty && chord.allSatisfy { key in down.contains { $0.contains(key) } }
    }
  }
}
