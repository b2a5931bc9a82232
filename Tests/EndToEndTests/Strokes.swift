import Configuration
import Debounce
import EventDevices
import TestMachine

/// Strokes that a test lets a device make, in the words of the fixtures: `A+0 A-8` is A down at 0 and up at
/// 8 ms.
struct Strokes {
  /// One edge of a key.
  struct Edge: Equatable {
    let key: KeyCode
    let down: Bool
    let time: Microseconds
  }

  let edges: [Edge]

  /// - Parameter keys: Which key each name means.
  init(_ text: String, keys: [String: KeyCode]) {
    edges = text.split(whereSeparator: \.isWhitespace).map { word in
      guard let sign = word.lastIndex(where: { $0 == "+" || $0 == "-" }),
        let key = keys[String(word[..<sign])],
        let time = Double(word[word.index(after: sign)...])
      else { preconditionFailure("“\(word)” is no edge such as A+0") }
      return Edge(key: key, down: word[sign] == "+", time: Microseconds(time * 1000))
    }
  }

  /// The edges as events, without their times.
  var moves: [Event] {
    edges.map { .key($0.key, down: $0.down) }
  }

  /// The edges as frames, as a device sends them that is just in time.
  var frames: [Frame] {
    edges.map { Frame(time: $0.time, [.key($0.key, down: $0.down)]) }
  }
}

/// What the packaged settings make of the frames, once all deadlines have run out.
func cleaned(_ frames: [Frame]) -> [Event] {
  var engine = Debouncer(Settings.packaged.rules)
  var output = FrameQueue()
  for frame in frames { engine.process(frame, into: &output) }
  engine.advance(to: .max, into: &output)
  return keyMoves((0..<output.count).map { output[$0] })
}

/// Something that makes strokes.
protocol Player {
  /// Makes the strokes, as well in time as the machine allows.
  func play(_ strokes: Strokes) throws
}

extension UinputDevice: Player {
  func play(_ strokes: Strokes) {
    let start = monotonicNow() + 2000
    for edge in strokes.edges {
      sleep(until: start + edge.time)
      send(edge.key, down: edge.down)
    }
  }
}

/// QEMU's USB keyboard, played through the hypervisor.
struct UsbPlayer: Player {
  /// How far apart the keyboard sends changes that it is given together.
  static let poll: Microseconds = 10_000

  let hypervisor: Hypervisor

  func play(_ strokes: Strokes) throws {
    let start = monotonicNow()
    var rest = strokes.edges[...]
    while let first = rest.first {
      var together = [first]
      rest.removeFirst()
      while let next = rest.first, let last = together.last, next.time - last.time <= Self.poll {
        together.append(next)
        rest.removeFirst()
      }
      sleep(until: start + first.time)
      try hypervisor.type(together.map { (Self.names[$0.key, default: ""], $0.down) })
    }
  }

  /// QEMU's names of the keys.
  static let names: [KeyCode: String] = {
    var names: [KeyCode: String] = [42: "shift", 28: "ret", 58: "caps_lock", 68: "f10"]
    for (first, row) in [(16, "qwertyui"), (30, "asdfghjk"), (44, "zxcvbnm")] {
      for (index, name) in row.enumerated() { names[KeyCode(first + index)] = String(name) }
    }
    return names
  }()
}

extension Player {
  /// Makes a stroke that is surely passed on, after everything before it has been decided.
  func playMark() throws {
    sleep(until: monotonicNow() + 150_000)
    try play(Strokes("MARK+0 MARK-100", keys: ["MARK": mark]))
    sleep(until: monotonicNow() + 100_000)
  }
}

/// The key that marks the end of what a test plays: F10.
let mark: KeyCode = 68
