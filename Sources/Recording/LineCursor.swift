import Debounce

/// A place in a line of bytes, from which one reads on field by field.
///
/// Bytes and not characters: a recording has millions of lines, and all of it but a name is ASCII.
struct LineCursor {
  private let bytes: ArraySlice<UInt8>
  private var position: Int

  /// Begins at the start of the line, with blanks around it, marks of quotation before it and a carriage return at its end
  /// left out.
  init(_ line: ArraySlice<UInt8>) {
    var start = line.startIndex
    var end = line.endIndex
    // An excerpt may be quoted, as in a message.
    while start < end, isBlank(line[start]) || line[start] == UInt8(ascii: ">") { start += 1 }
    while end > start, isBlank(line[end - 1]) { end -= 1 }
    bytes = line[start..<end]
    position = start
  }

  var line: ArraySlice<UInt8> { bytes }

  /// What has not been read yet.
  var rest: ArraySlice<UInt8> { bytes[position...] }

  var isAtEnd: Bool { position == bytes.endIndex }

  var next: UInt8? { isAtEnd ? nil : bytes[position] }

  /// Whether a field ends here.
  var isAtBoundary: Bool { isAtEnd || isBlank(bytes[position]) }

  mutating func takeByte() -> UInt8? {
    guard let byte = next else { return nil }
    position += 1
    return byte
  }

  mutating func skipBlanks() {
    while !isAtEnd, isBlank(bytes[position]) { position += 1 }
  }

  /// Reads exactly this text; reads nothing if something else follows.
  mutating func take(_ text: StaticString) -> Bool {
    guard bytes.endIndex - position >= text.utf8CodeUnitCount else { return false }
    for offset in 0..<text.utf8CodeUnitCount
    where bytes[position + offset] != text.utf8Start[offset] { return false }
    position += text.utf8CodeUnitCount
    return true
  }

  /// Reads on behind the next place where this text stands; reads nothing if there is none.
  mutating func take(through text: StaticString) -> Bool {
    let start = position
    while !isAtEnd {
      if take(text) { return true }
      position += 1
    }
    position = start
    return false
  }

  /// Whether the line ends here, but perhaps for a comment.
  mutating func isAtComment() -> Bool {
    skipBlanks()
    return isAtEnd || bytes[position] == UInt8(ascii: "#")
  }
}

// MARK: - Numbers

extension LineCursor {
  /// Reads digits, at least one; `nil` if there is none or if the number is larger than `limit`.
  private mutating func digits(radix: UInt64, limit: UInt64) -> UInt64? {
    let start = position
    var number: UInt64 = 0
    while let byte = next, let digit = value(of: byte), digit < radix {
      position += 1
      // `limit` is far from the type's own.
      number = number * radix + digit
      guard number <= limit else { return nil }
    }
    return position == start ? nil : number
  }

  /// Reads a field of hexadecimal digits.
  mutating func hexadecimalField<Number: FixedWidthInteger & UnsignedInteger>(
    _: Number.Type
  ) -> Number? {
    skipBlanks()
    guard let number = digits(radix: 16, limit: UInt64(Number.max)), isAtBoundary else {
      return nil
    }
    return Number(number)
  }

  /// Reads a field that is a decimal number, perhaps negative.
  mutating func decimalField() -> Int32? {
    skipBlanks()
    guard let number = decimal(), isAtBoundary else { return nil }
    return number
  }

  /// Reads a decimal number, perhaps negative, whatever follows it.
  mutating func decimal() -> Int32? {
    let isNegative = take("-")
    guard let number = digits(radix: 10, limit: UInt64(Int32.max) + 1) else { return nil }
    return Int32(exactly: isNegative ? -Int64(number) : Int64(number))
  }

  /// Reads a hexadecimal number, with or without `0x` before it, whatever follows.
  mutating func hexadecimal<Number: FixedWidthInteger & UnsignedInteger>(
    _: Number.Type
  ) -> Number? {
    _ = take("0x")
    return digits(radix: 16, limit: UInt64(Number.max)).map { Number($0) }
  }

  /// Reads seconds with up to six decimals.
  mutating func seconds() -> Microseconds? {
    guard let seconds = digits(radix: 10, limit: latestSecond), take(".") else { return nil }
    let start = position
    guard let fraction = digits(radix: 10, limit: 999_999) else { return nil }
    var scaled = Microseconds(fraction)
    guard position - start <= 6 else { return nil }
    for _ in (position - start)..<6 { scaled *= 10 }
    return Microseconds(seconds) * 1_000_000 + scaled
  }
}

/// The latest second of a recording: three thousand years, and far from what the engine cannot calculate with.
private let latestSecond: UInt64 = 99_999_999_999

@inline(__always)
private func isBlank(_ byte: UInt8) -> Bool {
  byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
}

@inline(__always)
private func value(of byte: UInt8) -> UInt64? {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
  case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte - UInt8(ascii: "a") + 10)
  case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(byte - UInt8(ascii: "A") + 10)
  default: nil
  }
}

/// One line of a recording on its way, of those that there are many of: put together in memory that has room for it, and
/// appended at once: a recording is not to cost the daemon much.
struct LineText {
  /// No line is longer, not even one that names ``RecordingText/mostHeld`` keys. Up to 1024, it is on the stack.
  static let room = 768

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

  mutating func append(seconds time: Microseconds) {
    let time = UInt64(max(0, time))
    append(time / 1_000_000, digits: 1)
    append(UInt8(ascii: "."))
    append(time % 1_000_000, digits: 6)
  }

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
