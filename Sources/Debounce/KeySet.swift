/// A set of key codes: which keys are down.
public struct KeySet: Equatable, Sendable {
  private var words: ContiguousArray<UInt64>

  public init() {
    words = ContiguousArray(repeating: 0, count: EventType.keyCount / UInt64.bitWidth)
  }

  /// The set of the given codes; codes that no kernel sends are left out.
  public init(_ codes: some Sequence<KeyCode>) {
    self.init()
    for code in codes { insert(code) }
  }

  public mutating func insert(_ code: KeyCode) {
    guard code < EventType.keyCount else { return }
    words[Int(code) / 64] |= 1 << (UInt64(code) % 64)
  }

  public mutating func remove(_ code: KeyCode) {
    guard code < EventType.keyCount else { return }
    words[Int(code) / 64] &= ~(1 << (UInt64(code) % 64))
  }

  public mutating func removeAll() {
    for index in words.indices { words[index] = 0 }
  }

  public func contains(_ code: KeyCode) -> Bool {
    code < EventType.keyCount && words[Int(code) / 64] & 1 << (UInt64(code) % 64) != 0
  }

  /// How many keys are in the set.
  public var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }

  /// Whether every key of this set is in the other.
  public func isSubset(of other: KeySet) -> Bool {
    words.indices.allSatisfy { words[$0] & ~other.words[$0] == 0 }
  }

  public var isEmpty: Bool { words.allSatisfy { $0 == 0 } }
}

extension KeySet: Sequence {
  /// The keys, in ascending order of their codes.
  public func makeIterator() -> LazyFilterSequence<Range<KeyCode>>.Iterator {
    (0..<KeyCode(EventType.keyCount)).lazy.filter { contains($0) }.makeIterator()
  }

  /// The keys that are in one of the two sets only.
  public func symmetricDifference(_ other: KeySet) -> KeySet {
    var difference = self
    for index in words.indices { difference.words[index] ^= other.words[index] }
    return difference
  }
}
