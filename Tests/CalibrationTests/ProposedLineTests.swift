import Debounce
import Randomness
import Testing

@testable import Calibration
@testable import DeviceFiles
@testable import score_calibration

@Suite("What calibrate finds, by playing what was measured")
struct ProposedLineTests {
  @Test("a play counts what comes through, what is lost and what is late")
  func play() {
    var streams = Streams()
    streams.add(key, 50, 10, 40, rest: 20)
    streams.add(key, 80)
    let times = streams.tape.edges.map(\.time)
    func stroke(_ contacts: [Int]) -> MeasuredStroke {
      MeasuredStroke(
        key: key, contacts: contacts.map { .init(press: times[$0], release: times[$0 + 1]) },
        exercise: .typing)
    }
    let labels = Labels([stroke([0, 2]), stroke([4])])
    let none = Play(Rules(strategy: .none), on: streams.tape, labels).fates
    #expect(none.map(\.presses) == [2, 1])
    #expect(none.map(\.releaseDelay) == [0, 0])
    let wide = Play(
      Rules(strategy: .eagerDefer(EagerDefer(threshold: 30_000))), on: streams.tape, labels
    ).fates
    // What was withdrawn is lost; the release belongs to the last press that was made.
    #expect(wide.map(\.presses) == [1, 0])
    #expect(wide[1].releaseDelay == 30_000)
  }

  /// A key that types as usual, and in every third stroke shows a fault.
  private func worn(_ strokes: Int, _ times: [Double]) -> Streams {
    var streams = Streams()
    for index in 0..<strokes {
      streams.add(other, 90, rest: 120)
      streams.add(key, index % 3 == 0 ? times : [85], during: .taps(key))
    }
    return streams
  }

  private func finding(_ tape: Tape, _ inForce: InForce = InForce()) throws -> KeyFinding {
    try #require(Findings(of: tape, inForce: inForce).keys.first { $0.key == key })
  }

  @Test(
    "a line is found where the settings in force let faults through, and is better on what it was not chosen by"
  )
  func line() throws {
    let tape = worn(90, [80, 62, 8]).tape
    let without = try finding(tape, InForce(Rules(strategy: .none)))
    let line = try #require(without.line)
    #expect(line.before.faults == 30)
    #expect(line.after.faults == 0)
    #expect(line.confidence > 0.99)
    #expect(line.candidate.text?.contains("strategy = ") == true)
    // The line stands in the file, and with it in force there is nothing more to set.
    let settled = InForce(Rules(strategy: .none, keys: [key: line.candidate.strategy]))
    #expect(try finding(tape, settled).advice == .nothing)
  }

  @Test("late blips that the default lets through are cured, and no release is late for that")
  func lateBlips() throws {
    let line = try #require(try finding(worn(90, [80, 62, 20]).tape).line)
    #expect(line.candidate.text == "{ threshold = 25, dropout = 0, suspect = 80 }")
    #expect(line.after.faults == 0 && line.releaseDelay < 1)
  }

  @Test("a contact that crackles is cured by prompt if doubles forbid a wider threshold")
  func crackling() throws {
    let kind = try #require(KeyboardClass.all.first { $0.name == "crackling contacts, heavy" })
    // A keyboard whose link polls every 8 ms: the gaps that it shows are longer.
    var keyboard = SimulatedKeyboard(kind, 1, seed: 1)
    let worn = try #require(keyboard.worn.min())
    var tape = Tape()
    for _ in 0..<300 {
      for request in [Exercise.taps(worn), .doubles(57)] {
        for edge in keyboard.answer(to: request).edges {
          tape.receive(edge.key, isDown: edge.isDown, at: edge.time, during: edge.exercise)
        }
      }
    }
    let line = try #require(Findings(of: tape).keys.first { $0.key == worn }?.line)
    #expect(line.candidate.text?.contains("prompt") == true)
    #expect(2 * line.after.faults < line.before.faults && line.lostPresses.faults == 0)
  }

  @Test("a setting that takes more than one press in a thousand is not proposed")
  func takes() throws {
    func line(doubleGap: Double) throws -> KeyLine? {
      var streams = Streams()
      for index in 0..<60 {
        streams.add(key, index % 3 == 0 ? [60, 38, 60] : [85], during: .taps(key))
        streams.add(other, 60, doubleGap, 60, during: .doubles(other))
      }
      return try finding(streams.tape).line
    }
    #expect(try line(doubleGap: 90) != nil)
    #expect(try line(doubleGap: 39) == nil)
  }

