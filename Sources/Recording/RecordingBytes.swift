import Debounce

/// The parts that lines of a recording are made of. Nothing is allocated while there is room.
extension [UInt8] {
  mutating func append(_ text: StaticString) {
    append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// A time in seconds with six decimals.
  mutating func append(seconds time: Microseconds) {
    append(UInt64(time / 1_000_000), digits: 1)
    append(UInt8(ascii: "."))
    append(UInt64(time % 1_000_000), digits: 6)
  }

  /// A decimal number with at least so many digits.
  mutating func append(_ number: UInt64, digits: Int) {
    var divisor: UInt64 = 1
    var count = 1
    while count < digits || number / divisor >= 10 {
      divisor *= 10
      count += 1
    }
    while divisor > 0 {
      append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
      divisor /= 10
    }
  }

  /// A number as four hexadecimal digits.
  mutating func append(hexadecimal number: UInt16) {
    for shift in stride(from: 12, through: 0, by: -4) {
      let digit = UInt8(truncatingIfNeeded: number >> UInt16(shift) & 0xf)
      append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit)
    }
  }
}
