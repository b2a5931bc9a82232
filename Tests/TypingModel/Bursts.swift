import Debounce
import Randomness

/// What makes strokes in bursts: a finger that taps, a machine that types.
public protocol Bursts: Sendable {
  /// The strokes of the next burst, in the order of their presses. It begins at the time 0.
  func burst(_ random: inout SeededRandom) -> [Stroke]

  /// Whether a stroke of a burst is there to be scored. By default it is.
  func isCounted(_ stroke: Stroke) -> Bool
}

extension Bursts {
  public func isCounted(_ stroke: Stroke) -> Bool { true }

  /// A burst on a device that has just been plugged in.
  ///
  /// - Parameters:
  ///   - uncounted: How many presses at its beginning are not to be scored.
  ///   - isWorn: Whether the switch can show a fault in the stroke of this index.
  public func session(
    wear: Wear = .none, link: Link = Link(), uncounted: Int = 0, seed: UInt64,
    isWorn: (Int) -> Bool = { _ in true }
  ) -> Session {
    var random = SeededRandom(seed: seed, stream: 4)
    let begin: Microseconds = 1_000_000
    let strokes = burst(&random).map { $0.moved(by: begin) }
    return Session(
      strokes, wear: wear, link: link, seed: seed,
      isCounted: { $0 >= uncounted && isCounted(strokes[$0]) }, isWorn: isWorn)
  }
}
