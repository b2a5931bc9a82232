import Debounce

/// A histogram of intervals in bins of a millisecond up to 200 ms, with one more bin for longer ones. Its size is fixed.
public struct FineHistogram: Equatable, Sendable, Codable {
  /// The number of bins of a millisecond.
  public static let length = 200

  /// The counts: `bins[n]` of intervals from n up to n + 1 milliseconds; the last bin of longer ones.
  public private(set) var bins = [UInt32](repeating: 0, count: length + 1)
  public private(set) var total = 0

  private enum CodingKeys: String, CodingKey { case bins }

  public init() {}

  /// - Throws: `DecodingError` if the number of bins is wrong. The file may have been edited.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    bins = try values.decode([UInt32].self, forKey: .bins)
    total = bins.reduce(0) { $0 + Int($1) }
    guard bins.count == Self.length + 1 else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "not a histogram of this length"))
    }
  }

  mutating func add(_ interval: Microseconds, count: UInt32 = 1) {
    let bin = Int(min(max(interval, 0) / 1000, Microseconds(Self.length)))
    let (sum, overflow) = bins[bin].addingReportingOverflow(count)
    bins[bin] = overflow ? .max : sum
    total &+= Int(count)
  }

  mutating func add(_ other: FineHistogram) {
    for (bin, count) in other.bins.enumerated() where count > 0 {
      add(Microseconds(bin) * 1000, count: count)
    }
  }

  /// The number of intervals shorter than this, in whole milliseconds.
  public func count(below milliseconds: Int) -> Int {
    bins.prefix(max(0, milliseconds)).reduce(0) { $0 + Int($1) }
  }

  /// The quantile in milliseconds, with intervals spread evenly within each bin: 200 if it lies beyond the bins, `nil`
  /// if there are no intervals.
  public func quantile(_ share: Double) -> Double? {
    guard total > 0 else { return nil }
    var left = share * Double(total)
    for (bin, count) in bins.enumerated() where count > 0 {
      if left <= Double(count) {
        return bin == Self.length ? Double(bin) : Double(bin) + max(0, left) / Double(count)
      }
      left -= Double(count)
    }
    return Double(Self.length)
  }

  /// The bins from `low` up to `limit` ms that are not empty.
  func nonEmptyBins(from low: Int = 0, to limit: Int) -> [Bin] {
    (low..<max(low, min(limit, Self.length))).filter { bins[$0] > 0 }.map { bin in
      Bin(low: Double(bin), high: Double(bin) + 1, count: Double(bins[bin]))
    }
  }
}

/// The number of intervals whose lengths lie in a range, in milliseconds.
struct Bin: Equatable, Sendable {
  var low: Double
  var high: Double
  var count: Double
}
