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
        tally.missed[fault, default: Proportion()].add(presses > 1)
      } else {
        tally.extra += max(0, presses - 1)
      }
    }
  }
}

extension KeyCode {
  private static let modifiers: [KeyCode] = [29, 97, 42, 54, 56, 100, 125, 126]

  /// The modifier's own bit; of every other key none.
  fileprivate var modifier: UInt8 { Self.modifiers.firstIndex(of: self).map { 1 << $0 } ?? 0 }
}

extension UInt8 {
  fileprivate mutating func set(_ bit: UInt8, _ isOn: Bool) {
    self = isOn ? self | bit : self & ~bit
  }
}

/// What became of genuine presses and of chatter.
struct Tally: Equatable, Summable {
  /// Genuine presses that were not emitted.
  var lost = Proportion()
  /// Those of keys that chatter at times.
  var lostOfFaulty = Proportion()
  /// Those that came sooner after the key's press before than a finger presses a key twice; and the others.
  var lostFast: Proportion { Proportion(part: lostTooFast, whole: lost.whole) }
  var lostSlow: Proportion { Proportion(part: lost.part - lostTooFast, whole: lost.whole) }
  var lostTooFast = 0
  /// Presses of strokes without a fault that were emitted more than once.
  var extra = 0
  /// Faults that made an extra press, by kind.
  var missed: [Chatter: Proportion] = [:]
  /// Faults by which the key came up while the finger still held it, and did not come down again.
  var holdsLost = Proportion()

  /// How late the presses and releases of healthy keys were emitted.
  var pressLatency = Latency()
  var releaseLatency = Latency()

  /// Presses emitted after one that was made later.
  var inversions = 0
  /// Presses emitted with a modifier in another state than the fingers had it.
  var modifierErrors = 0
  /// Rests of the keyboard at which a key was not where its finger had left it.
  var wrongRests = 0

  /// Faults of all kinds.
  var allMissed: Proportion {
    missed.values.reduce(into: Proportion()) { $0.add($1) }
  }

  /// Presses that mean something else than what was typed: later than what followed them, or with another
  /// modifier.
  var misplaced: Proportion {
    Proportion(part: inversions + modifierErrors, whole: lost.whole)
  }

  /// Whether all came out as it was typed.
  var isWhole: Bool { lost.part + extra + misplaced.part == 0 }

  func missed(_ chatter: Chatter) -> Proportion {
    missed[chatter, default: Proportion()]
  }

  mutating func add(_ other: Tally) {
    lost.add(other.lost)
    lostOfFaulty.add(other.lostOfFaulty)
    lostTooFast += other.lostTooFast
    extra += other.extra
    for (fault, count) in other.missed { missed[fault, default: Proportion()].add(count) }
    holdsLost.add(other.holdsLost)
    pressLatency.add(other.pressLatency)
    releaseLatency.add(other.releaseLatency)
    inversions += other.inversions
    modifierErrors += other.modifierErrors
    wrongRests += other.wrongRests
  }
}

/// How late edges were emitted: a histogram with steps of a tenth of a millisecond.
struct Latency: Equatable, Summable {
  private static let step: Microseconds = 100
  /// The last step takes all that is later.
  private static let steps = 2000

  private var counts = [UInt32](repeating: 0, count: steps)
  private var number = 0
  private var sum: Microseconds = 0
  private(set) var longest: Microseconds = 0

  @inline(__always)
  mutating func add(_ latency: Microseconds) {
    counts[Int(min(latency / Self.step, Microseconds(Self.steps - 1)))] += 1
    number += 1
    sum += latency
    longest = max(longest, latency)
  }

  mutating func add(_ other: Latency) {
    for index in counts.indices { counts[index] += other.counts[index] }
    number += other.number
    sum += other.sum
    longest = max(longest, other.longest)
  }

  /// In milliseconds.
  var mean: Double {
    number == 0 ? 0 : Double(sum) / Double(number) / 1000
  }

  /// In milliseconds.
  var maximum: Double { Double(longest) / 1000 }

  /// What this share of edges is not later than, in milliseconds.
  func quantile(_ share: Double) -> Double {
    var left = Int((share * Double(number)).rounded(.up))
    for (index, count) in counts.enumerated() where left > 0 {
      left -= Int(count)
      if left <= 0 { return Double(index) * Double(Self.step) / 1000 }
    }
    return 0
  }
}

/// So many out of so many.
struct Proportion: Equatable, Summable {
  var part = 0
  var whole = 0

  var share: Double { whole == 0 ? 0 : Double(part) / Double(whole) }

  /// Wilson's interval: what the true share may be, with 95 % confidence.
  var interval: ClosedRange<Double> {
    guard whole > 0 else { return 0...1 }
    let n = Double(whole)
    let z = 1.96
    let middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    let half =
      z / (1 + z * z / n) * (share * (1 - share) / n + z * z / (4 * n * n)).squareRoot()
    return max(0, middle - half)...min(1, middle + half)
  }

  mutating func add(_ hit: Bool) {
    whole += 1
    if hit { part += 1 }
  }

  mutating func add(_ other: Proportion) {
    part += other.part
    whole += other.whole
  }
}

/// What is counted in parts, whose sums are the whole.
protocol Summable: Sendable {
  mutating func add(_ other: Self)
}

/// What a contender has shown.
struct Result: Summable {
  var contender: Contender
  /// On keyboards without a fault.
  var clean = Tally()
  /// On worn ones.
  var worn = Tally()

  mutating func add(_ other: Result) {
    clean.add(other.clean)
    worn.add(other.worn)
  }
}
