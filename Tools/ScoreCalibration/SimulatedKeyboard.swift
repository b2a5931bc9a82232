import Debounce
import Randomness

@testable import Calibration
@testable import TypingModel

/// A person at a keyboard of which some keys are worn: works on it, and does what a calibration asks for, late and badly
/// now and then.
struct SimulatedKeyboard {
  /// How often the person, asked for one tap, makes two, and lets a hold go too early.
  private static let (slips, early) = (2e-3, 0.1)
  private static let mouse: KeyCode = 0x110
  private static let knob: KeyCode = 103

  let kind: KeyboardClass
  let worn: Set<KeyCode>
  private let typist: Typist
  private let link: Link
  private let seed: UInt64
  private var typing: Typing
  private var random: SeededRandom
  /// When the last stroke ended. Milliseconds.
  private var now = 1000.0
  private var sessions = 0

  init(_ kind: KeyboardClass, _ index: Int, seed: UInt64) {
    self.kind = kind
    var random = SeededRandom(seed: seed, stream: index)
    let seed = random.next()
    self.seed = seed
    var person = SeededRandom(seed: seed, stream: 1)
    typist = Typist(&person)
    typing = Typing(Typing.Manner(), SeededRandom(seed: seed, stream: 1))
    let polls: [Microseconds] = [1, 8, 1, 8, 2, 1, 8, 4, 1, 8]
    link = Link(poll: polls[index % polls.count] * 1000)
    let keys = kind.use == .mouse ? [Self.mouse] : Keys.all
    worn = Set(keys.filter { _ in random.chance(kind.wornKeys) })
    self.random = random
  }

  /// A recording of ordinary use with so many presses, and the truth about it.
  mutating func recording(_ presses: Int) -> (tape: Tape, truth: Labels) {
    sessions += 1
    let session = SeededRandom(seed: seed, stream: 100 + sessions).seedOfSession
    var strokes: [Stroke]
    switch kind.use {
    case .typing: strokes = typing.strokes(presses)
    case .mouse: strokes = clicks(presses)
    case .scanner:
      strokes = MixedUse(MachineTyping(poll: link.poll)).session(
        bursts: presses / 80, countsTyping: true, link: link, seed: session
      ).strokes.map(\.stroke)
    case .knob:
      strokes = typing.strokes(presses)
      turnKnob(&strokes)
    }
    if let first = strokes.first {
      let start = Microseconds(milliseconds: now + 1000) - first.press
      strokes = strokes.map { $0.moved(by: start) }
      now = Double(strokes.map(\.release).max() ?? 0) / 1000 + 1000
    }
    return edges(of: strokes, .typing)
  }

  /// Puts turns of a knob between what is typed: steps as short as a poll or so, 30 to 70 ms apart.
  private mutating func turnKnob(_ strokes: inout [Stroke]) {
    var result: [Stroke] = []
    var delay: Microseconds = 0
    for (index, stroke) in strokes.enumerated() {
      result.append(stroke.moved(by: delay))
      guard index % 60 == 59 else { continue }
      var time = stroke.release + delay + 700_000
      let pace = random.uniform(in: 30...70)
      for _ in 0..<random.whole(in: 12...40) {
        result.append(Stroke(key: Self.knob, press: time, release: time + 8000))
        time += Microseconds(milliseconds: pace + random.uniform(in: -4...4))
      }
      delay = time + 700_000 - stroke.release
    }
    strokes = result
  }

  private mutating func clicks(_ count: Int) -> [Stroke] {
    var time = 0.0
    var strokes: [Stroke] = []
    while strokes.count < count {
      time += Lognormal(median: 700, spread: 0.8, in: 200...20_000).draw(&random)
      // Single and double clicks, and clicks as fast as can be.
      let taps = random.chance(0.1) ? random.whole(in: 4...12) : random.chance(0.3) ? 2 : 1
      let pace = random.uniform(in: 100...170)
      for _ in 0..<taps {
        let hold = pace * random.uniform(in: 0.35...0.6)
        strokes.append(Stroke(key: Self.mouse, at: time, hold: hold))
        time += pace * random.uniform(in: 0.95...1.05)
      }
    }
    return strokes
  }

