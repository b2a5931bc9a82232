import Debounce
import Randomness

/// A person who types, with bursts of something else between.
public struct MixedUse<Burst: Bursts>: Sendable {
  /// What comes between.
  public var bursts: Burst
  /// How much is typed before each burst, in presses.
  public var typed = 30...90
  /// The rest before a burst and after it, in milliseconds.
  public var rest = 400.0...1500.0

  public init(_ bursts: Burst) {
    self.bursts = bursts
  }

  /// A session with so many bursts. Only their strokes are counted, unless `countsTyping`.
  public func session(
    bursts count: Int, countsTyping: Bool = false, wear: Wear = .none, link: Link = Link(),
    seed: UInt64
  ) -> Session {
    var typing = Typing(Typing.Manner(), SeededRandom(seed: seed, stream: 1))
    var random = SeededRandom(seed: seed, stream: 4)
    var strokes: [Stroke] = []
    var isCounted: [Bool] = []
    // By how much the bursts so far have put off what is typed.
    var delay: Microseconds = 0

    for _ in 0..<count {
      let typed = typing.strokes(random.whole(in: typed)).map { $0.moved(by: delay) }
      strokes += typed
      let typedEnd = typed.map(\.release).max() ?? 0
      // A machine's burst is in step with the polls.
      let begin = link.sampled(typedEnd + drawRest(&random))
      let burst = bursts.burst(&random).map { $0.moved(by: begin) }
      strokes += burst
      isCounted += typed.map { _ in countsTyping } + burst.map(bursts.isCounted)
      let burstEnd = burst.map(\.release).max() ?? begin
      // What is typed next may overlap the last stroke, and never comes before it.
      delay += burstEnd + drawRest(&random) - (typed.last?.press ?? 0)
    }
    return Session(strokes, wear: wear, link: link, seed: seed) { isCounted[$0] }
  }

  private func drawRest(_ random: inout SeededRandom) -> Microseconds {
    Microseconds(milliseconds: random.uniform(in: rest))
  }
}
