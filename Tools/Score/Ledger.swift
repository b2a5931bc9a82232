import Debounce
import TypingModel

/// Holds a rule's clean edges against the truth about a session.
///
/// A clean press belongs to the stroke of the key's last raw press, a clean release to that of its last
/// raw release. Of several presses of a key that come out at the same moment, as of strokes that were held
/// back together, the last one belongs to the last raw press, the one before it to the raw press before that.
/// The first press of a stroke is the finger's, whichever raw press it followed from; each further one is
/// chatter that was missed. A stroke without a press was lost.
struct Ledger {
  /// After so long a silence every rule has come to rest, in microseconds.
  private static let rest: Microseconds = 250_000
  /// No finger presses a key again so soon, in microseconds.
  private static let finger: Microseconds = 60_000

  private struct Key {
    var raw = false
    var clean = false
    /// The last raw press.
    var pressed = -1
    /// The stroke of the last raw release.
    var released = -1
  }

  /// A raw press.
  private struct Press {
    let stroke: Int
    /// The key's press before it.
    let before: Int
  }

  private(set) var tally = Tally()

  private let session: Session
  private var keys = [Key](repeating: Key(), count: EventType.keyCount)
  /// How many keys are clean otherwise than raw.
  private var differences = 0
  private var rawPresses: [Press] = []
  /// How many presses of each stroke were emitted.
  private var presses: [Int]
  /// On which modifiers fingers were when each stroke began.
  private var modifiers: [UInt8]
  private var pressedModifiers: UInt8 = 0
  private var cleanModifiers: UInt8 = 0
  /// The last stroke that was emitted.
  private var latest = -1
  private var lastTime: Microseconds = 0

  private init(_ session: Session) {
    self.session = session
    presses = Array(repeating: 0, count: session.strokes.count)
    modifiers = Array(repeating: 0, count: session.strokes.count)
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
      ledger.enter(clean[..<own])
      ledger.enter(edge)
      ledger.enter(clean[own...])
    }
    clean.removeAll(keepingCapacity: true)
    filter.finish(into: &clean)
    ledger.enter(clean[...])
    ledger.close()
    return ledger.tally
  }

  private mutating func enter(_ edge: RawEdge) {
    if edge.time - lastTime >= Self.rest, differences > 0 { tally.wrongRests += 1 }
    lastTime = edge.time

    let index = Int(edge.key)
    if edge.fault == nil {
      if edge.down {
        modifiers[edge.stroke] = pressedModifiers
      } else if session.strokes[edge.stroke].fault != nil {
        tally.holdsLost.add(!keys[index].clean)
      }
      pressedModifiers.set(edge.key.modifier, edge.down)
    }
    if edge.down { rawPresses.append(Press(stroke: edge.stroke, before: keys[index].pressed)) }
    let latest = rawPresses.count - 1
    change(index) { key in
      key.raw = edge.down
      if edge.down { key.pressed = latest } else { key.released = edge.stroke }
    }
  }

  private mutating func enter(_ clean: ArraySlice<CleanEdge>) {
    for index in clean.indices {
      let edge = clean[index]
      let later = clean[(index + 1)...].prefix { $0.time == edge.time }
      enter(edge, following: later.count { $0.key == edge.key && $0.down })
    }
  }

  /// - Parameter following: How many presses of the key come out after it at the same moment.
  private mutating func enter(_ edge: CleanEdge, following: Int) {
    let index = Int(edge.key)
    change(index) { $0.clean = edge.down }
    cleanModifiers.set(edge.key.modifier, edge.down)
    guard edge.down else {
      let number = keys[index].released
      guard number >= 0, session.strokes[number].isCounted else { return }
      let stroke = session.strokes[number]
      if !stroke.isOfFaultyKey {
        tally.releaseLatency.add(max(0, edge.time - stroke.stroke.release))
      }
      return
    }
    var press = keys[index].pressed
    guard press >= 0 else { return }
    for _ in 0..<following { press = max(rawPresses[press].before, 0) }
    let number = rawPresses[press].stroke
    presses[number] += 1
    guard presses[number] == 1 else { return }
    let stroke = session.strokes[number]
    defer { latest = max(latest, number) }
    guard stroke.isCounted else { return }
    if !stroke.isOfFaultyKey { tally.pressLatency.add(edge.time - stroke.stroke.press) }
    if number < latest { tally.inversions += 1 }
    if edge.key.modifier == 0, cleanModifiers != modifiers[number] { tally.modifierErrors += 1 }
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
    var previous: [KeyCode: Microseconds] = [:]
    for (stroke, presses) in zip(session.strokes, presses) {
      let key = stroke.stroke.key
      if presses == 0, stroke.isCounted, let previous = previous[key],
        stroke.stroke.press - previous < Self.finger
      {
        tally.lostTooFast += 1
      }
      previous[key] = stroke.stroke.press
      guard stroke.isCounted else { continue }
      tally.lost.add(presses == 0)
      if stroke.isOfFaultyKey { tally.lostOfFaulty.add(presses == 0) }
      if let fault = stroke.fault {
        tally.missed[fault.index].add(presses > 1)
      } else {
        tally.extra += max(0, presses - 1)
      }
    }
  }
}

extension KeyCode {
  /// The modifier's own bit; of every other key none.
  fileprivate var modifier: UInt8 {
    switch self {
    case 29: 1
    case 97: 2
    case 42: 4
    case 54: 8
    case 56: 16
    case 100: 32
    case 125: 64
    case 126: 128
    default: 0
    }
  }
}

extension UInt8 {
  fileprivate mutating func set(_ bit: UInt8, _ isOn: Bool) {
    self = isOn ? self | bit : self & ~bit
  }
}
