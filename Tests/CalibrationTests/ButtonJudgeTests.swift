import Configuration
import Debounce
import EventDevices
import Randomness
import Testing

@testable import Calibration
@testable import DeviceFiles

/// How a button is used, and how its contact fails.
private struct ButtonUse: Sendable {
  /// One stroke of a finger or a foot: when its contact changes, first closed, then in turns. Milliseconds.
  typealias Stroke = [Double]

  let name: String
  /// The next stroke, from when it begins, and when the one after it begins.
  let stroke: @Sendable (inout SeededRandom, Double) -> (Stroke, next: Double)

  func strokes(seed: UInt64, count: Int = 400) -> [Stroke] {
    var random = SeededRandom(seed: seed, stream: 7)
    var time = 1000.0
    return (0..<count).map { _ in
      let (stroke, next) = self.stroke(&random, time)
      time = next
      return stroke
    }
  }
}

extension SeededRandom {
  fileprivate mutating func uniform(_ from: Double, _ to: Double) -> Double {
    from + Double(next() >> 11) * 0x1p-53 * (to - from)
  }

  fileprivate mutating func chance(_ probability: Double) -> Bool { uniform(0, 1) < probability }

  /// When a contact changes that closes, or opens, and is neither for `length`.
  fileprivate mutating func bounces(
    from start: Double, for length: Double, each interval: ClosedRange<Double>
  ) -> [Double] {
    var (edges, edge) = ([start], start)
    while true {
      let first = edge + uniform(interval.lowerBound, interval.upperBound)
      edge = first + uniform(interval.lowerBound, interval.upperBound)
      guard edge < start + length else { return edges }
      edges += [first, edge]
    }
  }
}

// MARK: - Mice

extension ButtonUse {
  /// Clicks of which half have a second one that nobody made: so long after the release, and held for so long.
  static func secondClicks(
    after gap: ClosedRange<Double>, held hold: ClosedRange<Double>
  ) -> ButtonUse {
    ButtonUse(name: "second clicks after \(gap) ms") { random, start in
      let release = start + random.uniform(50, 120)
      var stroke = [start, release]
      if random.chance(0.5) {
        let second = release + random.uniform(gap.lowerBound, gap.upperBound)
        stroke += [second, second + random.uniform(hold.lowerBound, hold.upperBound)]
      }
      return (stroke, release + random.uniform(300, 900))
    }
  }

  /// Clicks so many times a second, held for 35 to 60 % of the time, with a pause after each thirty.
  ///
  /// - Parameter worn: The share after which the contact closes once more, before the next click.
  static func clicks(_ rate: Double, worn: Double = 0) -> ButtonUse {
    ButtonUse(name: "clicks at \(Int(rate)) a second\(worn > 0 ? ", worn" : "")") { random, start in
      let release = start + 1000 / rate * random.uniform(0.35, 0.6)
      let next = max(start + 1000 / rate * random.uniform(0.93, 1.07), release + 12)
      var stroke = [start, release]
      let blip = random.uniform(2, 12)
      let latest = next - blip - 8
      if random.chance(worn), latest > release + 3 {
        let second = random.uniform(release + 3, latest)
        stroke += [second, second + blip]
      }
      return (stroke, next + (random.chance(1.0 / 30) ? random.uniform(500, 1000) : 0))
    }
  }

  /// Double clicks that are meant.
  static let doubleClicks = ButtonUse(name: "double clicks") { random, start in
    let release = start + random.uniform(40, 90)
    let gap = random.chance(0.5) ? random.uniform(60, 150) : random.uniform(400, 900)
    return ([start, release], release + gap)
  }

  /// Drags of half a second to three, during which the contact is lost now and then for 2 ms up to so many.
  static func drags(upTo gap: Double) -> ButtonUse {
    ButtonUse(name: "drags, drop-outs of up to \(Int(gap)) ms") { random, start in
      let release = start + random.uniform(500, 3000)
      var stroke = [start]
      var time = start + random.uniform(60, 400)
      while time < release - 80 {
        let lost = random.uniform(2, gap)
        stroke += [time, time + lost]
        time += lost + random.uniform(60, 500)
      }
      return (stroke + [release], release + random.uniform(300, 900))
    }
  }

  static let pressBounces = ButtonUse(name: "press bounces") { random, start in
    let closed = random.bounces(from: start, for: random.uniform(1, 15), each: 0.5...5)
    let release = start + random.uniform(60, 150)
    return (closed + [release], release + random.uniform(150, 900))
  }
}

// MARK: - Pedals, pins and pads

