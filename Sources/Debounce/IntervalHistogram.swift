/// How often intervals of about each length occurred: 16 classes, narrow where chatter is told from fingers.
///
/// Counts stop at their largest value and never wrap around.
public struct IntervalHistogram: Equatable, Sendable {
  /// How many classes there are.
  public static let classCount = Counts.scalarCount

  /// Where each class but the last ends, in microseconds: a class holds what is shorter than its bound and not
  /// shorter than the one before. The last has no end.
  public static let bounds: [Microseconds] = (0..<classCount - 1).map { Microseconds(limits[$0]) }

  typealias Counts = SIMD16<UInt32>

  private static let limits = SIMD16<Int32>(
    1_000, 2_000, 3_000, 5_000, 8_000, 12_000, 16_000, 20_000, 25_000, 30_000, 40_000, 50_000,
    75_000, 100_000, 150_000, .max)

  private var counts = Counts()

  public init() {}

  /// A histogram with these counts, one a class; missing ones are 0, and further ones are left out.
  public init(_ counts: some Sequence<UInt32>) {
    for (index, count) in counts.prefix(Self.classCount).enumerated() { self.counts[index] = count }
  }

  /// The counts, one a class.
  public var values: [UInt32] { (0..<Self.classCount).map { counts[$0] } }

  /// How many intervals were counted.
  public var total: UInt64 { values.reduce(0) { $0 + UInt64($1) } }

  /// Counts an interval.
  @inline(__always)
  mutating func add(_ interval: Microseconds) {
    let length = Int32(truncatingIfNeeded: min(max(interval, 0), Microseconds(Int32.max - 1)))
    let isLonger = Self.limits .<= SIMD16(repeating: length)
    let index = Int(Counts().replacing(with: 1, where: isLonger).wrappedSum())
    if counts[index] < .max { counts[index] += 1 }
  }

  /// Adds the counts of another histogram.
  mutating func add(_ other: IntervalHistogram) {
    for index in 0..<Self.classCount {
      let (sum, overflow) = counts[index].addingReportingOverflow(other.counts[index])
      counts[index] = overflow ? .max : sum
    }
  }
}
