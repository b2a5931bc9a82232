import Debounce
import Glibc
import Randomness
import Testing
import TypingModel

@testable import Calibration

@Suite("Which contacts are whose")
struct LabelsTests {
  private func strokes(_ streams: Streams) -> [MeasuredStroke] {
    streams.labels.strokes.filter { $0.key == key }
  }

  @Test("ten taps are ten strokes, whatever the switch makes of them")
  func taps() {
    var streams = Streams()
    for index in 0..<10 {
      switch index {
      // A press bounce, a release bounce, a drop-out of 38 ms, and a chain.
      case 2: streams.add(key, 6, 9, 80, during: .taps(key))
      case 4: streams.add(key, 80, 60, 8, during: .taps(key))
      case 6: streams.add(key, 50, 38, 40, during: .taps(key))
      case 8: streams.add(key, 1, 2, 1, 3, 2, 1, 80, 2, 1, during: .taps(key))
      default: streams.add(key, 90, during: .taps(key))
      }
    }
    let strokes = strokes(streams)
    #expect(strokes.count == 10)
    #expect(!strokes.contains { !$0.isClear })
    #expect(
      strokes.map(\.fault) == [
        nil, nil, .pressBounce, nil, .releaseBounce, nil, .dropOut, nil, .pressBounce, nil,
      ])
    #expect(streams.labels.done[.taps(key)] == 10)
  }

  @Test("a tap too many is nobody's fault, and many of them are the switch's")
  func tapTooMany() {
    var streams = Streams()
    for _ in 0..<29 { streams.add(key, 90, during: .taps(key)) }
    streams.add(key, 80, 70, 90, during: .taps(key))
    #expect(strokes(streams).count == 30)
    #expect(strokes(streams).count(where: \.isClear) == 29)
    #expect(strokes(streams).count(where: \.isFaulty) == 0)
    // A tap that comes too soon is a stroke, and does not count as a tap.
    streams.add(key, 90, rest: 60, during: .taps(key))
    streams.add(key, 90, rest: 20, during: .taps(key))
    #expect(streams.labels.done[.taps(key)] == 31)
    for _ in 0..<10 { streams.add(key, 80, 70, 90, during: .taps(key)) }
    #expect(strokes(streams).count(where: \.isFaulty) > 8)
  }

  @Test("a third tap too many among twenty is the person's, too")
  func thirdSlip() {
    var streams = Streams()
    for index in 0..<20 {
      streams.add(key, index % 6 == 2 ? [80, 70, 90] : [90], during: .taps(key))
    }
    #expect(strokes(streams).count(where: \.isFaulty) == 0)
    #expect(strokes(streams).count(where: \.isClear) == 17)
    #expect(streams.labels.undone[.taps(key)]?.count == 3)
  }

  @Test("what is too fast for two reasons counts once")
  func tooFast() {
    var streams = Streams()
    streams.add(key, 60, rest: 160, during: .taps(key))
    streams.add(key, 50, 60, 50, during: .taps(key))
    #expect(streams.labels.done[.taps(key)] == 1)
    #expect(streams.labels.undone[.taps(key)]?.count == 1)
  }

  @Test("a hold is one stroke; one that is let go early is none of those asked for, and no fault")
  func holds() {
    var streams = Streams()
    streams.add(key, 900, 20, 1100, during: .holds(key))
    streams.add(key, 2000, during: .holds(key))
    // Let go, and pressed again at once.
    streams.add(key, 700, 90, 2000, during: .holds(key))
    streams.add(key, 800, during: .holds(key))
    #expect(strokes(streams).map(\.isFaulty) == [true, false, false, false])
    #expect(strokes(streams).map(\.isClear) == [true, true, false, true])
    #expect(streams.labels.done[.holds(key)] == 3)
    #expect(streams.labels.undone[.holds(key)]?.count == 1)
  }

  @Test("five quick doubles are ten strokes")
  func doubles() {
    var streams = Streams()
    for index in 0..<5 {
      switch index {
      case 1: streams.add(key, 70, 5, 20, 80, 90, during: .doubles(key))
      case 3: streams.add(key, 60, 25, 70, during: .doubles(key))
      default: streams.add(key, 60, 70, 80, during: .doubles(key))
      }
    }
    #expect(strokes(streams).count == 10)
    #expect(strokes(streams).count(where: \.isFaulty) == 1)
    #expect(streams.labels.done[.doubles(key)] == 5)
    // A single tap, a bounce, and two taps that are too far apart are none.
    streams.add(key, 80, during: .doubles(key))
    streams.add(key, 5, 4, 80, during: .doubles(key))
    streams.add(key, 80, 350, 80, during: .doubles(key))
    #expect(streams.labels.done[.doubles(key)] == 5)
    #expect(streams.labels.undone[.doubles(key)]?.count == 4)
  }

  @Test(
    "typing shows what no finger does, and leaves open what some fingers do",
    arguments: [
      ([5, 4, 90], [.clear], [.pressBounce]), ([90, 40, 10], [.clear], [.releaseBounce]),
      ([90, 70, 10], [.clear], [.releaseBounce]), ([40, 8, 40], [.clear], [.dropOut]),
      ([60, 20, 60], [.doubtful], [nil]), ([90, 70, 20], [.doubtful], [nil]),
      ([60, 45, 60], [.clear, .clear], [nil, nil]),
      // A blip between two strokes makes them no single one. It is the nearer stroke's.
      ([85, 30, 6, 55, 80], [.clear, .clear], [.releaseBounce, nil]),
      ([85, 60, 6, 20, 80], [.clear, .clear], [nil, .pressBounce]),
      // What may be a finger's haste or a crackling contact is nobody's.
      ([85, 20, 6, 32, 80], [.unknown], [nil]), ([45, 16, 6, 16, 80], [.clear], [.dropOut]),
    ] as [([Double], [MeasuredStroke.Certainty], [Chatter?])])
  func typing(times: [Double], certainties: [MeasuredStroke.Certainty], faults: [Chatter?]) {
    var streams = Streams()
    streams.add(key, times)
    #expect(strokes(streams).map(\.certainty) == certainties)
    #expect(strokes(streams).map(\.fault) == faults)
  }

  @Test("drop-outs of a held key are no taps, though some of them happen to be even")
  func dropOutsOfHolds() {
    // One such key. Of a few in a hundred, the strokes that are taken for a finger's are enough to choose by.
    var random = SeededRandom(seed: 1)
    var streams = Streams()
    for _ in 0..<60 {
      for _ in 0..<20 {
        let contact = -90 * log(Double.random(in: 0.01..<1, using: &random))
        streams.add(key, contact + 2, rest: Double.random(in: 5...30, using: &random))
      }
      streams.add(key, 90, rest: 600)
    }
    let labelled = strokes(streams)
    // A rhythm would make hundreds of strokes of them.
    #expect(labelled.count < 150)
    #expect(Findings(of: streams.tape, inForce: InForce()).keys.allSatisfy { $0.line == nil })
  }

  @Test("a volume key with contacts is judged, a knob is not")
  func volumeKey() throws {
    var streams = Streams()
    for index in 0..<200 {
      if index % 3 == 0 { streams.add(115, 80, 5, 6) } else { streams.add(115, 80) }
    }
    #expect(try #require(Findings(of: streams.tape, inForce: InForce()).keys.first).isWorn)
  }

  @Test("a contact that crackles is the switch's, though it looks like a machine")
  func crackling() {
    var streams = Streams()
    func crackle(_ key: KeyCode, rest: Double, during exercise: Exercise = .typing) {
      for _ in 0..<9 { streams.add(key, 4, rest: 4, during: exercise) }
      streams.add(key, 4, rest: rest, during: exercise)
    }
    for _ in 0..<10 {
      streams.add(31, 90, rest: 60)
      crackle(other, rest: 20)
      crackle(key, rest: 300)
    }
    for code in [key, other] {
      let strokes = streams.labels.strokes.filter { $0.key == code }
      #expect(strokes.count == 10 && strokes.allSatisfy(\.isFaulty))
    }
    // Twice in a row it is two strokes.
    streams = Streams()
    crackle(key, rest: 90)
    crackle(key, rest: 300)
    #expect(strokes(streams).map(\.isFaulty) == [true, true])
    // Who is asked to tap is no machine.
    streams = Streams()
    for _ in 0..<10 { crackle(key, rest: 400, during: .taps(key)) }
    #expect(strokes(streams).map(\.isFaulty) == [Bool](repeating: true, count: 10))
  }

  @Test("what a machine types is the machine's")
  func machine() {
    var streams = Streams()
    for _ in 0..<20 { streams.add(key, 80) }
    // “tree”, by a scanner.
    for code: KeyCode in [20, 19, 18, 18] { streams.add(code, 4, rest: 4) }
    streams.add(key, 80)
    #expect(strokes(streams).count(where: \.isFaulty) == 0)
    #expect((streams.labels.driven[20] ?? 0) > 0)
  }

  @Test(
    "taps in haste are strokes, one each, however short the gaps between them",
    arguments: [(12, 0.6), (10, 0.7), (14, 0.65), (14, 0.35), (9, 0.75)])
  func haste(perSecond: Double, held: Double) {
    var random = SeededRandom.shown("taps in haste")
    var streams = Streams()
    for _ in 0..<10 {
      streams.add(other, 90)
      streams.addTaps(key, 20, perSecond: perSecond, held: held, &random)
    }
    let strokes = strokes(streams)
    #expect(strokes.count(where: \.isFaulty) == 0)
    #expect(strokes.count { $0.certainty == .doubtful } == 0)
    // What is as short as a knob's detents may be a machine's.
    guard held > 0.5 else { return }
    #expect(strokes.count { $0.isClear && $0.contacts.count == 1 } > 140, "\(strokes.count)")
  }

  @Test("a worn switch shows in taps in haste, too")
  func wornInHaste() {
    var random = SeededRandom(seed: 1)
    var streams = Streams()
    for _ in 0..<10 {
      for _ in 0..<3 { streams.addTaps(key, 4, perSecond: 9, held: 0.5, &random, rest: 55) }
      streams.add(key, 5, 8, 60, rest: 55)
      streams.addTaps(key, 6, perSecond: 9, held: 0.5, &random)
    }
    #expect(strokes(streams).count(where: \.isFaulty) == 10)
    #expect(strokes(streams).count(where: \.isClear) == 190)
  }

  @Test("what is typed as evenly as no finger types has a stroke for each contact")
  func even() {
    var streams = Streams()
    // Twice each of a text's letters, pressed every 70 ms for 35.
    for code: KeyCode in 16..<28 {
      streams.add(code, 35, rest: 35)
      streams.add(code, 35, rest: 35)
    }
    streams.add(other, 90)
    let strokes = streams.labels.strokes
    #expect(strokes.count == 25)
    #expect(strokes.allSatisfy { $0.isClear && !$0.isFaulty })
  }

  @Test("a knob is a machine, however unevenly it is turned", arguments: [115, 105] as [KeyCode])
  func knob(code: KeyCode) {
    var random = SeededRandom.shown("knob")
    var streams = Streams()
    for _ in 0..<30 {
      streams.add(other, 90)
      for _ in 0..<6 {
        streams.add(
          code, Double.random(in: 3...13, using: &random),
          rest: Double.random(in: 8...38, using: &random))
      }
      streams.add(code, 8)
    }
    let labels = streams.labels
    #expect((labels.driven[code] ?? 0) > 0)
    #expect(labels.strokes.allSatisfy { ($0.certainty == .unknown) == ($0.key == code) })
  }

  @Test("what comes late from a receiver is left out")
  func late() {
    var streams = Streams()
    streams.add(key, 80)
    var tape = streams.tape
    for (code, isDown) in [(key, true), (key, false), (other, true), (key, true), (key, false)] {
      tape.receive(code, isDown: isDown, at: 5_000_000, during: .typing)
    }
    let own = Labels(of: tape).strokes.filter { $0.key == key }
    #expect(own.count(where: \.isFaulty) == 0)
    #expect(own.count(where: \.isClear) == 1)
  }

  @Test("of people who type on healthy keys, next to nothing is a fault")
  func people() {
    let seed = UInt64.testSeed
    print("labels of people: seed \(seed)")
    var faulty = FaultRate(faults: 0, strokes: 0)
    // Of ten, one who lets keys touch more than others do would decide.
    for person in 0..<40 {
      var tape = Tape()
      for edge in Session(presses: 500, wear: .none, seed: seed &+ UInt64(person)).edges {
        tape.receive(edge.key, isDown: edge.down, at: edge.time, during: .typing)
      }
      let strokes = Labels(of: tape).strokes
      faulty = faulty.adding(
        FaultRate(
          faults: strokes.count(where: \.isFaulty), strokes: strokes.count(where: \.isClear)))
    }
    #expect(faulty.interval.lowerBound < 5e-4, "\(faulty)")
  }
}