  @Test("few faults prove no line, and those of several keys do")
  func pooled() {
    var streams = Streams()
    streams.addTaps(60, of: Array(18...22), faultEvery: 19) { _ in [8, 6, 80] }
    let findings = Findings(of: streams.tape, inForce: InForce(Rules(strategy: .none)))
    #expect(findings.keys.count(where: \.isWorn) == 5)
    for finding in findings.keys {
      #expect(finding.comesThrough == FaultRate(faults: 4, strokes: 4))
      #expect(finding.line?.isPooled == true)
    }
    // A key of which nothing comes through gets none with them.
    var rules = Rules(strategy: .none)
    rules.keys[key] = .eagerDefer(EagerDefer(threshold: 10_000))
    for finding in Findings(of: streams.tape, inForce: InForce(rules)).keys {
      #expect(finding.isWorn && (finding.line == nil) == (finding.key == key))
      if finding.key == key { #expect(finding.advice == .nothing) }
    }
    var one = Streams()
    one.addTaps(60, of: [key], faultEvery: 19) { _ in [8, 6, 80] }
    let alone = Findings(of: one.tape, inForce: InForce(Rules(strategy: .none)))
    #expect(alone.keys[0].advice == .undecided(strokes: 60))
    #expect(
      alone.keys[0].adviceInWords(settings: "the present setting").contains(
        "lets 4 of 4 faults of KEY_E through. Another setting looks better"))
  }

