import Debounce

/// One line of a recording on its way, of those that there are many of: put together in memory that has room for it, and
/// appended at once: a recording is not to cost the daemon much.
struct LineText {
  /// No line of events or outcomes is longer.
  static let room = 256

  private let start: UnsafeMutablePointer<UInt8>
  private(set) var count = 0

  fileprivate init(_ start: UnsafeMutablePointer<UInt8>) {
    self.start = start
  }

  @inline(__always)
  mutating func append(_ byte: UInt8) {
    start[count] = byte
    count += 1
  }

  @inline(__always)
  mutating func append(_ text: StaticString) {
    (start + count).update(from: text.utf8Start, count: text.utf8CodeUnitCount)
    count += text.utf8CodeUnitCount
  }

  mutating func append(text: String) {
    for byte in text.utf8 { append(byte) }
  }

  /// A time in seconds with six decimals.
  mutating func append(seconds time: Microseconds) {
    let time = UInt64(max(0, time))
    append(time / 1_000_000, digits: 1)
    append(UInt8(ascii: "."))
    append(time % 1_000_000, digits: 6)
  }

  /// A decimal number with at least so many digits.
  mutating func append(_ number: UInt64, digits: Int) {
    var length = digits
    var rest = number
    var limit: UInt64 = 10
    for _ in 1..<digits { limit &*= 10 }
    while length < 20, number >= limit {
      length += 1
      // Of 64 bits, 20 digits are the most.
      if length < 20 { limit &*= 10 }
    }
    var index = count + length
    while index > count {
      index -= 1
      start[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
    count += length
  }

  /// A number as four hexadecimal digits.
  mutating func append(hexadecimal number: UInt16) {
    var shift: UInt16 = 16
    while shift > 0 {
      shift -= 4
      let digit = UInt8(truncatingIfNeeded: number &>> shift & 0xf)
      append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit)
    }
  }
}

extension [UInt8] {
  /// Appends a line, with its end.
  @inline(__always)
  mutating func appendLine(_ fill: (inout LineText) -> Void) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: LineText.room) { memory in
      guard let start = memory.baseAddress else { return }
      var line = LineText(start)
      fill(&line)
      line.append(UInt8(ascii: "\n"))
      append(contentsOf: UnsafeBufferPointer(start: start, count: line.count))
    }
  }
}
