/// Reads a span of time as people write it: `90s`, `45m`, `2h`, `1h30m`, `1d`.
///
/// - Returns: The seconds, at least 1; `nil` if it is none, or longer than a year.
public func seconds(ofSpan text: String) -> UInt32? {
  let units: [Character: UInt64] = ["s": 1, "m": 60, "h": 3600, "d": 86400]
  var total: UInt64 = 0
  var number: UInt64?
  var last = UInt64.max
  for character in text {
    if let digit = character.wholeNumberValue, character.isASCII {
      number = (number ?? 0) * 10 + UInt64(digit)
      guard number ?? 0 <= 100_000_000 else { return nil }
    } else if let unit = units[character], unit < last, let count = number {
      (total, number, last) = (total + count * unit, nil, unit)
    } else {
      return nil
    }
  }
  guard number == nil, (1...366 * 86400).contains(total) else { return nil }
  return UInt32(total)
}
