import Debounce
import Foundation
import Randomness
import Testing

@testable import TypingModel

/// The shape of what is typed in bursts, held against the words that it was made from.
@Suite struct BurstTests {
  private static func bursts(
    _ bursts: some Bursts, _ count: Int = 400, seed: UInt64 = 3
  ) -> [[Stroke]] {
    var random = SeededRandom(seed: seed)
    return (0..<count).map { _ in bursts.burst(&random) }
  }

  /// Two strokes of a key, one after the other.
  private static func neighbours(_ strokes: [Stroke]) -> [(Stroke, Stroke)] {
    Dictionary(grouping: strokes, by: \.key).values.flatMap { zip($0, $0.dropFirst()) }
  }

  private static func milliseconds(_ time: Microseconds) -> Double { Double(time) / 1000 }

  private static func mean(_ values: [Double]) -> Double {
    values.reduce(0, +) / Double(values.count)
  }

  /// From edge to edge, of all keys together, in milliseconds.
  private static func intervals(_ strokes: [Stroke]) -> [Double] {
    let edges = strokes.flatMap { [$0.press, $0.release] }.sorted()
    return zip(edges, edges.dropFirst()).map { milliseconds($1 - $0) }
  }

  @Test(
    "Bursts begin at once, with presses in order, and a key comes up before it goes down again",
    arguments: [
      FastTaps(), MachineTyping(poll: 1000), MachineTyping(poll: 8000),
      MachineTyping(.pair, poll: 8000), MachineTyping(.oneKey, poll: 1000), CrossedStrokes(),
      Series.rapidTrigger,
    ] as [any Bursts])
  func order(kind: any Bursts) {
    var random = SeededRandom(seed: 8)
    for _ in 0..<300 {
      let burst = kind.burst(&random)
      #expect(burst.first?.press == 0)
      #expect(burst.map(\.press) == burst.map(\.press).sorted())
      #expect(burst.allSatisfy { $0.hold > 0 })
      #expect(Self.neighbours(burst).allSatisfy { $1.press > $0.release })
    }
  }

  // MARK: - Fingers

  @Test("Fast taps come 8 to 16 times a second and are held for 25 to 50 ms, on one key or on two")
  func fastTaps() {
    let bursts = Self.bursts(FastTaps())
    let strokes = bursts.joined()
    #expect(strokes.allSatisfy { (25_000...50_000).contains($0.hold) })
    let holds = strokes.map { Self.milliseconds($0.hold) }
    #expect((37...38).contains(Self.mean(holds)))

    let rates = bursts.map { burst -> Double in
      let intervals = Self.neighbours(burst).map { Self.milliseconds($1.press - $0.press) }
      // Half a microsecond each of rounding.
      #expect(intervals.allSatisfy { (62.499...125.001).contains($0) })
      return 1000 / Self.mean(intervals)
    }
    .sorted()
    #expect(rates[rates.count / 10] < 9.2)
    #expect(rates[rates.count * 9 / 10] > 14.5)
    #expect((11.6...12.4).contains(Self.mean(rates)))

    let keys = bursts.map { Set($0.map(\.key)).count }
    #expect(Set(keys) == [1, 2])
    #expect((150...250).contains(keys.count { $0 == 2 }))
    #expect(bursts.allSatisfy { (20...60).contains($0.count) })
  }

  @Test("Rapid trigger has gaps of 5 to 40 ms after long holds, two hundred times")
  func rapidTrigger() {
    for burst in Self.bursts(Series.rapidTrigger, 20) {
      #expect(burst.count == 200)
      #expect(Set(burst.map(\.key)).count == 1)
      #expect(burst.allSatisfy { $0.hold >= 80_000 })
      let gaps = Self.neighbours(burst).map { Self.milliseconds($1.press - $0.release) }
      #expect(gaps.allSatisfy { (4.999...40.001).contains($0) })
      #expect((19.5...25.5).contains(Self.mean(gaps)))
    }
  }

