import Debounce

/// The fate of a stroke when the engine played the tape.
struct Fate: Equatable, Sendable {
  /// How many presses of the stroke came out. One is right.
  var presses = 0
  /// How late the stroke's last press and last release came out, in microseconds.
  var pressDelay: Microseconds = 0
  var releaseDelay: Microseconds = 0

  var isLost: Bool { presses == 0 }
  var comesThrough: Bool { presses > 1 }
}

/// A tape, played to the engine with some rules, and the fate of each of its strokes.
///
/// In use the engine knows the keyboard. So the engine first hears one half of the tape and is judged by the other, and then
/// the other way round. It is never judged by a fault that it has learned from.
///
/// ```
///  tape     ▁a▁▁B▁▁c▁▁D▁▁e▁▁F▁     parts of some strokes, in turns
///  first    ▁a▁▁▁▁▁c▁▁▁▁▁e▁▁▁▁ ▁▁▁▁B▁▁▁▁▁D▁▁▁▁▁F▁      the second half is judged
///  second   ▁▁▁▁B▁▁▁▁▁D▁▁▁▁▁F▁ ▁a▁▁▁▁▁c▁▁▁▁▁e▁▁▁▁
/// ```
struct Play {
  /// The fates of the labels' strokes, in their order.
  private(set) var fates: [Fate]

  private let tape: Tape
  private let labels: Labels
  /// The stroke that each press of the tape belongs to.
  private let owners: [Int?]

  /// The pause between the two halves, in microseconds.
  private static let pause: Microseconds = 10_000_000
  /// The least number of presses in a part.
  private static let part = 40

  init(_ rules: Rules, on tape: Tape, _ labels: Labels) {
    self.init(tape, labels)
    let parts = Self.parts(of: tape)
    for half in 0...1 {
      var engine = Debouncer(rules)
      for isJudged in [false, true] {
        let ranges = parts.enumerated().filter { ($0.offset % 2 == half) == isJudged }
        play(ranges.map(\.element), isJudged: isJudged, &engine)
      }
    }
  }

  /// A tape of which nothing was played yet.
  init(_ tape: Tape, _ labels: Labels) {
    self.tape = tape
    self.labels = labels
    fates = labels.strokes.map { _ in Fate() }
    var strokes: [KeyCode: [Microseconds: Int]] = [:]
    for (number, stroke) in labels.strokes.enumerated() {
      for contact in stroke.contacts { strokes[stroke.key, default: [:]][contact.press] = number }
    }
    owners = tape.edges.map { $0.isDown ? strokes[$0.key]?[$0.time] : nil }
  }

  /// The parts of a tape. All keys are up between two of them, and rest.
  private static func parts(of tape: Tape) -> [Range<Int>] {
    var parts: [Range<Int>] = []
    var (start, presses, held) = (0, 0, 0)
    for (index, edge) in tape.edges.enumerated() {
      if presses >= part, held == 0, edge.time - tape.edges[index - 1].time >= Labels.together {
        parts.append(start..<index)
        (start, presses) = (index, 0)
      }
      if edge.isDown { (presses, held) = (presses + 1, held + 1) } else { held -= 1 }
    }
    return parts + [start..<tape.length]
  }

  mutating func play(_ ranges: [Range<Int>], isJudged: Bool, _ engine: inout Debouncer) {
    guard let first = tape.edges.first, let last = tape.edges.last else { return }
    let shift = isJudged ? last.time - 2 * first.time + Self.pause : -first.time
    var frame = Frame(capacity: 4)
    // The strokes that each key's presses belonged to, the last one at the end.
    var pressed: [KeyCode: [Int]] = [:]

    func collect() {
      defer { engine.output.removeAll() }
      guard isJudged else { return }
      // Where several presses come out together, the last one belongs to the last that was made.
      var following: [KeyCode: Int] = [:]
      for frame in engine.output.frames.reversed() {
        let time = frame.time - shift
        for event in frame.events.reversed() where event.type == EventType.key && event.value != 2 {
          let strokes = pressed[event.code, default: []]
          let place = strokes.count - 1 - following[event.code, default: 0]
          guard let stroke = place >= 0 ? strokes[place] : strokes.first else { continue }
          if event.value == 1 {
            following[event.code, default: 0] += 1
            fates[stroke].presses += 1
            fates[stroke].pressDelay = max(0, time - labels.strokes[stroke].press)
          } else {
            fates[stroke].releaseDelay = max(0, time - labels.strokes[stroke].release)
          }
        }
      }
    }

    for range in ranges {
      var index = range.lowerBound
      while index < range.upperBound {
        let time = tape.edges[index].time
        // Deadlines before this edge are decided without knowing of it.
        engine.advance(to: time + shift - 1)
        if !engine.output.isEmpty { collect() }
        frame.removeAll()
        frame.time = time + shift
        while index < range.upperBound, tape.edges[index].time == time {
          let edge = tape.edges[index]
          // A frame holds one edge of each key at most.
          if frame.events.contains(where: { $0.code == edge.key }) { break }
          if edge.isDown, let stroke = owners[index] {
            pressed[edge.key, default: []].append(stroke)
          }
          frame.append(.key(edge.key, down: edge.isDown))
          index += 1
        }
        engine.process(frame)
        if !engine.output.isEmpty { collect() }
      }
    }
    engine.advance(to: last.time + shift + Self.pause / 2)
    collect()
  }
}
