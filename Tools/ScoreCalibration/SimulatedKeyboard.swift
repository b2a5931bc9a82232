import Debounce
import Randomness

@testable import TypingModel

/// A person at a keyboard of which some keys are worn: types freely, and does what a calibration asks for.
///
/// The typing is that of `score`; the person and the worn keys follow from the seed alone, so that what is typed later
/// is of the same person on the same switches.
struct SimulatedKeyboard {
  /// How often the person, asked for one tap, makes two.
  private static let slips = 1e-3

  let seed: UInt64
  let wear: Wear
  let link: Link
  /// A receiver that stalls every second or so, and not every twenty.
  let isBursty: Bool

  private let typist: Typist
  private var switches: Switches
  private var random: SeededRandom
  /// When the last stroke ended. Milliseconds.
  private var now = 0.0

  init(wear: Wear, link: Link, isBursty: Bool = false, seed: UInt64) {
    self.seed = seed
    self.wear = wear
    self.link = link
    self.isBursty = isBursty
    var person = SeededRandom(seed: seed, stream: 1)
    typist = Typist(&person)
    switches = Switches(wear, SeededRandom(seed: seed, stream: 2))
    random = SeededRandom(seed: seed, stream: 11)
    // The same keys are worn as in the typing; what happens to them from here on is not the same again.
    let stroke = Stroke(key: 0, press: 0, release: 1_000_000)
    for key in faultyKeys {
      for _ in 0..<300 {
        var stroke = stroke
        stroke.key = key
        _ = switches.edges(of: stroke, before: .max)
      }
    }
  }

  /// The keys that are worn, in an order that is the seed's.
  var faultyKeys: [KeyCode] { Keys.all.filter { switches.isFaulty($0) } }
  var healthyKeys: [KeyCode] { Keys.all.filter { !switches.isFaulty($0) } }

  /// What is typed freely, up to the session's end.
  mutating func typing(_ presses: Int) -> [RawEdge] {
    var edges = Session(presses: presses, wear: wear, link: link, seed: seed).edges
    if isBursty { stall(&edges) }
    now = max(now, Double(edges.last?.time ?? 0) / 1000 + 1000)
    return edges
  }

  /// A single tap of the key, half a second after the one before; once in a while it becomes two.
  mutating func tap(_ key: KeyCode) -> [RawEdge] {
    let wait = max(250, 500 + 50 * random.normal())
    var strokes = [stroke(of: key, after: wait, hold: typist.drawHold(&random))]
    if random.chance(Self.slips) {
      let double = typist.drawDouble(&random)
      strokes.append(stroke(of: key, after: double.gaps[0], hold: double.holds[1]))
    }
    now += 150
    return edges(of: strokes)
  }

  /// The key is held for three seconds.
  mutating func hold(_ key: KeyCode) -> [RawEdge] {
    let strokes = [stroke(of: key, after: 700, hold: 3000 + 200 * random.normal())]
    now += 150
    return edges(of: strokes)
  }

  /// Two strokes as fast as can be: a little faster than in typing.
  mutating func double(_ key: KeyCode) -> [RawEdge] {
    let double = typist.drawDouble(&random)
    let strokes = [
      stroke(of: key, after: 700, hold: double.holds[0]),
      stroke(of: key, after: 0.95 * double.gaps[0], hold: double.holds[1]),
    ]
    now += 150
    return edges(of: strokes)
  }

  /// Whether no threshold keeps both to these limits, for this person and these switches: the share of doubles that
  /// become one stroke, and the share of faults that come through. By the laws they are drawn from.
  mutating func overlaps(mostLost: Double, mostMissed: Double) -> Bool {
    let doubles = (0..<5000).map { _ in typist.drawDouble(&random).gaps[0] }.sorted()
    let threshold = doubles[Int(mostLost * 5000)]
    let gaps = (0..<5000).map { _ in wear.gap.draw(&random) }
    let total = wear.shares.values.reduce(0, +)
    let dropOuts = (wear.shares[.dropOut] ?? 0) / max(total, 1e-9)
    let missed = Double(gaps.filter { $0 >= threshold }.count) / 5000 * dropOuts
    return missed > mostMissed
  }

  /// Ordinary use of one key, with the truth about it: what a setting is tried on.
  mutating func use(of key: KeyCode, strokes count: Int) -> Session {
    let doubles = key == Keys.backspace ? 0.4 : 0.02
    var strokes: [Stroke] = []
    while strokes.count < count {
      let pause = Lognormal(median: 600, spread: 0.7, in: 160...10_000).draw(&random)
      guard random.chance(doubles) else {
        strokes.append(stroke(of: key, after: pause, hold: typist.drawHold(&random)))
        continue
      }
      let double = typist.drawDouble(&random)
      strokes.append(stroke(of: key, after: pause, hold: double.holds[0]))
      strokes.append(stroke(of: key, after: double.gaps[0], hold: double.holds[1]))
    }
    var session = Session(strokes: [], edges: [])
    for (index, stroke) in strokes.enumerated() {
      let limit = index + 1 < strokes.count ? strokes[index + 1].press : .max
      let (edges, fault) = edges(of: stroke, before: limit, number: session.strokes.count)
      guard !edges.isEmpty else { continue }
      session.edges += edges
      session.strokes.append(
        LabelledStroke(
          Stroke(key: key, press: edges[0].time, release: edges[edges.count - 1].time),
          fault: fault, isOfFaultyKey: switches.isFaulty(key)))
    }
    return session
  }

  private mutating func stroke(of key: KeyCode, after wait: Double, hold: Double) -> Stroke {
    let press = now + max(wait, 1)
    now = press + max(hold, 1)
    return Stroke(
      key: key, press: Microseconds(milliseconds: press), release: Microseconds(milliseconds: now))
  }

  private mutating func edges(of strokes: [Stroke]) -> [RawEdge] {
    var all: [RawEdge] = []
    for (index, stroke) in strokes.enumerated() {
      let limit = index + 1 < strokes.count ? strokes[index + 1].press : .max
      all += edges(of: stroke, before: limit, number: 0).edges
    }
    return all
  }

  /// What the link shows of a stroke, and the fault that shows.
  private mutating func edges(
    of stroke: Stroke, before limit: Microseconds, number: Int
  ) -> (edges: [RawEdge], fault: Chatter?) {
    let (times, chatter) = switches.edges(of: stroke, before: limit)
    var visible: [Microseconds] = []
    for time in times.map(link.sampled) {
      if visible.last == time { visible.removeLast() } else { visible.append(time) }
    }
    let fault = visible.count > 2 ? chatter : nil
    return (
      visible.enumerated().map { index, time in
        let release = fault == .releaseBounce ? 1 : visible.count - 1
        return RawEdge(
          time: time, key: stroke.key, down: index % 2 == 0, stroke: number,
          fault: index == 0 || index == release ? nil : fault)
      }, fault
    )
  }

  /// Holds back what comes while the receiver stalls.
  private mutating func stall(_ edges: inout [RawEdge]) {
    var start = 0.0
    var end = 0.0
    for index in edges.indices {
      let time = Double(edges[index].time) / 1000
      while end <= time {
        start = end + random.exponential(mean: 700)
        end = start + 60 + 120 * random.uniform()
      }
      if time >= start { edges[index].time = Microseconds(milliseconds: end) }
    }
  }
}
