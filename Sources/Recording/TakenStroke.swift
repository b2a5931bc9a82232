import Debounce

/// A stroke of a key with meanings, or two of them, and what it was taken for.
public struct TakenStroke: Equatable, Sendable {
  /// When the stroke began, as its strategy emitted it.
  public let start: Microseconds
  /// When this was decided.
  public let time: Microseconds
  /// The key that a finger pressed.
  public let key: KeyCode
  public let meaning: Meaning
  /// The key that was emitted for it.
  public let emitted: KeyCode

  public init(
    start: Microseconds, time: Microseconds, key: KeyCode, meaning: Meaning, emitted: KeyCode
  ) {
    (self.start, self.time, self.key) = (start, time, key)
    (self.meaning, self.emitted) = (meaning, emitted)
  }

  init(_ outcome: Outcome, _ meaning: Meaning, _ emitted: KeyCode) {
    self.init(
      start: outcome.edge, time: outcome.time, key: outcome.key, meaning: meaning, emitted: emitted)
  }
}
