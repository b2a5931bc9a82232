import Foundation
import Randomness

/// One person: who types with own medians and own spreads.
struct Typist: Sendable {
  private let hold: PercentileLaw.Share
  private let gap: PercentileLaw.Share
  private let interval: Double
  /// The share of pairs of keys of which the second goes down before the first comes up.
  let rollover: Double

  init(_ random: inout SeededRandom) {
    hold = MeasuredTyping.hold.share(mean: random.normal(), spread: random.normal())
    gap = MeasuredTyping.doubleGap.share(mean: random.normal(), spread: random.normal())
    // Who is fast rolls over more.
    let speed = random.normal()
    interval = MeasuredTyping.interval.value(at: -speed)
    let ease = 0.6 * speed + 0.8 * random.normal()
    let share = MeasuredTyping.rolloverShare.share(mean: 0, spread: 0)
    rollover = min(MeasuredTyping.rolloverShare.value(of: share, at: ease), 0.8)
  }

  /// How long a key is held, in milliseconds.
  func drawHold(_ random: inout SeededRandom) -> Double {
    MeasuredTyping.hold.value(of: hold, at: random.normal())
  }

  /// From press to press of different keys, in milliseconds.
  func drawInterval(_ random: inout SeededRandom) -> Double {
    Lognormal(median: interval, spread: MeasuredTyping.intervalSpread).draw(&random)
  }

  /// The times of a key typed `holds.count` times in a row.
  struct Repeats {
    var holds: [Double] = []
    /// Between the holds: one less.
    var gaps: [Double] = []
  }

  /// A letter typed twice.
  func drawDouble(_ random: inout SeededRandom) -> Repeats {
    var z = Correlated(&random)
    var repeats = Repeats()
    repeats.holds.append(MeasuredTyping.doubleFirstHold.value(of: hold, at: z.hold))
    z.advance(&random)
    repeats.gaps.append(MeasuredTyping.doubleGap.value(of: gap, at: z.gap))
    repeats.holds.append(MeasuredTyping.doubleSecondHold.value(of: hold, at: z.hold))
    return repeats
  }

  /// Backspace, pressed `count` times.
  func drawBackspaces(_ count: Int, _ random: inout SeededRandom) -> Repeats {
    var z = Correlated(&random)
    var repeats = Repeats()
    repeats.holds.append(MeasuredTyping.backspaceHold.value(of: hold, at: z.hold))
    for _ in 1..<count {
      z.advance(&random)
      repeats.gaps.append(MeasuredTyping.backspaceGap.value(of: gap, at: z.gap))
      repeats.holds.append(MeasuredTyping.backspaceHold.value(of: hold, at: z.hold))
    }
    return repeats
  }
}

/// The standard normal numbers of hold, gap, hold, …, correlated as measured.
private struct Correlated {
  private(set) var hold: Double
  private(set) var gap = 0.0

  init(_ random: inout SeededRandom) {
    hold = random.normal()
  }

  /// Goes on to the next gap and the hold after it.
  mutating func advance(_ random: inout SeededRandom) {
    let first = hold
    gap = Self.toFirst * first + (1 - Self.toFirst * Self.toFirst).squareRoot() * random.normal()
    hold =
      Self.ofFirst * first + Self.ofGap * gap + Self.rest * random.normal()
  }

  // The correlations within a person. Between people, holds go with holds; gaps do not.
  private static let holdWithin = 1 - MeasuredTyping.hold.shareBetween
  private static let gapWithin = 1 - MeasuredTyping.doubleGap.shareBetween
  private static let toFirst =
    MeasuredTyping.gapAndFirstHold / (holdWithin * gapWithin).squareRoot()
  private static let toSecond =
    MeasuredTyping.gapAndSecondHold / (holdWithin * gapWithin).squareRoot()
  private static let firstToSecond =
    (MeasuredTyping.firstAndSecondHold - MeasuredTyping.hold.shareBetween) / holdWithin

  // The second hold as a regression on the first one and on the gap.
  private static let ofFirst =
    (firstToSecond - toSecond * toFirst) / (1 - toFirst * toFirst)
  private static let ofGap =
    (toSecond - firstToSecond * toFirst) / (1 - toFirst * toFirst)
  private static let rest =
    (1 - ofFirst * firstToSecond - ofGap * toSecond).squareRoot()
}
