/// Measured numbers, written for people.
extension Double {
  /// The number with so many digits after the point: 12.5. A small number is not shown as 0 but as <0.1.
  public func decimal(_ places: Int = 1) -> String {
    guard isFinite else { return "?" }
    let scale = (0..<places).reduce(1.0) { scale, _ in scale * 10 }
    let whole = (magnitude * scale).rounded()
    guard whole < 1e15 else { return "?" }
    let sign = self < 0 && whole > 0 ? "-" : ""
    if self > 0, whole == 0 { return "<" + (1 / scale).decimal(places) }
    guard places > 0 else { return sign + Int(whole).grouped }
    let digits = String(Int(whole) % Int(scale))
    let zeros = String(repeating: "0", count: places - digits.count)
    return "\(sign)\((Int(whole) / Int(scale)).grouped).\(zeros)\(digits)"
  }

  /// The number without digits that mean nothing: 0.31, 3.1, 31.
  public var short: String {
    switch magnitude {
    case 0: "0"
    case ..<0.995: decimal(2)
    case ..<9.95: decimal(1)
    default: decimal(0)
    }
  }

  /// The share in percent: 7.5 %.
  public var percent: String { "\((self * 100).short) %" }
}

extension ClosedRange<Double> {
  /// Both ends: 3.9–12.7.
  public var short: String { "\(lowerBound.short)–\(upperBound.short)" }

  /// Both ends in percent: 3.9–13 %.
  public var percent: String { "\((lowerBound * 100).short)–\((upperBound * 100).short) %" }
}
