import CEvdev
import EventDevices
import Glibc
import TestMachine

/// Something that devices do.
enum Load: String, CaseIterable {
  case typist
  case rest
  case rollover
  case chatter
  case mouse
  case crowd
  case flood

  var title: String {
    switch self {
    case .typist: "a typist"
    case .rest: "a key after 2 s of rest"
    case .rollover: "rollover"
    case .chatter: "a chattering key"
    case .mouse: "an 8 kHz mouse"
    case .crowd: "a typist, 64 devices"
    case .flood: "16 frames at once"
    }
  }

  /// The devices for it; the first is played.
  func makeDevices() throws -> [SourceDevice] {
    switch self {
    case .typist, .rest, .rollover, .chatter:
      [try SourceDevice(.keyboard, name: "benchmark keyboard")]
    case .mouse, .flood: [try SourceDevice(.mouse, name: "benchmark mouse")]
    case .crowd:
      try (0..<64).map { try SourceDevice(.keyboard, name: "benchmark keyboard \($0)") }
    }
  }

  /// Plays it once.
  ///
  /// - Parameter size: How much of it, from 1 on.
  func play(on device: SourceDevice, into sink: Sink, size: Int) throws -> Play {
    switch self {
    case .typist, .crowd: try Strokes.typist(60 * size).play(on: device, into: sink)
    case .rest: try Strokes.rest(8 * size).play(on: device, into: sink)
    case .rollover: try Strokes.rollover(60 * size).play(on: device, into: sink)
    case .chatter: try Strokes.chatter(40 * size).play(on: device, into: sink)
    case .mouse: try Motion(count: 8000 * size, interval: 125).play(on: device, into: sink)
    case .flood: try Motion(count: 50_000 * size, interval: 0).play(on: device, into: sink)
    }
  }
}

/// What came of a load.
struct Play {
  /// How many frames went in.
  var frames = 0
  /// How long frames took from the call of `write` to the application's having read them, in microseconds.
  var latencies: [Int64] = []
}

/// Edges of keys, a frame each.
struct Strokes {
  private struct Edge {
    var pause: Int64
    var key: CInt
    var down: Bool
    /// Whether it is measured: whoever forwards it must do so at once, whatever it makes of it.
    var isTimed: Bool
  }

  private var edges: [Edge] = []

  private mutating func add(_ pause: Int64, _ key: CInt, _ down: Bool, isTimed: Bool = true) {
    edges.append(Edge(pause: pause * 1000, key: key, down: down, isTimed: isTimed))
  }

  private static let keys = Array(KEY_Q...KEY_P) + Array(KEY_A...KEY_L)

  /// One key after the other, as people type.
  static func typist(_ count: Int) -> Strokes {
    var strokes = Strokes()
    for index in 0..<count {
      let key = keys[index * 7 % keys.count]
      strokes.add(45, key, true)
      strokes.add(75, key, false)
    }
    return strokes
  }

  /// Presses after which nothing happens for so long that the program may have turned to something else.
  static func rest(_ count: Int) -> Strokes {
    var strokes = Strokes()
    for index in 0..<count {
      let key = keys[index * 7 % keys.count]
      strokes.add(2000, key, true)
      strokes.add(75, key, false, isTimed: false)
    }
    return strokes
  }

  /// The next key goes down before the last is up.
  static func rollover(_ count: Int) -> Strokes {
    var strokes = Strokes()
    strokes.add(40, keys[0], true)
    for index in 1...count {
      strokes.add(40, keys[index * 7 % keys.count], true)
      strokes.add(40, keys[(index - 1) * 7 % keys.count], false)
    }
    strokes.add(40, keys[count * 7 % keys.count], false)
    return strokes
  }

  /// Each contact bounces.
  static func chatter(_ count: Int) -> Strokes {
    var strokes = Strokes()
    for index in 0..<count {
      let key = keys[index * 7 % keys.count]
      strokes.add(100, key, true)
      strokes.add(3, key, false, isTimed: false)
      strokes.add(3, key, true, isTimed: false)
      strokes.add(80, key, false, isTimed: false)
      strokes.add(3, key, true, isTimed: false)
      strokes.add(3, key, false, isTimed: false)
    }
    return strokes
  }

  func play(on device: SourceDevice, into sink: Sink) throws -> Play {
    var play = Play()
    var time = monotonicNow()
    for edge in edges {
      time = max(time + edge.pause, monotonicNow())
      sleep(until: time)
      if edge.isTimed { _ = sink.drain { _ in } }
      let sent = monotonicNow()
      device.add((EV_MSC, MSC_SCAN, edge.key), (EV_KEY, edge.key, edge.down ? 1 : 0))
      device.send()
      play.frames += 1
      guard edge.isTimed else { continue }
      guard let came = sink.waitForFrame(limit: 5_000_000) else {
        throw WaitedInVain(description: "an edge did not come through")
      }
      play.latencies.append(came - sent)
    }
    return play
  }
}

/// Motion of a mouse, a frame every `interval` microseconds; if that is 0, as many at once as there may be, as when nobody had
/// the time to read them.
struct Motion {
  /// How many frames may be on their way: the kernel's buffers must hold them.
  private static let window = 16

  let count: Int
  let interval: Int64

  func play(on device: SourceDevice, into sink: Sink) throws -> Play {
    var play = Play()
    var sent = [Int64](repeating: 0, count: count)
    var came = 0
    var time = monotonicNow()
    func read() throws {
      var isWrong = false
      let hasLost = sink.drain { value in
        isWrong = isWrong || came >= count || value != CInt(came % 1000 + 1)
        if came < count, interval > 0 { play.latencies.append(monotonicNow() - sent[came]) }
        came += 1
      }
      guard !hasLost, !isWrong else {
        throw WaitedInVain(description: "frames were lost or changed after \(came)")
      }
    }
    play.latencies.reserveCapacity(count)
    for index in 0..<count {
      time += interval
      repeat {
        let isFull = index - came >= Self.window
        let hasCome = sink.waitForFrame(until: isFull ? monotonicNow() + patience : time)
        guard hasCome || !isFull else {
          throw WaitedInVain(description: "frames do not come out after \(came)")
        }
        try read()
      } while index - came >= Self.window || monotonicNow() < time
      // Whoever is late does not make up for it: a mouse does not either.
      time = max(time, monotonicNow() - interval)
      sent[index] = monotonicNow()
      device.add((EV_REL, REL_X, CInt(index % 1000 + 1)), (EV_REL, REL_Y, 1))
      if interval > 0 {
        device.send()
      } else if index % Self.window == Self.window - 1 || index == count - 1 {
        device.sendAtOnce()
      }
      play.frames += 1
    }
    let end = monotonicNow() + patience
    while came < count, monotonicNow() < end {
      sink.waitForFrame(until: end)
      try read()
    }
    guard came == count else { throw WaitedInVain(description: "\(count - came) frames were lost") }
    return play
  }
}
