/// Numbers written for people.
extension BinaryInteger {
  /// The number with a comma between thousands: 48,213.
  public var grouped: String {
    let digits = Array(String(magnitude))
    var text = self < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index).isMultiple(of: 3) { text += "," }
      text.append(digit)
    }
    return text
  }

  /// The number with a noun in singular or plural: 1 press, 2 presses.
  public func counted(_ noun: String) -> String {
    if self == 1 { return "1 \(noun)" }
    let ending = noun.hasSuffix("s") || noun.hasSuffix("sh") ? "es" : "s"
    return "\(grouped) \(noun)\(ending)"
  }

  /// How often something happened: once, 2 times.
  public var times: String { self == 1 ? "once" : "\(grouped) times" }
}

/// A share in thousandths, with one decimal: 6.5. A small share is shown as <0.1 and not as 0.
///
/// - Returns: `nil` if the whole is 0.
public func perThousand(_ part: UInt64, of whole: UInt64) -> String? {
  whole > 0 ? (Double(part) * 1000 / Double(whole)).decimal() : nil
}

/// A span of time in its two largest units: 3 days 4 hours.
public func inWords(seconds: Double) -> String {
  let whole = Int(exactly: seconds.rounded(.down)) ?? 0
  let units = [(86400, "day"), (3600, "hour"), (60, "minute"), (1, "second")]
  guard let largest = units.firstIndex(where: { whole >= $0.0 }) else { return "0 seconds" }
  let (length, noun) = units[largest]
  var text = (whole / length).counted(noun)
  // Seconds do not matter beside minutes.
  if largest + 1 < units.count - 1 {
    let (next, noun) = units[largest + 1]
    let rest = whole % length / next
    if rest > 0 { text += " " + rest.counted(noun) }
  }
  return text
}

extension Double {
  /// The number with so many digits after the point: 12.5. A small number is shown as <0.1 and not as 0.
  public func decimal(_ places: Int = 1) -> String {
    guard isFinite else { return "?" }
    let scale = (0..<places).reduce(1.0) { scale, _ in scale * 10 }
    let whole = (magnitude * scale).rounded()
    guard whole < 1e15 else { return "?" }
    let sign = self < 0 && whole > 0 ? "-" : ""
    if self > 0, whole == 0 { return "<" + (1 / scale).decimal(places) }
    guard places > 0 else { return sign + Int(whole).grouped }
    let digits = String(Int(whole) % Int(scale)).aligned(to: places, with: "0")
    return "\(sign)\((Int(whole) / Int(scale)).grouped).\(digits)"
  }

  /// The number with about two digits: 0.31, 3.1, 31.
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
  /// Both ends: 3.9–12.7; one number if both look the same.
  public var short: String {
    let (low, high) = (lowerBound.short, upperBound.short)
    return low == high ? low : "\(low)–\(high)"
  }

  /// Both ends in percent: 3.9–13 %.
  public var percent: String { "\((lowerBound * 100).short)–\((upperBound * 100).short) %" }
}

/// Reads a span of time as people write it: `90s`, `45m`, `2h`, `1h30m`, `1d`.
///
/// - Returns: The seconds, at least 1; `nil` if the text is no span of time, or one longer than a year.
public func seconds(ofSpan text: String) -> UInt32? {
  let form = /(?:([0-9]{1,9})d)?(?:([0-9]{1,9})h)?(?:([0-9]{1,9})m)?(?:([0-9]{1,9})s)?/
  guard let match = text.wholeMatch(of: form) else { return nil }
  let parts = zip([match.1, match.2, match.3, match.4], [86400, 3600, 60, 1])
  let total = parts.reduce(0) { $0 + ($1.0.flatMap { Int($0) } ?? 0) * $1.1 }
  return (1...366 * 86400).contains(total) ? UInt32(total) : nil
}
