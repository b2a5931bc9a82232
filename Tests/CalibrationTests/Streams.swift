import Debounce
import Randomness

@testable import Calibration

/// Edges of one key after another, written as one would tell them: how long it is down, how long up.
struct Streams {
  private(set) var tape = Tape()
  private(set) var now: Microseconds = 1_000_000

  /// The key is down and up in turns, for so many milliseconds each, beginning with down; then nothing happens for
  /// `rest` milliseconds.
  mutating func add(
    _ key: KeyCode, _ times: Double..., rest: Double = 400, during exercise: Exercise = .typing
  ) {
    add(key, times, rest: rest, during: exercise)
  }

  mutating func add(
    _ key: KeyCode, _ times: [Double], rest: Double = 400, during exercise: Exercise = .typing
  ) {
    var isDown = true
    for time in times {
      tape.receive(key, isDown: isDown, at: now, during: exercise)
      now += Microseconds(time * 1000)
      isDown.toggle()
    }
    if !isDown { tape.receive(key, isDown: false, at: now, during: exercise) }
    now += Microseconds(rest * 1000)
  }

  /// The keys are tapped in turns, so often each. A fault is in the first of every so many taps.
  mutating func addTaps(
    _ count: Int, of keys: [KeyCode], faultEvery interval: Int, _ fault: (KeyCode) -> [Double]
  ) {
    for index in 0..<count {
      for key in keys {
        add(key, index % interval == 0 ? fault(key) : [85], during: .taps(key))
      }
    }
  }

  /// The key is tapped in a row as by a finger that hurries, and held for such a share of the time.
  mutating func addTaps(
    _ key: KeyCode, _ count: Int, perSecond: Double, held: Double, _ random: inout SeededRandom,
    rest: Double = 400
  ) {
    for tap in 1...count {
      let period = 1000 / perSecond * Double.random(in: 0.85...1.15, using: &random)
      let hold = period * held * Double.random(in: 0.85...1.15, using: &random)
      add(key, hold, rest: tap == count ? rest : period - hold)
    }
  }

  var labels: Labels { Labels(of: tape) }
}

extension SeededRandom {
  /// Random numbers of a test, whose seed is printed.
  static func shown(_ test: String) -> SeededRandom {
    let seed = UInt64.testSeed
    print("\(test): seed \(seed)")
    return SeededRandom(seed: seed)
  }
}

/// The key that tests are about, and another one.
let key: KeyCode = 18
let other: KeyCode = 30
