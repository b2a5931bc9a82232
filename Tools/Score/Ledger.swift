import Debounce
import TypingModel

/// Holds a rule's clean edges against the truth about a session.
///
/// A clean press belongs to the stroke of the key's last raw press, a clean release to that of its last
/// raw release. The first press of a stroke is the finger's, whichever raw press it followed from; each
/// further one is chatter that was missed. A stroke without a press was lost.
struct Ledger {
  /// After so long a silence every rule has come to rest, in microseconds.
  private static let rest: Microseconds = 250_000
  /// The one modifier that the model types.
  private static let shift = 42

  private struct Key {
    var raw = false
    var clean = false
    /// The strokes of the last raw press and release.
    var pressed = -1
    var released = -1
  }

  private(set) var tally = Tally()

  private let session: Session
  private var keys = [Key](repeating: Key(), count: EventType.keyCount)
  /// How many keys are clean otherwise than raw.
  private var differences = 0
  /// How many presses of each stroke were emitted.
  private var presses: [Int]
  /// Whether the finger was on Shift when each stroke began.
  private var shifted: [Bool]
  private var isShifted = false
  /// The last stroke that was emitted.
  private var latest = -1
  private var lastTime: Microseconds = 0

  private init(_ session: Session) {
    self.session = session
    presses = Array(repeating: 0, count: session.strokes.count)
    shifted = Array(repeating: false, count: session.strokes.count)
  }

  /// Plays a session to a rule and counts what it does.
  static func tally(_ session: Session, _ filter: some Filter) -> Tally {
    var filter = filter
    var ledger = Ledger(session)
    var clean: [CleanEdge] = []
    for edge in session.edges {
      clean.removeAll(keepingCapacity: true)
      filter.take(edge, into: &clean)
      // What came due before the edge could not know of it.
      let own = clean.firstIndex { $0.time >= edge.time } ?? clean.endIndex
      for index in 0..<own { ledger.enter(clean[index]) }
      ledger.enter(edge)
      for index in own..<clean.count { ledger.enter(clean[index]) }
    }
    clean.removeAll(keepingCapacity: true)
    filter.finish(into: &clean)
    for edge in clean { ledger.enter(edge) }
    ledger.close()
    return ledger.tally
  }

  private mutating func enter(_ edge: RawEdge) {
    if edge.time - lastTime >= Self.rest, differences > 0 { tally.wrongRests += 1 }
    lastTime = edge.time

    let index = Int(edge.key)
    if edge.fault == nil {
      if edge.down {
        shifted[edge.stroke] = isShifted
      } else if session.strokes[edge.stroke].fault != nil {
        tally.holdsLost.add(!keys[index].clean)
      }
      if index == Self.shift { isShifted = edge.down }
    }
    change(index) { key in
      key.raw = edge.down
      if edge.down { key.pressed = edge.stroke } else { key.released = edge.stroke }
    }
  }

  private mutating func enter(_ edge: CleanEdge) {
    let index = Int(edge.key)
    change(index) { $0.clean = edge.down }
    let number = edge.down ? keys[index].pressed : keys[index].released
    guard number >= 0 else { return }
    let stroke = session.strokes[number]
    guard edge.down else {
      if !stroke.isOfFaultyKey {
        tally.releaseLatency.add(edge.time - stroke.stroke.release)
      }
      return
    }
    presses[number] += 1
    guard presses[number] == 1 else { return }
    if !stroke.isOfFaultyKey { tally.pressLatency.add(edge.time - stroke.stroke.press) }
    if number < latest { tally.inversions += 1 }
    latest = max(latest, number)
    if index != Self.shift, keys[Self.shift].clean != shifted[number] { tally.shiftErrors += 1 }
  }

  @inline(__always)
  private mutating func change(_ index: Int, _ body: (inout Key) -> Void) {
    let differed = keys[index].raw != keys[index].clean
    body(&keys[index])
    let differs = keys[index].raw != keys[index].clean
    differences += (differs ? 1 : 0) - (differed ? 1 : 0)
  }

  private mutating func close() {
    if differences > 0 { tally.wrongRests += 1 }
    for (stroke, presses) in zip(session.strokes, presses) {
      tally.lost.add(presses == 0)
      guard let fault = stroke.fault else { continue }
      tally.missed[fault.index].add(presses > 1)
    }
  }
}