  @Test("Series keep their rows, their rests and the law of each stroke")
  func series() {
    var series = Series(holds: [10.0...20.0, 300.0...400.0])
    series.keys = [105, 106]
    series.gap = 30.0...40.0
    series.row = 2...3
    series.rest = 100.0...200.0
    series.rows = 40
    for burst in Self.bursts(series, 20) {
      #expect(Set(burst.map(\.key)) == [105, 106])
      let turns = zip(burst, burst.dropFirst()).filter { $0.key != $1.key }
      #expect(turns.count == 39)
      #expect(turns.allSatisfy { (99_999...200_001).contains($1.press - $0.release) })
      #expect((80...120).contains(burst.count))
      let first = [burst[0]] + turns.map(\.1)
      #expect(first.allSatisfy { (10_000...20_000).contains($0.hold) })
      #expect(burst.count { (300_000...400_000).contains($0.hold) } == burst.count - 40)
    }
    series.rest = (-200.0)...(-100.0)
    let overlapping = Self.bursts(series, 1)[0]
    #expect(zip(overlapping, overlapping.dropFirst()).contains { $1.press < $0.release })
  }

  @Test(
    "Of crossed strokes one key is pressed again within 50 ms, and another moves within 30 ms of that"
  )
  func crossedStrokes() {
    var modifiersAgain = 0
    var releasesOfShift = 0
    let scenes = Self.bursts(CrossedStrokes(), 600)
    for scene in scenes {
      let again = Self.neighbours(scene)
      #expect(again.count == 1)
      guard let (first, second) = again.first else { continue }
      #expect((4_999...49_001).contains(second.press - first.release))
      let others = scene.filter { $0.key != second.key }
      let pressed = others.filter { $0.press > second.press }.map(\.press)
      let released = others.filter { $0.key == Keys.leftShift }.map(\.release)
      let moves = pressed + (pressed.isEmpty ? released : [])
      #expect(moves.count == 1)
      #expect(moves.allSatisfy { (999...29_001).contains($0 - second.press) })
      // It moves while the key is down.
      #expect(moves.allSatisfy { $0 < second.release })
      if [Keys.leftShift, Keys.leftControl].contains(second.key) { modifiersAgain += 1 }
      if pressed.isEmpty { releasesOfShift += 1 }
    }
    #expect((150...250).contains(modifiersAgain))
    #expect((150...250).contains(releasesOfShift))
  }

  // MARK: - Machines

  @Test(
    "A machine's holds and gaps are each of 1 to 30 ms, give or take two", arguments: [1000, 8000])
  func machineIntervals(poll: Int) {
    let bursts = Self.bursts(MachineTyping(poll: Microseconds(poll)))
    let step = Microseconds(poll)
    var (holds, gaps): ([Double], [Double]) = ([], [])
    for burst in bursts where !burst.contains(where: { $0.key == Keys.leftShift }) {
      #expect(burst.allSatisfy { $0.press % step == 0 && $0.release % step == 0 })
      #expect(zip(burst, burst.dropFirst()).allSatisfy { $1.press > $0.release })
      holds += burst.map { Self.milliseconds($0.hold) }
      gaps += zip(burst, burst.dropFirst()).map { Self.milliseconds($1.press - $0.release) }
    }
    let slack = Self.milliseconds(step)
    for times in [holds, gaps] {
      #expect(times.allSatisfy { (slack...32 + slack).contains($0) })
      #expect((12...20).contains(times.reduce(0, +) / Double(times.count)))
      #expect((times.min() ?? 99) <= max(1, slack))
      #expect((times.max() ?? 0) >= 30)
    }
  }

  @Test("A burst keeps its own hold and gap")
  func machineSteadiness() {
    let spreads = Self.bursts(MachineTyping(.oneKey, poll: 1000)).map { burst -> Double in
      let holds = burst.filter { $0.key != Keys.leftShift }.map(\.hold)
      return Self.milliseconds((holds.max() ?? 0) - (holds.min() ?? 0))
    }
    // Of two milliseconds of jitter to either side, and of the poll's one.
    #expect(spreads.allSatisfy { $0 <= 5 })
    #expect(spreads.contains { $0 >= 2 })
  }