extension ButtonUse {
  /// Treads on a pedal, or presses of a button on a long wire, so many a second: the contact bounces for up to `length` when it
  /// closes, half as long when it opens, and is lost meanwhile for up to `lost`, if that is above 0.
  static func treads(
    _ rate: Double, bouncing length: Double, each longest: Double = 6, lost: Double = 0
  ) -> ButtonUse {
    ButtonUse(
      name:
        "\(rate) treads a second, \(Int(length)) ms of bounces of up to \(Int(longest)), lost for \(Int(lost))"
    ) { random, start in
      let period = 1000 / rate * random.uniform(0.85, 1.15)
      let release = start + period * random.uniform(0.35, 0.6)
      var stroke = random.bounces(
        from: start, for: random.uniform(length / 4, length), each: 0.5...longest)
      if lost > 0, var time = stroke.last.map({ $0 + random.uniform(60, 300) }) {
        while time < release - 60 {
          let gap = random.uniform(2, lost)
          stroke += [time, time + gap]
          time += gap + random.uniform(60, 400)
        }
      }
      if (stroke.last ?? 0) > release - 10 { stroke = [start] }
      stroke += random.bounces(
        from: release, for: random.uniform(0, length / 2), each: 0.5...longest)
      return (stroke, max(start + period, (stroke.last ?? 0) + 20))
    }
  }

  /// Taps of a pad's button, so many a second, of which a third bounces when it is pressed and a third when it is let go.
  static func taps(_ rate: Double, worn: Double = 0.3) -> ButtonUse {
    ButtonUse(name: "taps at \(Int(rate)) a second\(worn > 0 ? ", worn" : "")") { random, start in
      let release = start + 1000 / rate * random.uniform(0.35, 0.6)
      var stroke = [start]
      if random.chance(worn) {
        let bounces = random.bounces(from: start, for: random.uniform(2, 10), each: 0.5...4)
        if (bounces.last ?? 0) < release - 3 { stroke = bounces }
      }
      stroke.append(release)
      if random.chance(worn) {
        let second = release + random.uniform(1, 6)
        stroke += [second, second + random.uniform(1, 6)]
      }
      return (stroke, max(start + 1000 / rate * random.uniform(0.93, 1.07), release + 16))
    }
  }
}

// MARK: - The judge

/// What becomes of a button's strokes, in percent of them.
private struct Verdict: CustomStringConvertible {
  /// Presses that no finger made and that came through.
  var through = 0.0
  var lost = 0.0
  /// How late the latest press is, after it was first seen, in milliseconds.
  var latestPress = 0.0

  var description: String {
    func rounded(_ number: Double) -> Double { (number * 10).rounded() / 10 }
    return "\(rounded(through)) % through, \(rounded(lost)) % lost, \(rounded(latestPress)) ms late"
  }

  init(_ strategy: Strategy, _ use: ButtonUse, poll: Microseconds, seeds: Range<UInt64> = 0..<4) {
    var strokes = 0
    for seed in seeds {
      let sent = use.strokes(seed: seed)
      strokes += sent.count
      // What is asked every so often sees what is so then.
      var states: [Microseconds: (down: Bool, stroke: Int)] = [:]
      var seen: [Int: Microseconds] = [:]
      for (index, stroke) in sent.enumerated() {
        for (place, time) in stroke.enumerated() {
          let asked = (Microseconds((time * 1000).rounded()) + poll - 1) / poll * poll
          states[asked] = (place.isMultiple(of: 2), index)
        }
      }
      var engine = Debouncer(Rules(strategy: strategy))
      var presses: [Microseconds] = []
      func collect() {
        presses += engine.output.frames.filter { $0.events.contains { $0.value == 1 } }.map(\.time)
        engine.output.removeAll()
      }
      for (time, state) in states.sorted(by: { $0.key < $1.key }) {
        if state.down, seen[state.stroke] == nil { seen[state.stroke] = time }
        engine.process(Frame(time: time, [.key(0x110, down: state.down)]))
        collect()
      }
      engine.advance(to: .max)
      collect()
      let starts = sent.map { Microseconds(($0[0] * 1000).rounded()) }
      var counts = [Int](repeating: 0, count: sent.count)
      var next = 0
      for press in presses {
        while next + 1 < starts.count, starts[next + 1] <= press { next += 1 }
        if counts[next] == 0, let first = seen[next] {
          latestPress = max(latestPress, Double(press - first) / 1000)
        }
        counts[next] += 1
      }
      lost += Double(counts.count { $0 == 0 })
      through += Double(counts.reduce(0) { $0 + max(0, $1 - 1) })
    }
    lost *= 100 / Double(strokes)
    through *= 100 / Double(strokes)
  }
}

/// The lines that `take` writes, held against what others would do with the same buttons.
@Suite("The lines that take writes")
struct ButtonJudgeTests {
  /// The strategy that `take` writes for the buttons of a device of that kind. `calibrate` tries it, too.
  private func line(ofKind kind: String, _ key: KeyCode) throws -> Strategy {
    let device = DeviceDescription(
      DeviceIdentity(name: "Box", bus: 3, vendor: 1, product: 2, version: 1, phys: "usb/input0"),
      links: [], properties: ["ID_INPUT_\(kind)": "1"], keys: KeySet([key]))
    let setting = try #require(DeviceButtons(of: device)?.words?.setting)
    return try #require(Candidate.all(beside: .none).first { $0.text == setting }).strategy
  }

  private static let earlier = Strategy.eagerDefer(EagerDefer(threshold: 20_000))

