/// How often intervals of about each length occurred: 16 classes, narrow where chatter is distinguished from fingers.
///
/// Counts stop at their largest value and never wrap around.
public struct IntervalHistogram: Sendable {
  /// How many classes there are.
  public static let classCount = 16

  /// Where each class but the last ends, in microseconds: a class holds what is shorter than its bound and not
  /// shorter than the one before. The last has no end.
  public static let bounds: [Microseconds] = [
    1_000, 2_000, 3_000, 5_000, 8_000, 12_000, 16_000, 20_000, 25_000, 30_000, 40_000, 50_000,
    75_000, 100_000, 150_000,
  ]

  /// The counts, one a class: in place, so that counting allocates nothing.
  private var counts = InlineArray<16, UInt32>(repeating: 0)

  public init() {}

  /// A histogram with these counts, one a class; missing ones are 0, and further ones are left out.
  public init(_ counts: some Sequence<UInt32>) {
    for (index, count) in counts.prefix(Self.classCount).enumerated() {
      self.counts[index] = count
    }
  }

  /// The counts, one a class.
  public var values: [UInt32] { counts.indices.map { counts[$0] } }

  /// How many intervals were counted.
  public var total: UInt64 { values.reduce(0) { $0 + UInt64($1) } }

  /// Counts an interval.
  @inline(__always)
  mutating func count(_ interval: Microseconds) {
    counts[Self.place(of: interval)].countUp()
  }

  /// Takes back an interval that was counted.
  mutating func uncount(_ interval: Microseconds) {
    counts[Self.place(of: interval)].countDown()
  }

  mutating func add(_ other: IntervalHistogram) {
    for index in counts.indices { counts[index].add(other.counts[index]) }
  }

  /// The class of an interval according to ``bounds``, found with a few comparisons where most intervals are.
  @inline(__always)
  private static func place(of interval: Microseconds) -> Int {
    switch interval {
    case 150_000...: 15
    case 100_000...: 14
    case 75_000...: 13
    case 50_000...: 12
    case 40_000...: 11
    case 30_000...: 10
    case 25_000...: 9
    case 20_000...: 8
    case 16_000...: 7
    case 12_000...: 6
    case 8_000...: 5
    case 5_000...: 4
    case 3_000...: 3
    case 2_000...: 2
    case 1_000...: 1
    default: 0
    }
  }
}

extension IntervalHistogram: Equatable, Codable {
  public static func == (left: IntervalHistogram, right: IntervalHistogram) -> Bool {
    left.counts.indices.allSatisfy { left.counts[$0] == right.counts[$0] }
  }

  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode([UInt32].self))
  }

  /// Writes the counts without the zeros at the end.
  public func encode(to encoder: any Encoder) throws {
    let values = values
    var container = encoder.singleValueContainer()
    try container.encode(Array(values.prefix((values.lastIndex { $0 != 0 } ?? -1) + 1)))
  }
}
