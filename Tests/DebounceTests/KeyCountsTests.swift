import Foundation
import Testing

@testable import Debounce

/// What is counted of each key.
@Suite struct KeyCountsTests {
  private func engine(_ text: String, _ rules: Rules = Rules()) -> Debouncer {
    var engine = Debouncer(rules)
    engine.play(text)
    return engine
  }

  @Test("Nothing is known of keys that were not pressed")
  func unpressed() {
    let engine = engine("A+0 A-100")
    #expect(engine.countedKeys == [.a])
    #expect(engine.counts(of: .s) == nil)
    #expect(engine.counts(of: .max) == nil)
    #expect(!engine.isBad(.max))
  }

  @Test("Chatter is counted where it happens")
  func chatter() throws {
    let engine = engine("A+0 A-8 A+14 A-100 S+200 S-300 S+308 S-313 D+400 D-450 D+600 D-700")
    let counts = try [.a, .s, .d].map { try #require(engine.counts(of: $0)) }
    #expect(counts.map(\.strokes) == [1, 1, 2])
    #expect(counts.map(\.chatter.kinds) == [[1, 0, 0], [0, 1, 0], [0, 0, 0]])
    #expect(engine.isBad(.a))
    #expect((counts[0].learned, counts[0].forgotten) == (1, 0))
  }

  @Test("Gaps and holds stand in their classes")
  func classes() throws {
    let counts = try #require(engine("A+0 A-99.999 A+199.999 A-300 A+310 A-311").counts(of: .a))
    // 99.999 ms and 100.001 ms; 100 ms between; a bounce of 1 ms after a gap of 10 ms.
    #expect(counts.holds.values == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0])
    #expect(counts.gaps.values == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0])
    #expect(counts.removedGaps.values == [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    #expect(counts.removedHolds.values == [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
  }

  @Test("A class holds intervals that are shorter than its bound")
  func bounds() throws {
    for (place, bound) in IntervalHistogram.bounds.enumerated() {
      for (hold, place) in [(bound - 1, place), (bound, place + 1)] {
        var engine = Debouncer(Rules(strategy: .none))
        _ = engine.process(at: 0, .down(.a))
        _ = engine.process(at: hold, .up(.a))
        let holds = try #require(engine.counts(of: .a)).holds
        #expect(holds.values[place] == 1)
      }
    }
  }

  @Test("Classes are written up to the last one that has intervals")
  func written() throws {
    for counts in [[], [0, 2, 1], [0, 0, 3]] as [[UInt32]] {
      let data = try JSONEncoder().encode(IntervalHistogram(counts))
      #expect(try JSONDecoder().decode([UInt32].self, from: data) == counts)
    }
  }

  @Test("A stroke that is delivered late counts as it was made")
  func lateStroke() throws {
    var engine = Debouncer(Rules(strategy: .throttle(Throttle(interval: 100.ms, latest: true))))
    engine.play("A+0 A-5 A+47 A-80")
    let counts = try #require(engine.counts(of: .a))
    // A gap of 42 ms; holds of 5 and of 33.
    #expect(counts.gaps == IntervalHistogram(Array(repeating: 0, count: 11) + [1]))
    #expect(counts.holds == IntervalHistogram([0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1]))
  }

  @Test("The gap of a drop-out is removed")
  func dropOut() throws {
    let rules = Rules(strategy: .eagerDefer(EagerDefer(threshold: 20.ms)))
    let counts = try #require(engine("A+0 A-300 A+309 A-600", rules).counts(of: .a))
    #expect((counts.strokes, counts.chatter.dropOuts, counts.chatter.total) == (1, 1, 1))
    #expect(counts.removedGaps == IntervalHistogram([0, 0, 0, 0, 0, 1]))
    #expect((counts.gaps.total, counts.holds.total) == (0, 1))
  }

  @Test("Strokes that are taken and delivered later are not taken")
  func delivered() throws {
    let rules = Rules(strategy: .throttle(Throttle(interval: 500.ms, latest: true)))
    let counts = try #require(engine("A+0 A-50 A+100 A-150 A+200 A-250", rules).counts(of: .a))
    #expect((counts.strokes, counts.suppressed) == (2, 1))
  }

  @Test("Earlier counts are added, and never wrap around")
  func earlierCounts() throws {
    var earlier = KeyCounts()
    earlier.strokes = .max
    earlier.chatter.pressBounces = 3
    earlier.gaps = IntervalHistogram([7] as [UInt32])
    var engine = Debouncer()
    engine.add(earlier, of: .a)
    engine.add(earlier, of: .max)
    engine.play("A+0 A-8 A+14 A-100")
    let counts = try #require(engine.counts(of: .a))
    #expect((counts.strokes, counts.chatter.pressBounces) == (.max, 4))
    #expect(counts.gaps.values.first == 7)
  }

  @Test("Before a first stroke that vanishes there is no gap")
  func firstStroke() throws {
    let rules = Rules(strategy: .defer(Defer(threshold: 20.ms)))
    let counts = try #require(engine("A+1000 A-1004", rules).counts(of: .a))
    #expect((counts.removedGaps.total, counts.removedHolds.total) == (0, 1))
    #expect(counts.removedHolds.values[3] == 1)
  }

  /// A near miss is a press that passes after a gap that is not much longer than those of chatter: less than twice the window.
  @Test(
    "Near misses are counted where gaps decide",
    arguments: [
      (.eagerDefer(EagerDefer(threshold: 20.ms)), "A+0 A-100 A+139.999 A-200", 1),
      (.eagerDefer(EagerDefer(threshold: 20.ms)), "A+0 A-100 A+140 A-200", 0),
      (.eagerDefer(EagerDefer(threshold: 20.ms)), "A+0 A-100 A+110 A-200", 0),
      (.none, "A+0 A-100 A+100 A-200", 0),
      (.slowKeys(SlowKeys(delay: 0)), "A+0 A-100 A+100 A-200", 0),
      // Without a time for drop-outs it is the other one that decides: 25 ms, packaged.
      (.adaptive(Adaptive(dropout: 0)), "A+0 A-100 A+149 A-300", 1),
      (.adaptive(Adaptive(dropout: 1)), "A+0 A-100 A+149 A-300", 0),
    ] as [(Strategy, String, UInt32)])
  func nearMisses(strategy: Strategy, text: String, count: UInt32) {
    #expect(engine(text, Rules(strategy: strategy)).counts(of: .a)?.nearMisses == count)
  }
}
