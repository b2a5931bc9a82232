import CEvdev
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
  /// The edges of a key that goes down, up, down and so on at these times, in milliseconds.
  static func edges(of key: KeyCode, at times: Microseconds...) -> [Edge] {
    times.enumerated().map { Edge(key, down: $0 % 2 == 0, at: $1 * 1000) }
  }

  /// The edges of one key's stroke of 100 ms.
  static func stroke(_ key: KeyCode) -> [Edge] { edges(of: key, at: 0, 100) }

  /// A stroke that begins with a bounce.
  static func bouncing(_ key: KeyCode) -> [Edge] { edges(of: key, at: 0, 8, 16, 150) }

  /// The same edges, and then nothing until this time in milliseconds: what goes up is up already.
  func pausing(until end: Microseconds) -> [Edge] {
    self + (last.map { [Edge($0.key, down: false, at: end * 1000)] } ?? [])
  }

  /// The same edges, so many milliseconds later.
  func later(by delay: Microseconds) -> [Edge] {
    map { Edge($0.key, down: $0.isDown, at: $0.time + delay * 1000, joined: $0.isJoined) }
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

extension [Event] {
  /// How a key moves in a stroke.
  static func stroke(_ key: KeyCode) -> [Event] { [Edge].stroke(key).moves }
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

/// The keys that stop the daemon when they are held together, if nobody has chosen others.
let usualChord = [KEY_BACKSPACE, KEY_ESC, KEY_ENTER].map { KeyCode($0) }

/// The key that marks the end of what a test plays: F10.
let mark: KeyCode = 68
