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
}

/// A share in thousandths, with one decimal: 6.5. A small share is not shown as 0.
///
/// - Returns: `nil` if the whole is 0.
public func perThousand(_ part: UInt64, of whole: UInt64) -> String? {
  guard whole > 0 else { return nil }
  let tenths = (Double(part) * 10_000 / Double(whole)).rounded()
  if part > 0, tenths < 1 { return "<0.1" }
  let number = UInt64(exactly: tenths) ?? .max
  return "\((number / 10).grouped).\(number % 10)"
}

/// A span of time in its two largest units: 3 days 4 hours.
public func inWords(seconds: Double) -> String {
  let whole = Int(exactly: seconds.rounded(.down)) ?? 0
  let units = [(86400, "day"), (3600, "hour"), (60, "minute"), (1, "second")]
  guard let largest = units.firstIndex(where: { whole >= $0.0 }) else { return "0 seconds" }
  let (length, noun) = units[largest]
  var text = (whole / length).counted(noun)
  // Beside minutes, seconds do not matter.
  if largest + 1 < units.count - 1 {
    let (next, noun) = units[largest + 1]
    let rest = whole % length / next
    if rest > 0 { text += " " + rest.counted(noun) }
  }
  return text
}
