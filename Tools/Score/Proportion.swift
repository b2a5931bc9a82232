/// So many out of so many.
struct Proportion: Equatable {
  var part = 0
  var whole = 0

  var share: Double { whole == 0 ? 0 : Double(part) / Double(whole) }

  /// Wilson's interval: what the true share may be, with 95 % confidence.
  var interval: ClosedRange<Double> {
    guard whole > 0 else { return 0...1 }
    let n = Double(whole)
    let z = 1.96
    let middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    let half =
      z / (1 + z * z / n) * (share * (1 - share) / n + z * z / (4 * n * n)).squareRoot()
    return max(0, middle - half)...min(1, middle + half)
  }

  mutating func add(_ hit: Bool) {
    whole += 1
    if hit { part += 1 }
  }

  mutating func add(_ other: Proportion) {
    part += other.part
    whole += other.whole
  }
}