  @Test("a key of which no fault has come through yet gets the line that the others prove")
  func pooledWithout() throws {
    var streams = Streams()
    streams.addTaps(80, of: Array(18...22), faultEvery: 19) { [45, $0 == key ? 6 : 24, 45] }
    let rules = Rules(strategy: .eagerDefer(EagerDefer(threshold: 15_000)))
    let finding = try finding(streams.tape, InForce(rules))
    #expect(finding.isWorn && finding.comesThrough == FaultRate(faults: 0, strokes: 5))
    let line = try #require(finding.line)
    #expect(line.before.faults == 20 && line.after.faults == 0)
    #expect(
      finding.adviceInWords(settings: "the default").hasPrefix(
        "Now 20 of 25 faults of all worn keys together come through. With “KEY_E = "))
  }

  @Test(
    "what is said of a line is what it does, and not what another one did that was chosen without some strokes"
  )
  func otherLines() throws {
    var streams = Streams()
    for index in 0..<100 {
      // The tenth part alone has drop-outs that need a wider threshold.
      switch index % 10 {
      case 3 where index < 50: streams.add(key, 70, 34, 85, during: .taps(key))
      case 4, 5: streams.add(key, 45, 6, 80, during: .taps(key))
      default: streams.add(key, 85, during: .taps(key))
      }
    }
    let finding = try finding(streams.tape, InForce(Rules(strategy: .none)))
    let line = try #require(finding.line)
    #expect(finding.comesThrough == FaultRate(faults: 25, strokes: 25))
    #expect(line.before == FaultRate(faults: 20, strokes: 20))
    #expect(line.after == FaultRate(faults: 0, strokes: 20))
  }

  @Test("what was learned from a fault does not make up for that fault")
  func learning() throws {
    var streams = Streams()
    func add() {
      for _ in 0..<50 { streams.add(key, 85) }
      streams.add(key, 40, 10, 60)
      for _ in 0..<50 { streams.add(key, 85) }
    }
    func presses(_ play: (Rules, Tape, Labels) -> Play) -> [Int] {
      let labels = streams.labels
      let fates = play(Rules(), streams.tape, labels).fates
      return labels.strokes.indices.filter { labels.strokes[$0].isFaulty }.map {
        fates[$0].presses
      }
    }
    add()
    #expect(presses { Play($0, on: $1, $2) } == [2])
    add()
    #expect(presses { Play(inOrder: $0, on: $1, $2) } == [2, 1])
  }

  @Test(
    "gaps that fingers hardly make are the switch's if there are many, and not where a finger is quick"
  )
  func doubts() throws {
    var streams = Streams()
    for index in 0..<200 {
      streams.add(other, 90, rest: 160)
      streams.add(key, index % 10 == 0 ? [60, 22, 60] : [85], rest: 160)
    }
    let worn = try finding(streams.tape)
    #expect(worn.isWorn)
    #expect(worn.faults == [.dropOut: 20])
    var quick = Streams()
    for index in 0..<60 {
      quick.add(other, 90, rest: 160)
      for tap in 0..<4 { quick.add(key, 70, rest: (index + tap) % 10 == 0 ? 36 : 62) }
      quick.add(key, 70, rest: 160)
    }
    #expect(try !finding(quick.tape).isWorn)
  }

  @Test(
    "who types a key twice mostly makes a hasty double now and then",
    arguments: [(160, true, false), (60, false, true)])
  func hasty(oneIn: Int, isTypedTwice: Bool, isWorn: Bool) throws {
    var random = SeededRandom.shown("hasty doubles")
    var streams = Streams()
    func time(_ usual: Double) -> Double { usual * Double.random(in: 0.8...1.25, using: &random) }
    for index in 0..<2000 {
      if index % oneIn == 0 {
        streams.add(key, time(80), 12, time(80), rest: time(400))
      } else if isTypedTwice {
        streams.add(key, time(80), time(90), time(80), rest: time(400))
      } else {
        for _ in 0..<2 { streams.add(key, time(80), rest: time(400)) }
      }
    }
    let finding = try #require(Findings(streams.labels).keys.first)
    #expect(finding.isWorn == isWorn)
  }

  @Test("a line that takes taps in haste is none, though it would remove drop-outs")
  func haste() throws {
    var random = SeededRandom.shown("a line against haste")
    var streams = Streams()
    for index in 0..<300 {
      streams.add(other, 90, rest: 160)
      if index % 5 == 0 {
        streams.add(key, 55, Double.random(in: 18...34, using: &random), 45, rest: 160)
      } else {
        streams.add(key, Double.random(in: 75...95, using: &random), rest: 160)
      }
    }
    let calm = try finding(streams.tape)
    #expect(calm.isWorn)
    #expect(calm.line != nil)
    for _ in 0..<15 { streams.addTaps(key, 20, perSecond: 12, held: 0.6, &random) }
    #expect(try finding(streams.tape).line == nil)
  }

  @Test("one stroke that a finger hardly ever makes is enough for a closer look, and no verdict")
  func closerLook() throws {
    var streams = Streams()
    for index in 0..<30 {
      streams.add(other, 90, rest: 160)
      if index == 20 { streams.add(key, 60, 22, 60) } else { streams.add(key, 85) }
    }
    #expect(Findings.suspects(of: streams.labels) == [key])
    #expect(try finding(streams.tape).verdict != .worn)
  }

  @Test("a key that is quick and shows no fault is not worn")
  func quick() throws {
    var streams = Streams()
    for index in 0..<60 {
      streams.add(key, 60, 22, 60)
      for _ in 0...(index % 4 == 0 ? 1 : 0) { streams.add(key, 70, 60, 70) }
    }
    #expect(try finding(streams.tape).verdict != .worn)
  }

  @Test("a line of an earlier calibrate that does harm is to be deleted")
  func harm() throws {
    var streams = Streams()
    // A healthy key that is tapped twice, quickly, and bounces now and then.
    for index in 0..<60 {
      if index % 6 == 0 {
        streams.add(key, 8, 6, 80)
      } else {
        streams.add(key, 50, 60, 50, during: .doubles(key))
      }
    }
    var inForce = InForce(
      Rules(keys: [key: .eagerDefer(EagerDefer(threshold: 100_000))]))
    inForce.withoutLines = Rules()
    let finding = try finding(streams.tape, inForce)
    let line = try #require(finding.line)
    #expect(line.candidate.text == nil)
    #expect(finding.lineInTable == "delete it")
    let file = CalibratedText(
      CalibrationResult(device: CalibrationSamples.device, method: .guided, keys: [finding]),
      present: "\(DeviceFilePurpose.calibrate.mark)\n[keys]\nKEY_E = 100\nKEY_A = 30\n")
    #expect(!file.text.contains("KEY_E ="))
    #expect(file.text.contains("KEY_A = 30"))
  }

  @Test("keys of the person's own files are judged, and not set")
  func own() throws {
    var inForce = InForce(Rules(strategy: .none))
    inForce.own = [key]
    let finding = try finding(worn(60, [8, 6, 80]).tape, inForce)
    #expect(finding.isWorn)
    #expect(finding.advice == .own)
    #expect(
      finding.adviceInWords(settings: "none").hasSuffix(
        "faults come through. To have a better line looked for, delete it there, reload, and calibrate again."
      ))
  }

  @Test("a key of which nearly every stroke comes twice is not called healthy")
  func twice() throws {
    var streams = Streams()
    for _ in 0..<30 {
      streams.add(key, 80, 70, 60)
      streams.add(other, 80)
    }
    let finding = try finding(streams.tape)
    #expect(finding.verdict == .twice)
    #expect(Findings.suspects(of: streams.labels).first == key)
  }

  @Test("a knob on an arrow key is a machine, and never worn")
  func knob() throws {
    var streams = Streams()
    for _ in 0..<20 {
      for _ in 0..<20 { streams.add(key, 8, rest: 42) }
      streams.add(other, 90, rest: 700)
    }
    let finding = try finding(streams.tape)
    #expect(finding.verdict == .driven)
    #expect(finding.advice == .nothing)
  }

  @Test("more strokes are asked for where they tell, and only there")
  func undecided() throws {
    var streams = Streams()
    for _ in 0..<40 { streams.add(key, 80) }
    #expect(try finding(streams.tape).verdict == .undecided(strokes: 59))
    for _ in 0..<59 { streams.add(key, 80) }
    guard case .healthy = try finding(streams.tape).verdict else {
      Issue.record("not healthy after 99 strokes without a fault")
      return
    }
  }

  @Test("a finger that taps briefly makes some contacts that look like blips", arguments: [1, 3])
  func brief(_ holds: Double) throws {
    var random = SeededRandom.shown("brief taps")
    var streams = Streams()
    func time(_ usual: Double) -> Double { usual * Double.random(in: 0.7...1.4, using: &random) }
    for index in 0..<1500 {
      streams.add(other, time(80), rest: time(500))
      // In twos and threes, with holds of 8 ms now and then.
      for _ in 0...index % 3 {
        let hold = index % 40 == 0 ? 8 : time(38) * holds
        streams.add(key, hold, rest: time(90))
      }
      streams.add(other, time(80), rest: time(500))
    }
    #expect(try finding(streams.tape).isWorn == (holds > 1))
  }
}
