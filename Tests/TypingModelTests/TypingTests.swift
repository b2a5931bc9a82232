import Debounce
import Foundation
import Randomness
import Testing

@testable import TypingModel

/// What people type, held against what was measured of people.
@Suite struct TypingTests {
  /// Many people, a little of each.
  private static let people: [[Stroke]] = (0..<1200).map { person in
    var typing = Typing(Typing.Manner(), SeededRandom(seed: 4, stream: person))
    return typing.strokes(700)
  }

  /// Times in milliseconds, ascending.
  private struct Sample {
    let times: [Double]

    init(_ times: [Microseconds]) {
      self.times = times.map { Double($0) / 1000 }.sorted()
    }

    func percentile(_ percent: Double) -> Double {
      times[min(times.count - 1, Int(percent / 100 * Double(times.count)))]
    }

    func percent(below time: Double) -> Double {
      Double(times.count { $0 < time }) / Double(times.count) * 100
    }
  }

  /// Expects of the sample's percentiles what was measured, in milliseconds, but for a share of it.
  private func expect(
    _ sample: Sample, within slack: Double, _ measured: [(percent: Double, time: Double)]
  ) {
    for (percent, measured) in measured {
      let time = sample.percentile(percent)
      #expect(abs(time / measured - 1) < slack, "\(percent) %: \(time) for \(measured)")
    }
  }

  /// Two strokes of a key with nothing between.
  private static func repeats(where predicate: (KeyCode) -> Bool) -> [(Stroke, Stroke)] {
    people.flatMap { strokes in
      zip(strokes, strokes.dropFirst()).filter { $0.key == $1.key && predicate($0.key) }
    }
  }

  private static let doubles = repeats { $0 != Keys.backspace }
  private static let backspaces = repeats { $0 == Keys.backspace }

  @Test("Holds have the measured percentiles")
  func holds() {
    let holds = Sample(Self.people.joined().filter { $0.key != Keys.leftShift }.map(\.hold))
    expect(
      holds, within: 0.13,
      [
        (0.1, 16.0), (0.5, 37), (1, 44), (2, 51), (5, 60), (25, 87), (50, 110), (75, 136),
        (95, 183), (99, 227),
      ])
  }

  @Test("Doubles have the measured gaps, down to the low tail")
  func doubleGaps() {
    let gaps = Sample(Self.doubles.map { $1.press - $0.release })
    expect(
      gaps, within: 0.12,
      [(0.5, 22.0), (1, 31), (2, 35), (5, 46), (10, 52), (25, 63), (50, 78), (75, 94), (90, 113)])
    // Too few are as short as this for a percentile.
    #expect((0.04...0.2).contains(gaps.percent(below: 12)))
  }

  @Test("Doubles have the measured holds")
  func doubleHolds() {
    let first = Sample(Self.doubles.map { $0.0.hold })
    expect(first, within: 0.12, [(0.5, 31.0), (1, 36), (5, 48), (50, 80), (95, 131)])
    let second = Sample(Self.doubles.map { $0.1.hold })
    expect(second, within: 0.12, [(0.5, 39.0), (1, 43), (5, 56), (50, 96), (95, 154)])
  }

  @Test("Presses of doubles are as far apart as measured")
  func doubleIntervals() {
    let intervals = Sample(Self.doubles.map { $1.press - $0.press })
    expect(intervals, within: 0.1, [(1.0, 100.0), (5, 117), (25, 141), (50, 160), (75, 183)])
    // Measured: 0.13 %.
    #expect((0.03...0.4).contains(intervals.percent(below: 80)))
  }

  @Test("A double's gap and holds are correlated as measured")
  func correlations() {
    // Without the pauses at the upper end, as an outlier would outweigh all others.
    let doubles = Self.doubles.filter { $1.press - $0.release < 200_000 }
    let gaps = doubles.map { log(Double($1.press - $0.release)) }
    let first = doubles.map { log(Double($0.0.hold)) }
    let second = doubles.map { log(Double($0.1.hold)) }
    #expect(abs(correlation(gaps, first) + 0.13) < 0.07)
    #expect(abs(correlation(gaps, second) + 0.19) < 0.07)
    #expect(abs(correlation(first, second) - 0.39) < 0.07)
  }

