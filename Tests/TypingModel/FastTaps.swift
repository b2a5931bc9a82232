import Debounce
import Randomness

/// One key or a few, tapped as fast as fingers can, as in games.
///
/// ```
///        ├──── 1/rate ────┤
///  key   ┌──────┐         ┌─────┐          ┌───────┐
///        ┘ hold └─────────┘     └──────────┘       └───
///  other         ┌─────┐          ┌──────┐
///        ────────┘     └──────────┘      └─────────────
/// ```
public struct FastTaps: Bursts {
  /// Taps of a key in a second. A burst keeps its own rate, but for `jitter`.
  public var rate = 8.0...16.0
  /// How long the key is down, in milliseconds.
  public var hold = 25.0...50.0
  /// The spread of the logarithm of the time from press to press. No two are closer than `rate` allows.
  public var jitter = 0.05
  /// How many taps a burst has, on all keys together.
  public var length = 20...60
  /// The keys that are tapped, and how many of them at a time.
  public var keys = Keys.game
  public var fingers = 1...2

  public init() {}

  public func burst(_ random: inout SeededRandom) -> [Stroke] {
    let fingers = random.whole(in: fingers)
    let first = random.whole(in: 0...keys.count - 1)
    let interval = 1000 / random.uniform(in: rate)
    let taps = random.whole(in: length)
    var strokes: [Stroke] = []
    for finger in 0..<fingers {
      let key = keys[(first + finger) % keys.count]
      // The fingers take turns.
      var press = Double(finger) * interval / Double(fingers)
      for _ in 0..<(taps + fingers - 1 - finger) / fingers {
        strokes.append(Stroke(key: key, at: press, hold: random.uniform(in: hold)))
        press += Lognormal(
          median: interval, spread: jitter, in: 1000 / rate.upperBound...1000 / rate.lowerBound
        ).draw(&random)
      }
    }
    return strokes.sorted { $0.press < $1.press }
  }
}