  // MARK: - What is asked for

  /// What the person does when it is asked for.
  mutating func answer(to request: Exercise?, _ effort: GuidedSession.Effort = .init()) -> Tape {
    switch request {
    case .taps(let key):
      var strokes = [
        stroke(of: key, after: Double(effort.beat) / 1000 * random.uniform(in: 0.6...0.9))
      ]
      if random.chance(Self.slips) {
        let double = typist.drawDouble(&random)
        strokes.append(stroke(of: key, after: 0.95 * double.gaps[0], hold: double.holds[1]))
      }
      return edges(of: strokes, .taps(key)).tape
    case .holds(let key):
      var hold = Double(effort.hold) / 1000 * random.uniform(in: 0.9...1.3)
      if random.chance(Self.early) { hold *= 0.4 }
      return edges(of: [stroke(of: key, after: 700, hold: hold)], .holds(key)).tape
    case .doubles(let key):
      now += 700
      return edges(of: double(of: key), .doubles(key)).tape
    case .typing, nil: return Tape()
    }
  }

  private mutating func double(of key: KeyCode) -> [Stroke] {
    let double = typist.drawDouble(&random)
    return [
      stroke(of: key, after: 0, hold: double.holds[0]),
      stroke(of: key, after: 0.95 * double.gaps[0], hold: double.holds[1]),
    ]
  }

  private mutating func stroke(
    of key: KeyCode, after wait: Double, hold: Double? = nil
  ) -> Stroke {
    let press = now + max(wait, 1)
    let hold = max(hold ?? typist.drawHold(&random), 1)
    now = press + hold
    return Stroke(key: key, at: press, hold: hold)
  }

  // MARK: - Switches

  /// What the link shows of strokes, in the order of their presses.
  private mutating func edges(
    of strokes: [Stroke], _ exercise: Exercise
  ) -> (tape: Tape, truth: Labels) {
    var next: [KeyCode: Microseconds] = [:]
    var limits = [Microseconds](repeating: .max, count: strokes.count)
    for index in strokes.indices.reversed() {
      limits[index] = next[strokes[index].key] ?? .max
      next[strokes[index].key] = strokes[index].press
    }
    var seen: [(time: Microseconds, key: KeyCode, isDown: Bool)] = []
    var truth: [MeasuredStroke] = []
    for (stroke, limit) in zip(strokes, limits) {
      var times = [stroke.press, stroke.release]
      if worn.contains(stroke.key), random.chance(kind.rate) {
        times = kind.fault.edges(of: stroke, before: limit, &random)
      }
      let visible = times.map(link.sampled).reduce(into: [Microseconds]()) { visible, time in
        if visible.last == time { visible.removeLast() } else { visible.append(time) }
      }
      guard visible.count > 1 else { continue }
      let contacts = stride(from: 0, to: visible.count - 1, by: 2).map {
        MeasuredStroke.Contact(press: visible[$0], release: visible[$0 + 1])
      }
      seen += visible.enumerated().map { ($1, stroke.key, $0 % 2 == 0) }
      truth.append(
        MeasuredStroke(key: stroke.key, contacts: contacts, exercise: exercise))
    }
    // In a poll a key is let go before it is pressed again, and modifiers move before other keys.
    let order = seen.indices.sorted {
      (seen[$0].time, Keys.isModifier(seen[$0].key) ? 0 : 1, $0)
        < (seen[$1].time, Keys.isModifier(seen[$1].key) ? 0 : 1, $1)
    }
    var tape = Tape()
    for index in order {
      let edge = seen[index]
      tape.receive(edge.key, isDown: edge.isDown, at: edge.time, during: exercise)
    }
    now = max(now, Double(seen.map(\.time).max() ?? 0) / 1000 + 5)
    return (tape, Labels(truth.sorted { $0.press < $1.press }))
  }
}

extension SeededRandom {
  fileprivate var seedOfSession: UInt64 {
    var random = self
    return random.next()
  }
}
