import Debounce
import Randomness
import StrokeFixtures

/// What a device sends: random frames, made to hit the limits of the rules they are for.
struct Stream: Sendable {
  /// Two letters and two modifiers.
  static let keys: [KeyCode] = [.a, .s, .leftShift, 29]

  var frames: [Frame]
}

extension Stream {
  /// A random stream: strokes of one to four keys, some with scan codes, some within one frame, with
  /// motion between them, repeats, and edges that say what is known already.
  init(for rules: Rules, using random: inout SeededRandom) {
    let intervals = Self.intervals(for: rules)
    let keys = Self.keys.prefix(.random(in: 1...Self.keys.count, using: &random))
    var held: Set<KeyCode> = []
    var time: Microseconds = 0
    var scan: Int32 = 0
    frames = []
    for _ in 0..<Int.random(in: 1...16, using: &random) {
      var frame = Frame(time: time)
      for _ in 0..<(Int.random(in: 0..<6, using: &random) == 0 ? 3 : 1) {
        let key = random.pick(keys)
        var value: Int32 = held.contains(key) ? 0 : 1
        switch Int.random(in: 0..<24, using: &random) {
        case 0: value = 2
        case 1: value = 1 - value
        case 2: frame.append(.motion(scan))
        case 3..<10: frame.append(.scan(scan))
        default: break
        }
        frame.append(Event(type: EventType.key, code: key, value: value))
        if value == 1 { held.insert(key) }
        if value == 0 { held.remove(key) }
        scan += 1
      }
      frames.append(frame)
      time += random.pick(intervals)(&random)
    }
  }

  /// Intervals at the limits of the rules, short ones, long ones, and any.
  private static func intervals(
    for rules: Rules
  ) -> [(inout SeededRandom) -> Microseconds] {
    let times = rules.times
    let longest = max(times.max() ?? 0, 1)
    var exact: Set<Microseconds> = [0, 1]
    for time in times { exact.formUnion([time / 2, max(time - 1, 0), time, time + 1]) }
    let limits = exact.sorted()
    return [
      { $0.pick(limits) },
      { .random(in: 0...longest / 3, using: &$0) },
      { .random(in: 0...2 * longest, using: &$0) },
      { longest + 1 + .random(in: 0...3 * longest, using: &$0) },
    ]
  }
}

extension Stream: CustomStringConvertible {
  var description: String {
    frames.map { frame in
      "\(frame.time):" + frame.events.map { Self.text(of: $0) }.joined()
    }.joined(separator: " ")
  }

  private static func text(of event: Event) -> String {
    guard event.type == EventType.key else { return event.isScan ? " scan" : " motion" }
    return " " + KeyName.name(of: event.code) + ["-", "+", "="][Int(event.value)]
  }
}

extension Stream {
  /// The frames with other times.
  func withTimes(_ time: (Microseconds) -> Microseconds) -> Stream {
    Stream(
      frames: frames.map { frame in
        var frame = frame
        frame.time = time(frame.time)
        return frame
      })
  }

  /// What the device would have sent if only this key had been touched.
  func of(_ key: KeyCode) -> Stream {
    let frames = frames.map { frame in
      Frame(time: frame.time, frame.events.filter { $0.type == EventType.key && $0.code == key })
    }
    return Stream(frames: frames.filter { !$0.isEmpty })
  }

  /// The same edges so far apart that no rule has anything to say.
  func stretched(by interval: Microseconds) -> Stream {
    var time: Microseconds = 0
    var frames: [Frame] = []
    for frame in self.frames {
      for event in frame.events where event.type == EventType.key {
        time += interval
        frames.append(Frame(time: time, [event]))
      }
    }
    return Stream(frames: frames)
  }

  /// What the switches say: the edges that change something.
  var raw: [Edge] { scannedEdges.map(\.edge) }

  /// The edges that change something, and the scan codes that they came with.
  var scannedEdges: [(edge: Edge, scan: Int32?)] {
    var held: Set<KeyCode> = []
    var edges: [(edge: Edge, scan: Int32?)] = []
    for frame in frames {
      for (last, event) in zip([.report] + frame.events, frame.events)
      where event.type == EventType.key && event.value != 2 {
        let isDown = event.value != 0
        guard held.contains(event.code) != isDown else { continue }
        if isDown { held.insert(event.code) } else { held.remove(event.code) }
        let edge = Edge(event.code, down: isDown, at: frame.time)
        edges.append((edge, last.isScan ? last.value : nil))
      }
    }
    return edges
  }
}
