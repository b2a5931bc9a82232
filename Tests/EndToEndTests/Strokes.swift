import Configuration
import Debounce
import EventDevices
import StrokeFixtures
import TestMachine

/// What the packaged settings make of the frames, once all deadlines have run out.
func cleaned(_ frames: [Frame]) -> [Event] {
  var engine = Debouncer(Settings.packaged.rules)
  for frame in frames { engine.process(frame) }
  engine.advance(to: .max)
  return keyMoves(engine.output.frames)
}

extension [Edge] {
  /// The edges of one key's stroke of 100 ms.
  static func stroke(_ key: KeyCode) -> [Edge] {
    [Edge(key, down: true, at: 0), Edge(key, down: false, at: 100_000)]
  }

  /// The same edges on other keys; keys that are not named stay.
  func on(_ keys: [KeyCode: KeyCode]) -> [Edge] {
    map { Edge(keys[$0.key] ?? $0.key, down: $0.isDown, at: $0.time, joined: $0.isJoined) }
  }

  /// The edges as events, without their times.
  var moves: [Event] {
    map { .key($0.key, down: $0.isDown) }
  }
}

/// Something that makes strokes.
protocol Player {
  /// Makes the strokes, as well in time as the machine allows.
  func play(_ strokes: [Edge]) throws
}

extension UinputDevice: Player {
  func play(_ strokes: [Edge]) {
    let start = monotonicNow() + 2000
    for edge in strokes {
      sleep(until: start + edge.time)
      send(edge.key, down: edge.isDown)
    }
  }
}

/// QEMU's USB keyboard, played through the hypervisor.
struct UsbPlayer: Player {
  /// How far apart the keyboard sends changes that it is given together.
  static let poll: Microseconds = 8000

  let hypervisor: Hypervisor

  func play(_ strokes: [Edge]) throws {
    let start = monotonicNow()
    var rest = strokes[...]
    while let first = rest.first {
      var together = [first]
      rest.removeFirst()
      while let next = rest.first, let last = together.last, next.time - last.time <= Self.poll {
        together.append(next)
        rest.removeFirst()
      }
      sleep(until: start + first.time)
      try hypervisor.type(together.map { (Self.names[$0.key, default: ""], $0.isDown) })
    }
  }

  /// QEMU's names of the keys.
  static let names: [KeyCode: String] = {
    var names: [KeyCode: String] = [42: "shift", 28: "ret", 106: "right", mark: "f10"]
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
    try play(.stroke(mark))
    sleep(until: monotonicNow() + 100_000)
  }
}

/// The key that marks the end of what a test plays: F10.
let mark: KeyCode = 68
