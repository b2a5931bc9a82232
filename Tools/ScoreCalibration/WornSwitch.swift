import Debounce
import Randomness

@testable import TypingModel

/// A kind of switch: what it makes of the strokes that it spoils.
enum WornSwitch: Sendable {
  /// A press bounce, a release bounce or a drop-out, of which the gap is about 10 ms.
  case single
  /// So many bounces at the beginning or at the end of a stroke, with times as those of a spring.
  case chain(ClosedRange<Int>, Double)
  /// The contact comes and goes through the whole stroke.
  case crackle(ClosedRange<Double>)
  /// A short contact late after the release. Milliseconds.
  case late(gap: ClosedRange<Double>, contact: ClosedRange<Double>)
  /// The contact is lost in the middle of a stroke for so long. Milliseconds.
  case dropOut(ClosedRange<Double>)

  /// When the contact changes in a stroke that is spoilt: first down, then in turns. Without room for the fault it is the
  /// finger's stroke.
  ///
  /// - Parameter limit: When the key goes down next.
  func edges(
    of stroke: Stroke, before limit: Microseconds, _ random: inout SeededRandom
  ) -> [Microseconds] {
    let (press, release) = (stroke.press, stroke.release)
    func time(_ range: ClosedRange<Double>, _ random: inout SeededRandom) -> Microseconds {
      Microseconds(milliseconds: random.uniform(in: range))
    }
    switch self {
    case .single:
      let gap = Microseconds(
        milliseconds: Lognormal(median: 10, spread: 0.6, in: 1...60).draw(&random))
      let contact = time(2...20, &random)
      switch random.uniform() {
      case ..<0.45 where contact + gap + 20_000 < stroke.hold:
        return [press, press + contact, press + contact + gap, release]
      case ..<0.7 where release + gap + contact + 5_000 < limit:
        return [press, release, release + gap, release + gap + contact]
      default: return Self.lost(for: gap, in: stroke, &random)
      }
    case .chain(let count, let longest):
      var times = [press]
      for _ in 0..<2 * random.whole(in: count) {
        times.append((times.last ?? press) + time(0.4...longest, &random))
      }
      if random.chance(0.5), (times.last ?? press) - press + 25_000 < stroke.hold {
        return times + [release]
      }
      // At the end: the same times after the release.
      let bounces = times.dropFirst().map { release + $0 - press }
      return bounces.last ?? release < limit - 5_000
        ? [press, release] + bounces : [press, release]
    case .crackle(let times):
      var edges = [press]
      while let last = edges.last, last < release { edges.append(last + time(times, &random)) }
      if edges.count % 2 == 1 { edges.removeLast() }
      return edges
    case .late(let gap, let contact):
      let start = release + time(gap, &random)
      let end = start + time(contact, &random)
      return end + 5_000 < limit ? [press, release, start, end] : [press, release]
    case .dropOut(let gap): return Self.lost(for: time(gap, &random), in: stroke, &random)
    }
  }

  private static func lost(
    for gap: Microseconds, in stroke: Stroke, _ random: inout SeededRandom
  ) -> [Microseconds] {
    let room = stroke.hold - gap - 60_000
    guard room >= 0 else { return [stroke.press, stroke.release] }
    let start = stroke.press + 30_000 + Microseconds(random.uniform() * Double(room))
    return [stroke.press, start, start + gap, stroke.release]
  }
}

/// What is wrong with a keyboard, and how it is used: a row of the table.
struct KeyboardClass: Sendable {
  enum Use: Sendable { case typing, knob, scanner, mouse }

  var name: String
  var fault = WornSwitch.single
  /// The share of keys that are worn, and of their strokes that are spoilt.
  var wornKeys = 0.15
  var rate = 0.0
  var use = Use.typing
  /// Whether it is judged what would be written, or only which keys are found.
  var isJudged = true

  private static let faults: [(name: String, fault: WornSwitch)] = [
    ("single faults", .single), ("chains of 1 to 3", .chain(1...3, 8)),
    ("chains of 4 to 10", .chain(4...10, 4)), ("crackling contacts", .crackle(0.5...8)),
    ("late blips, 40 to 80 ms", .late(gap: 40...80, contact: 2...25)),
    ("drop-outs, 3 to 18 ms", .dropOut(3...18)), ("drop-outs, 10 to 30 ms", .dropOut(10...30)),
  ]

  static let all =
    faults.flatMap { name, fault in
      [
        KeyboardClass(name: "\(name), light", fault: fault, rate: 0.05),
        KeyboardClass(name: "\(name), heavy", fault: fault, rate: 0.3),
      ]
    } + [
      KeyboardClass(name: "nothing wrong", wornKeys: 0),
      KeyboardClass(name: "a knob on an arrow key", wornKeys: 0, use: .knob),
      KeyboardClass(name: "a scanner", wornKeys: 0, use: .scanner),
      KeyboardClass(
        name: "a mouse that double-clicks", fault: .late(gap: 5...80, contact: 2...25), wornKeys: 1,
        rate: 0.15, use: .mouse),
    ]

  /// Single faults at this rate, to see which are found.
  static func single(_ rate: Double) -> KeyboardClass {
    KeyboardClass(name: "\(Int(rate * 100)) %", rate: rate, isJudged: false)
  }
}
