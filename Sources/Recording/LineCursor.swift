import Debounce

/// A place in a line, from which a parser reads on field by field.
///
/// The line is of bytes and not of characters. A recording has millions of lines, and all of it is ASCII except names.
struct LineCursor {
  let line: ArraySlice<UInt8>
  private var position: Int
  /// The time that is added to moments of the line, in microseconds.
  private let shift: Microseconds

  /// Begins at the start of the line. Blanks around it, marks of quotation before it and a carriage return at its end are left
  /// out.
  init(_ whole: ArraySlice<UInt8>, shiftedBy shift: Microseconds) {
    self.shift = shift
    // An excerpt may be quoted, as in a message.
    let start = whole.firstIndex { !isBlank($0) && $0 != UInt8(ascii: ">") } ?? whole.endIndex
    let end = whole[start...].lastIndex { !isBlank($0) }.map { $0 + 1 } ?? start
    line = whole[start..<end]
    position = start
  }

  var rest: ArraySlice<UInt8> { line[position...] }

  private var isAtBoundary: Bool { position == line.endIndex || isBlank(line[position]) }

  mutating func skipBlanks() {
    while position < line.endIndex, isBlank(line[position]) { position += 1 }
  }

  /// Whether exactly this text comes next.
  func isAt(_ text: StaticString) -> Bool {
    guard line.endIndex - position >= text.utf8CodeUnitCount else { return false }
    for offset in 0..<text.utf8CodeUnitCount
    where line[position + offset] != text.utf8Start[offset] { return false }
    return true
  }

  /// Reads exactly this text; reads nothing if something else follows.
  mutating func take(_ text: StaticString) -> Bool {
    guard isAt(text) else { return false }
    position += text.utf8CodeUnitCount
    return true
  }

  /// Reads up to the end of the next place with this text; reads nothing if there is none.
  mutating func take(through text: StaticString) -> Bool {
    let start = position
    while position < line.endIndex {
      if take(text) { return true }
      position += 1
    }
    position = start
    return false
  }

  /// Reads the next field, whatever it is.
  mutating func word() -> String {
    skipBlanks()
    let field = rest.prefix { !isBlank($0) }
    position = field.endIndex
    return String(decoding: field, as: UTF8.self)
  }

  /// Whether the line ends here, or a comment begins.
  mutating func isAtComment() -> Bool {
    skipBlanks()
    return position == line.endIndex || isAt("#")
  }
}

// MARK: - Numbers, with or without blanks before them

extension LineCursor {
  /// Reads one or more digits; `nil` if there is none, or the number is larger than `limit`.
  private mutating func digits(radix: UInt64, limit: UInt64) -> UInt64? {
    let start = position
    var number: UInt64 = 0
    while position < line.endIndex, let digit = value(of: line[position]), digit < radix {
      position += 1
      // `limit` is so far below the type's own that this does not overflow.
      number = number * radix + digit
      guard number <= limit else { return nil }
    }
    return position == start ? nil : number
  }

  /// Reads a decimal number, which may be negative. Anything may follow it.
  mutating func decimal<Number: FixedWidthInteger>() -> Number? {
    skipBlanks()
    let isNegative = take("-")
    guard let number = digits(radix: 10, limit: 1 << 40) else { return nil }
    return Number(exactly: isNegative ? -Int64(number) : Int64(number))
  }

  /// Reads decimal numbers with commas between them, and a bracket behind them. Returns none if anything else stands there.
  mutating func numbers() -> [Int64] {
    var numbers: [Int64] = []
    repeat {
      guard let number: Int64 = decimal() else { return [] }
      numbers.append(number)
      skipBlanks()
    } while numbers.count < 8 && take(",")
    return take("]") ? numbers : []
  }

  /// Reads a field that is a decimal number, which may be negative.
  mutating func decimalField() -> Int32? {
    guard let number: Int32 = decimal(), isAtBoundary else { return nil }
    return number
  }

  /// Reads a field that is a hexadecimal number, with or without `0x` before it.
  mutating func hexadecimal<Number: FixedWidthInteger & UnsignedInteger>() -> Number? {
    skipBlanks()
    _ = take("0x")
    guard let number = digits(radix: 16, limit: UInt64(Number.max)), isAtBoundary else {
      return nil
    }
    return Number(number)
  }

  /// Reads so many hexadecimal fields. Returns fewer if some fields are no such numbers.
  mutating func hexadecimals<Number: FixedWidthInteger & UnsignedInteger>(
    _ count: Int
  ) -> [Number] {
    (0..<count).compactMap { _ in hexadecimal() }
  }

  mutating func key() -> KeyCode? {
    guard let code: KeyCode = hexadecimal(), code < EventType.keyCount else { return nil }
    return code
  }

  /// Reads the time at which something happened.
  mutating func moment() -> Microseconds? {
    guard let time = seconds(), time + shift <= latestSecond * 1_000_000 else { return nil }
    return time + shift
  }

  /// Reads seconds with up to six decimals. Anything may follow them.
  mutating func seconds() -> Microseconds? {
    skipBlanks()
    guard let seconds = digits(radix: 10, limit: UInt64(latestSecond)), take(".") else {
      return nil
    }
    let start = position
    guard let fraction = digits(radix: 10, limit: 999_999), position - start <= 6 else {
      return nil
    }
    var scaled = Microseconds(fraction)
    for _ in (position - start)..<6 { scaled *= 10 }
    return Microseconds(seconds) * 1_000_000 + scaled
  }

  mutating func signedSeconds() -> Microseconds? {
    skipBlanks()
    let isNegative = take("-")
    return seconds().map { isNegative ? -$0 : $0 }
  }
}

/// The latest second of a recording: three thousand years, and far from an overflow in the engine.
private let latestSecond: Microseconds = 99_999_999_999

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
