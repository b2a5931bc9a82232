import Randomness

/// One key after the other, each so often in a row: a key held in a game, a letter typed twice, a knob's steps.
///
/// ```
///        holds[0]   gap   holds[1]          holds[0]
///  key   ┌────────┐      ┌─────────┐
///        ┘        └──────┘         └───
///  next                              rest   ┌────────┐      ┌─
///        ───────────────────────────────────┘        └──────┘
/// ```
public struct Series: Bursts {
  public var keys = Keys.game
  /// How long the first stroke of a row is held, the second, and so on; the last law is that of all that follow.
  public var holds: [any Law]
  /// From a release of the key to its next press.
  public var gap: any Law = 0.0...0.0
  /// How many strokes a row has.
  public var row = 1...1
  /// From the end of a row to the next key's first press; below 0 they overlap.
  public var rest: any Law = 0.0...0.0
  /// How many rows there are.
  public var rows = 1

  public init(holds: [any Law]) {
    self.holds = holds
  }

  public func burst(_ random: inout SeededRandom) -> [Stroke] {
    let first = random.whole(in: 0...keys.count - 1)
    var press = 0.0
    var strokes: [Stroke] = []
    for row in 0..<rows {
      let key = keys[(first + row) % keys.count]
      for number in 0..<random.whole(in: self.row) {
        if number > 0 { press += gap.draw(&random) }
        let hold = holds[min(number, holds.count - 1)].draw(&random)
        strokes.append(Stroke(key: key, at: press, hold: hold))
        press += hold
      }
      press += rest.draw(&random)
    }
    return strokes.sorted { $0.press < $1.press }
  }
}

extension Series {
  /// A key without contacts that releases as soon as the finger rises a little, and presses as soon as it sinks again: long
  /// holds, with gaps that no switch with contacts would show.
  public static var rapidTrigger: Series {
    var series = Series(holds: [Lognormal(median: 180, spread: 0.4, in: 80...1000)])
    series.gap = 5.0...40.0
    series.row = 200...200
    return series
  }
}
