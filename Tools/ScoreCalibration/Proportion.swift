import Calibration

/// So many out of so many, with the exact 95 % interval.
struct Proportion: Sendable {
  var part = 0
  var whole = 0

  mutating func add(_ hit: Bool) {
    whole += 1
    if hit { part += 1 }
  }

  mutating func add(_ other: Proportion) {
    part += other.part
    whole += other.whole
  }

  var share: Double { whole == 0 ? 0 : Double(part) / Double(whole) }
  var interval: ClosedRange<Double> { FaultRate(faults: part, strokes: whole).interval }
}

/// A mean with its 95 % interval.
struct Mean: Sendable {
  private var count = 0.0
  private var sum = 0.0
  private var squares = 0.0

  mutating func add(_ value: Double) {
    count += 1
    sum += value
    squares += value * value
  }

  mutating func add(_ other: Mean) {
    count += other.count
    sum += other.sum
    squares += other.squares
  }

  var isEmpty: Bool { count == 0 }
  var value: Double { count == 0 ? 0 : sum / count }
  /// Half the width of the interval.
  var margin: Double {
    guard count > 1 else { return .infinity }
    let variance = max(0, squares / count - value * value) * count / (count - 1)
    return 1.96 * (variance / count).squareRoot()
  }
}
