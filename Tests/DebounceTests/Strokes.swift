import Debounce
import StrokeFixtures
import Testing

/// What the engine does, with the frames that it emits.
///
/// Where their results are not used, the engine's own methods of the same names are called.
extension Debouncer {
  @_disfavoredOverload
  mutating func process(_ raw: Frame) -> [Frame] {
    output.removeAll()
    process(raw)
    return takeFrames()
  }

  mutating func process(at time: Microseconds, _ events: Event...) -> [Frame] {
    process(Frame(time: time, events))
  }

  @_disfavoredOverload
  mutating func advance(to time: Microseconds) -> [Frame] {
    output.removeAll()
    advance(to: time)
    return takeFrames()
  }

  @_disfavoredOverload
  mutating func resynchronise(held: KeySet, others: Frame) -> [Frame] {
    output.removeAll()
    resynchronise(held: held, others: others)
    return takeFrames()
  }

  mutating func resynchronise(held: KeySet, at time: Microseconds) -> [Frame] {
    resynchronise(held: held, others: Frame(time: time))
  }

  @_disfavoredOverload
  mutating func close(at time: Microseconds) -> [Frame] {
    output.removeAll()
    close(at: time)
    return takeFrames()
  }

  /// Sends the strokes, and lets every deadline pass where `completely` is true.
  mutating func process(strokes: [Edge], completely: Bool = true) -> [Frame] {
    strokes.frames.flatMap { process($0) } + (completely ? advance(to: .max) : [])
  }

  /// Sends strokes that fixtures write so: `A+0 A-8.5`. Returns what comes of them, once every deadline has passed where
  /// `completely` is true.
  @discardableResult
  mutating func play(_ text: String, completely: Bool = true) -> String {
    edges(in: process(strokes: strokes(text), completely: completely)).text
  }

  /// Takes what was emitted since this was last called.
  mutating func takeFrames() -> [Frame] {
    defer { output.removeAll() }
    return output.frames
  }
}

/// What becomes of `raw` once every deadline has passed.
func debounce(_ raw: [Edge], _ rules: Rules = Rules()) -> [Edge] {
  var engine = Debouncer(rules)
  return edges(in: engine.process(strokes: raw))
}

/// What `adaptive` makes of the strokes once every deadline has passed.
func debounceAdaptively(
  _ text: String, _ rule: Adaptive = Adaptive(), flush: Flush = .modifiers
) -> [Edge] {
  debounce(strokes(text), Rules(strategy: .adaptive(rule), flush: flush))
}

/// An engine whose `adaptive` has decided on the strokes.
func adaptiveEngine(_ text: String) -> Debouncer {
  var engine = Debouncer()
  engine.play(text)
  return engine
}

/// How many presses of the key are among the edges.
func presses(_ edges: [Edge], of key: KeyCode = .a) -> Int {
  edges.count { $0.key == key && $0.isDown }
}

/// The edges in `frames`.
func edges(in frames: [Frame]) -> [Edge] {
  frames.flatMap { frame in
    frame.events.filter { $0.type == EventType.key }.enumerated().map { index, event in
      Edge(event.code, down: event.value != 0, at: frame.time, joined: index > 0)
    }
  }
}

/// The edges that fixtures write so: `strokes("A+0 A-8.5")`.
func strokes(_ text: String) -> [Edge] {
  do {
    return try StrokeCase.parse("== strokes\nraw \(text)", file: "strokes")[0].raw
  } catch {
    Issue.record(error)
    return []
  }
}

/// The rules that fixtures write so, a line each: `rules("rules none", "key S defer press=5")`.
func rules(_ lines: String...) -> Rules {
  do {
    let text = lines.joined(separator: "\n") + "\n== rules\nraw A+0"
    return try StrokeCase.parse(text, file: "rules")[0].rules
  } catch {
    Issue.record(error)
    return Rules()
  }
}

/// Strokes of a key, one each `period`.
func taps(
  _ count: Int, of key: KeyCode = .a, held hold: Microseconds, every period: Microseconds,
  from start: Microseconds = 0
) -> [Edge] {
  (0..<count).flatMap { number in
    let time = start + Microseconds(number) * period
    return [Edge(key, down: true, at: time), Edge(key, down: false, at: time + hold)]
  }
}

extension [Edge] {
  /// The edges as fixtures write them.
  var text: String {
    map(\.description).joined(separator: " ")
  }
}

extension ChatterTally {
  /// Presses' bounces, releases' bounces, drop-outs.
  var kinds: [Count] { [pressBounces, releaseBounces, dropOuts] }
}

extension Int {
  /// So many milliseconds.
  var ms: Microseconds { Microseconds(self) * 1000 }
}

extension KeyCode {
  static let a: KeyCode = 30
  static let s: KeyCode = 31
  static let d: KeyCode = 32
  static let leftShift: KeyCode = 42
  static let buttonLeft: KeyCode = 0x110
}

extension Event {
  static func down(_ key: KeyCode) -> Event { .key(key, down: true) }
  static func up(_ key: KeyCode) -> Event { .key(key, down: false) }
  static func held(_ key: KeyCode) -> Event { Event(type: EventType.key, code: key, value: 2) }

  /// A movement of the pointer, `REL_X`.
  static func motion(_ distance: Int32) -> Event { Event(type: 2, code: 0, value: distance) }

  static let report = Event(type: EventType.synchronisation, code: EventType.report, value: 0)
}

extension Rules {
  /// The default with a longer wait of presses: what most tests that are not about a strategy go by.
  static let confirming = Rules(strategy: .adaptive(Adaptive(confirm: 30.ms)))
}