  @Test(
    "A machine's text has 2 to 40 characters, some doubled and tripled, with and without Shift and Enter"
  )
  func machineText() {
    let bursts = Self.bursts(MachineTyping(poll: 1000), 1500)
    var lengths: Set<Int> = []
    var runs: [Int: Int] = [:]
    var (entered, shifted, reports) = (0, 0, 0)
    for burst in bursts {
      let text = burst.map(\.key).filter { $0 != Keys.leftShift }
      let body = text.last == Keys.enter ? text.dropLast() : text[...]
      if body.count < text.count { entered += 1 }
      if burst.contains(where: { $0.key == Keys.leftShift }) { shifted += 1 }
      if zip(burst, burst.dropFirst()).contains(where: { $0.press == $1.press }) { reports += 1 }
      lengths.insert(body.count)
      #expect(Set(body).count > 1)
      var run = 0
      for (index, key) in body.enumerated() {
        run += 1
        if index + 1 == body.count || body[body.startIndex + index + 1] != key {
          runs[run, default: 0] += 1
          run = 0
        }
      }
    }
    #expect(lengths == Set(2...40))
    let all = Double(runs.values.reduce(0, +))
    #expect(runs.keys.sorted() == [1, 2, 3])
    #expect(abs(Double(runs[2, default: 0]) / all - 0.15) < 0.02)
    #expect(abs(Double(runs[3, default: 0]) / all - 0.05) < 0.01)
    #expect((600...900).contains(entered))
    #expect((600...900).contains(shifted))
    #expect(reports > 100)
  }

  @Test(
    "Nothing in a burst of a machine takes so long that it might be a finger's",
    arguments: [1000, 8000])
  func machinePauses(poll: Int) {
    for burst in Self.bursts(MachineTyping(poll: Microseconds(poll))) {
      #expect(Self.intervals(burst).allSatisfy { $0 < 33 })
    }
  }

  @Test("Where a machine types one key alone, it does")
  func machineOneKey() {
    func counts(_ text: MachineTyping.Text) -> Set<Int> {
      Set(
        Self.bursts(MachineTyping(text, poll: 1000)).map { burst in
          let keys = burst.map(\.key).filter { $0 != Keys.leftShift }
          #expect(Set(keys).count == 1)
          return keys.count
        })
    }
    #expect(counts(.pair) == [2])
    #expect(counts(.oneKey) == Set(3...8))
  }

  // MARK: - Sessions

  @Test("Between bursts a person types, with rests around them, and only the bursts are counted")
  func mixedUse() {
    let session = MixedUse(FastTaps()).session(bursts: 30, link: Link(poll: 8000), seed: 2)
    let strokes = session.strokes
    #expect(strokes.map(\.stroke.press) == strokes.map(\.stroke.press).sorted())

    var changes = 0
    var lastRelease: Microseconds = 0
    for (index, stroke) in strokes.enumerated() {
      if index > 0, strokes[index - 1].isCounted != stroke.isCounted {
        changes += 1
        // As it is seen: perhaps a poll less.
        #expect(stroke.stroke.press - lastRelease >= 392_000)
      }
      lastRelease = max(lastRelease, stroke.stroke.release)
    }
    #expect(changes == 2 * 30 - 1)
    #expect(strokes.first?.isCounted == false)
    #expect(strokes.last?.isCounted == true)
    #expect((30 * 30...30 * 110).contains(strokes.count { !$0.isCounted }))
    #expect((30 * 20...30 * 60).contains(strokes.count { $0.isCounted }))
  }

  @Test("Between typing, too, a machine is in step with the polls, and its Shift is not counted")
  func mixedUseOfMachine() {
    let link = Link(poll: 8000)
    let session = MixedUse(MachineTyping(poll: 8000)).session(bursts: 40, link: link, seed: 2)
    let counted = session.strokes.filter(\.isCounted)
    #expect(counted.count > 40 * 10)
    #expect(counted.allSatisfy { $0.stroke.key != Keys.leftShift })
    #expect(counted.allSatisfy { (8000...40_000).contains($0.stroke.hold) })
    let gaps = zip(counted, counted.dropFirst()).map { $1.stroke.press - $0.stroke.release }
    #expect(gaps.allSatisfy { $0 >= 8000 })
  }

  @Test("Where typing is counted too, all is")
  func mixedUseCounted() {
    let session = MixedUse(FastTaps()).session(bursts: 3, countsTyping: true, seed: 2)
    #expect(session.strokes.allSatisfy { $0.isCounted })
  }

  @Test("A fresh device's burst has all its edges, and is counted from where it should be")
  func fresh() {
    let session = Series.rapidTrigger.session(uncounted: 30, seed: 5)
    #expect(session.edges.count == 400)
    #expect(session.strokes.map(\.isCounted) == (0..<200).map { $0 >= 30 })
    let machine = MachineTyping(poll: 8000).session(link: Link(poll: 8000), seed: 5)
    #expect(machine.edges.count == 2 * machine.strokes.count)
    #expect(machine.edges.allSatisfy { $0.time % 8000 == 0 })
  }
}
