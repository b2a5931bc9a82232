extension UnsignedInteger {
  /// The number in hexadecimal, as vendors and products are written, filled up with zeros to so many digits.
  package func hexadecimal(digits: Int = 4) -> String {
    let text = String(self, radix: 16)
    return String(repeating: "0", count: Swift.max(0, digits - text.utf8.count)) + text
  }
}