  @Test("let no second click of a mouse through, and lose none that is meant", arguments: [1, 8])
  func mice(poll: Microseconds) throws {
    let line = try line(ofKind: "MOUSE", 0x110)
    func verdict(_ use: ButtonUse, _ strategy: Strategy? = nil) -> Verdict {
      Verdict(strategy ?? line, use, poll: poll * 1000)
    }
    // Those that the poll makes as long as a finger's are let through.
    let clicks = ButtonUse.secondClicks(after: 5...80, held: 2...24.9)
    let second = verdict(clicks)
    #expect(second.through < (poll == 1 ? 1 : 4) && second.lost == 0, "\(second)")
    #expect(verdict(clicks, Self.earlier).through > 30)
    // The button has not been let go yet, however long they are. Of a finger that clicks faster than usual it is a bit sooner.
    if poll == 1 {
      let late = ButtonUse.secondClicks(after: 20...24.9, held: 2...40)
      #expect(verdict(late).through < 0.5)
      let shorter = Adaptive(threshold: 20_000, suspect: 80_000, isNamed: true)
      #expect(verdict(late, .adaptive(shorter)).through > 10)
    }
    // A longer lock-out cures those, too, and takes every fast click.
    #expect(verdict(.clicks(12), .eagerDefer(EagerDefer(threshold: 80_000))).lost > 90)
    #expect(verdict(.clicks(12), .bounceKeys(BounceKeys(delay: 80_000))).lost > 90)
    for rate in [6, 8, 10, 12] as [Double] {
      let healthy = verdict(.clicks(rate))
      // At 12 a second, polled every 8 ms, a click of 29 ms may be seen as one of 24.
      #expect(
        healthy.through == 0 && healthy.lost <= (rate == 12 && poll == 8 ? 2.5 : 0), "\(healthy)")
      #expect(healthy.latestPress <= 25)
      let (worn, before) = (
        verdict(.clicks(rate, worn: 0.3)), verdict(.clicks(rate, worn: 0.3), Self.earlier)
      )
      #expect(
        worn.through + worn.lost < before.through + before.lost,
        "\(rate): \(worn); before \(before)")
    }
    let doubles = verdict(.doubleClicks)
    #expect(doubles.through == 0 && doubles.lost == 0, "\(doubles)")
    // A drop-out that lasts longer than the release waits is none that it could know.
    for gap in [18, 30] as [Double] {
      let (drags, before) = (verdict(.drags(upTo: gap)), verdict(.drags(upTo: gap), Self.earlier))
      #expect(
        drags.through <= before.through && drags.lost == 0, "\(gap): \(drags); before \(before)")
      if poll == 1, gap == 18 { #expect(drags.through == 0) }
    }
    let bounces = verdict(.pressBounces)
    #expect(bounces.through == 0 && bounces.lost == 0, "\(bounces)")
  }

  @Test("make one press of each tread, however long it bounces", arguments: [1, 8])
  func pedals(poll: Microseconds) throws {
    // A pedal, and a button on a pin with a key's code.
    for key: KeyCode in [0x100, 0xa4] {
      let line = try line(ofKind: "KEY", key)
      let uses: [ButtonUse] = [
        .treads(1, bouncing: 5), .treads(1, bouncing: 20), .treads(1, bouncing: 40),
        .treads(1, bouncing: 40, each: 12), .treads(1, bouncing: 40, each: 20),
        .treads(0.5, bouncing: 20, lost: 20), .treads(0.5, bouncing: 20, lost: 30),
        .treads(3, bouncing: 40), .treads(3, bouncing: 40, each: 12), .treads(5, bouncing: 20),
      ]
      for use in uses {
        let verdict = Verdict(line, use, poll: poll * 1000)
        #expect(verdict.through == 0 && verdict.lost == 0, "\(use.name): \(verdict)")
        #expect(verdict.latestPress == 0, "\(use.name): \(verdict)")
      }
    }
    // A shorter one does not.
    #expect(
      Verdict(Self.earlier, .treads(0.5, bouncing: 20, lost: 30), poll: poll * 1000).through > 50)
  }

  @Test("delay no press of a pad, and lose no fast tap", arguments: [1, 8])
  func pads(poll: Microseconds) throws {
    let line = try line(ofKind: "JOYSTICK", 0x130)
    for rate in [6, 10, 16] as [Double] {
      let healthy = Verdict(line, .taps(rate, worn: 0), poll: poll * 1000)
      #expect(healthy.through == 0 && healthy.lost == 0, "\(rate): \(healthy)")
      #expect(healthy.latestPress == 0)
      let worn = Verdict(line, .taps(rate), poll: poll * 1000)
      #expect(worn.through == 0 && worn.lost <= (rate == 16 ? 2 : 0), "\(rate): \(worn)")
    }
    // What waits longer loses more of those, and so does what learns.
    let uses = ButtonUse.taps(16)
    let lost = Verdict(line, uses, poll: poll * 1000).lost
    for other in [
      Self.earlier, .adaptive(Adaptive()),
      .adaptive(Adaptive(threshold: 25_000, suspect: 80_000, isNamed: true)),
    ] {
      #expect(Verdict(other, uses, poll: poll * 1000).lost > lost)
    }
  }
}
