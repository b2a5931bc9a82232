import Randomness

/// A key without contacts that releases as soon as the finger rises a little, and presses as soon as it sinks
/// again: long holds, with gaps that no switch with contacts would show.
public struct RapidTrigger: Bursts {
  /// How long the key is down, in milliseconds.
  public var hold = Lognormal(median: 180, spread: 0.4, in: 80...1000)
  /// From release to press, in milliseconds.
  public var gap = 5.0...40.0
  /// How many presses a burst has.
  public var length = 200

  public init() {}

  public func burst(_ random: inout SeededRandom) -> [Stroke] {
    let key = Keys.game[random.whole(in: 0...Keys.game.count - 1)]
    var press = 0.0
    return (0..<length).map { _ in
      let hold = hold.draw(&random)
      defer { press += hold + random.uniform(in: gap) }
      return Stroke(key: key, at: press, hold: hold)
    }
  }
}
