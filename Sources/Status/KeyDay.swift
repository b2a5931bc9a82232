import Debounce

/// The counts of one key on one day, or up to one: strokes, and chatter by kind.
public struct KeyDay: Codable, Equatable, Sendable {
  /// Strokes passed on.
  public var strokes: UInt32 = 0
  /// Chatter removed.
  public var chatter = ChatterTally<UInt32>()

  public init() {}

  /// The counts of the key so far.
  public init(_ counts: KeyCounts) {
    strokes = counts.strokes
    chatter = counts.chatter
  }

  public var isEmpty: Bool { self == KeyDay() }

  /// The counts in the order in which they are stored.
  static let counts: [WritableKeyPath<KeyDay, UInt32> & Sendable] = [
    \.strokes, \.chatter.pressBounces, \.chatter.releaseBounces, \.chatter.dropOuts,
  ]

  private func combined(with other: KeyDay, _ combine: (UInt32, UInt32) -> UInt32) -> KeyDay {
    var result = KeyDay()
    result.strokes = combine(strokes, other.strokes)
    result.chatter = chatter.combined(with: other.chatter, combine)
    return result
  }

  public static func + (left: KeyDay, right: KeyDay) -> KeyDay {
    left.combined(with: right) { $0.adding($1) }
  }

  /// The counts between two moments. A count may have become smaller, because chatter turned out to be of another kind:
  /// then nothing was counted.
  public static func - (later: KeyDay, earlier: KeyDay) -> KeyDay {
    later.combined(with: earlier) { $0.subtracting($1) }
  }

  /// The smaller one of each count.
  public func limited(to other: KeyDay) -> KeyDay { combined(with: other, min) }
}

/// The counts of a device's keys on one day, or up to one.
public typealias KeyDays = [KeyCode: KeyDay]

extension KeyDays {
  public init(_ keys: [KeyStatus]) {
    self.init(
      keys.map { ($0.code, KeyDay($0.counts)) }.filter { !$0.1.isEmpty },
      uniquingKeysWith: { first, _ in first })
  }

  /// The counts since another moment.
  public func since(_ earlier: KeyDays) -> KeyDays {
    Dictionary(
      uniqueKeysWithValues: map { ($0.key, $0.value - earlier[$0.key, default: KeyDay()]) }
        .filter { !$0.1.isEmpty })
  }

  /// Adds what was counted at another time.
  public mutating func add(_ other: KeyDays) { merge(other, uniquingKeysWith: +) }
}