  @Test("Short gaps hardly ever go with short holds")
  func joint() {
    // Measured: 0.018 % each, two of eleven thousand.
    let count = Double(Self.doubles.count) / 100
    let second = Self.doubles.count { $1.press - $0.release < 50_000 && $1.hold < 30_000 }
    #expect(Double(second) / count < 0.06)
    let first = Self.doubles.count { $1.press - $0.release < 50_000 && $0.hold < 30_000 }
    #expect(Double(first) / count < 0.08)
  }

  @Test("Backspace runs have the measured gaps and holds")
  func backspace() {
    let gaps = Sample(Self.backspaces.map { $1.press - $0.release })
    expect(gaps, within: 0.13, [(1.0, 31.0), (5, 46), (50, 80), (90, 147)])
    // So few are as short as this that it hangs on single people.
    #expect((0.3...0.8).contains(gaps.percent(below: 21.2)))
    let holds = Sample(Self.backspaces.map { $1.hold })
    expect(holds, within: 0.12, [(0.5, 26.0), (1, 33), (5, 45), (50, 77), (95, 130)])
  }

  @Test("As many presses repeat the one before as measured")
  func shares() {
    let presses = Double(Self.people.joined().count)
    #expect(abs(Double(Self.doubles.count) / presses - 0.0177) < 0.0015)
    #expect(abs(Double(Self.backspaces.count) / presses - 0.0303) < 0.0025)
  }

  @Test("The next press follows Shift's release as soon as measured")
  func modifierHazard() {
    var delays: [Microseconds] = []
    for strokes in Self.people {
      for (index, shift) in strokes.enumerated() where shift.key == Keys.leftShift {
        guard
          let next = strokes[index...].first(where: { $0.press >= shift.release })
        else { continue }
        delays.append(next.press - shift.release)
      }
    }
    let sample = Sample(delays)
    for (time, percent) in [(5.0, 2.0), (15, 3.2), (25, 5.9), (40, 9.7), (50, 13.4)] {
      let share = sample.percent(below: time)
      #expect(abs(share - percent) < 1.5, "\(time) ms: \(share) % for \(percent) %")
    }
  }

  @Test("Keys overlap as often as measured, by person")
  func rollover() {
    let shares = Self.people.map { strokes -> Double in
      let pairs = zip(strokes, strokes.dropFirst()).filter { $0.0.key != Keys.leftShift }
      return Double(pairs.count { $1.press < $0.release }) / Double(pairs.count)
    }
    .sorted()
    #expect((0.10...0.24).contains(shares[shares.count / 2]))
    #expect(shares[shares.count * 95 / 100] > 0.35)
    #expect(shares[shares.count * 5 / 100] < 0.05)
  }

  @Test("Presses are in order, and a key comes up before it goes down again")
  func order() {
    var disorder = 0
    for strokes in Self.people {
      var released: [KeyCode: Microseconds] = [:]
      for (stroke, next) in zip(strokes, strokes.dropFirst()) where stroke.press > next.press {
        disorder += 1
      }
      for stroke in strokes {
        if stroke.press >= stroke.release { disorder += 1 }
        if let released = released[stroke.key], released >= stroke.press { disorder += 1 }
        released[stroke.key] = stroke.release
      }
    }
    #expect(disorder == 0)
  }

  @Test("Taps as in games come 9 to 13 times a second")
  func taps() {
    var manner = Typing.Manner()
    manner.tapping = 100
    var typing = Typing(manner, SeededRandom(seed: 1))
    let strokes = typing.strokes(20_000)
    let intervals = Sample(
      zip(strokes, strokes.dropFirst()).filter { $0.key == $1.key }.map { $1.press - $0.press })
    #expect((75...111).contains(intervals.percentile(50)))
    #expect(intervals.percentile(1) > 55)
  }

  private func correlation(_ x: [Double], _ y: [Double]) -> Double {
    let n = Double(x.count)
    let meanX = x.reduce(0, +) / n
    let meanY = y.reduce(0, +) / n
    let xy = zip(x, y).reduce(0) { $0 + ($1.0 - meanX) * ($1.1 - meanY) }
    let xx = x.reduce(0) { $0 + ($1 - meanX) * ($1 - meanX) }
    let yy = y.reduce(0) { $0 + ($1 - meanY) * ($1 - meanY) }
    return xy / (xx * yy).squareRoot()
  }
}
