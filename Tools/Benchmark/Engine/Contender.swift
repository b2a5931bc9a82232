import Debounce
import Recording

/// Something that takes frames and gives frames.
struct Contender {
  let name: String
  /// The rules; `nil` for the floor.
  let rules: Rules?
  /// Whether text is made of all that happens, as for those who watch a device.
  var isWatched = false

  static let all =
    [Contender(name: "nothing decided", rules: nil)]
    + StrategyKind.allCases.map {
      Contender(name: $0.rawValue, rules: Rules(strategy: $0.packaged))
    }
    + [
      Contender(name: "adaptive, 700 rules", rules: Rules(keys: manyRules)),
      Contender(name: "adaptive, watched", rules: Rules(), isWatched: true),
    ]

  /// A rule of its own for nearly every key there is.
  private static let manyRules: [KeyCode: Strategy] = {
    var rules: [KeyCode: Strategy] = [:]
    for code in 1...KeyCode(700) {
      rules[code] = .adaptive(Adaptive(threshold: 20_000 + Microseconds(code)))
    }
    return rules
  }()

  /// Processes so many frames, the same ones again and again at later times.
  ///
  /// - Returns: How many came out.
  func process(_ frames: [Frame], count: Int) -> Int {
    guard let rules else {
      var copies: ContiguousArray<Event> = []
      return Self.repeating(frames, count) { frame in
        copies.append(contentsOf: frame.events)
        defer { copies.removeAll(keepingCapacity: true) }
        return copies.isEmpty ? 0 : 1
      }
    }
    // Not an optional: the compiler copies parts of one at each use, and the engine would seem to cost that.
    var engine = Debouncer(rules)
    guard isWatched else {
      return Self.repeating(frames, count) { frame in
        engine.process(frame)
        defer { engine.output.removeAll() }
        return engine.output.count
      }
    }
    var text = RecordingText(eventsSince: 0)
    engine.reportsOutcomes = true
    return Self.repeating(frames, count) { frame in
      text.removeBytes()
      text.append(raw: frame)
      engine.process(frame)
      text.append(engine.outcomes)
      engine.outcomes.removeAll(keepingCapacity: true)
      engine.output.drain { text.append(clean: $0, at: $1) }
      return text.bytes.isEmpty ? 0 : 1
    }
  }

  /// Gives so many frames to `receive`, and adds up what it returns.
  @inline(__always)
  private static func repeating(
    _ frames: [Frame], _ count: Int, _ receive: (Frame) -> Int
  ) -> Int {
    var frame = Frame(capacity: 4)
    var came = 0
    var start: Microseconds = 0
    let period = (frames.last?.time ?? 0) + 60_000
    for index in 0..<count {
      let next = frames[index % frames.count]
      if index % frames.count == 0 { start += period }
      frame.removeAll()
      for event in next.events { frame.append(event) }
      frame.time = start + next.time
      came += receive(frame)
    }
    return came
  }
}

/// Frames as a keyboard sends them while somebody types well.
enum Typing {
  static func frames(_ count: Int) -> [Frame] {
    var frames: [Frame] = []
    var time: Microseconds = 0
    for index in 0..<count / 2 {
      let key = KeyCode(16 + index * 7 % 34)
      for down in [true, false] {
        time += 60_000
        frames.append(Frame(time: time, [.scan(Int32(key)), .key(key, down: down)]))
      }
    }
    return frames
  }
}
