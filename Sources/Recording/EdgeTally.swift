import Debounce

/// What an ``EdgeComparison`` has counted.
public struct EdgeTally: Equatable, Sendable {
  /// What the engine has counted.
  public internal(set) var counters = Counters()
  /// Events that are not of keys.
  public internal(set) var others = 0
  /// How often events were lost.
  public internal(set) var losses = 0

  private var keys: [KeyCode: Key] = [:]

  private struct Key: Equatable {
    var presses = 0
    var removed = 0
  }

  /// What was counted of one key.
  public struct KeyTally: Equatable, Sendable {
    public let key: KeyCode
    /// Presses that the switch reported.
    public let presses: Int
    /// Those of them that were removed.
    public let removed: Int
  }

  /// The keys of which anything was removed, those with the most first.
  public var mostRemoved: [KeyTally] {
    keys.filter { $0.value.removed > 0 }
      .sorted { ($1.value.removed, $0.key) < ($0.value.removed, $1.key) }
      .map { KeyTally(key: $0.key, presses: $0.value.presses, removed: $0.value.removed) }
  }

  mutating func countPress(of key: KeyCode) {
    keys[key, default: Key()].presses += 1
  }

  mutating func countRemoval(of key: KeyCode) {
    keys[key, default: Key()].removed += 1
  }

  mutating func takeBackRemoval(of key: KeyCode) {
    keys[key, default: Key()].removed -= 1
  }
}
