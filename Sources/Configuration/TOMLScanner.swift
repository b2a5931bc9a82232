/// Reads a TOML file from one header or key to the next, and notes where everything stands.
///
/// Reads on whatever stands there: what is no TOML, the parser says.
struct TOMLScanner {
  /// A header, or a key with its value.
  struct Part {
    var fault: TOMLPlaces.Fault?
  }

  /// How many names with dots between them are believed.
  private static let mostNames = 32

  private let text: [UInt8]
  private var position = 0
  /// The table that the last header named; `nil` if it lies too deep for anything that is known.
  private var table: [String]? = []

  init(text: [UInt8]) {
    self.text = text
  }

  private var current: UInt8? { position < text.count ? text[position] : nil }

  /// Reads the next header, or key with its value; `nil` at the end.
  mutating func next(noting places: inout TOMLPlaces) -> Part? {
    while let byte = current {
      switch byte {
      case UInt8(ascii: "\n"), UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"):
        position += 1
      case UInt8(ascii: "#"):
        skipComment()
      case UInt8(ascii: "["):
        return header(&places)
      default:
        return key(&places)
      }
    }
    return nil
  }

  private mutating func header(_ places: inout TOMLPlaces) -> Part {
    let start = position
    position += 1
    let isElement = current == UInt8(ascii: "[")
    if isElement { position += 1 }
    skipBlanks()
    var part = Part()
    if let byte = current, !isBare(byte), !isQuote(byte), byte != UInt8(ascii: "]") {
      part.fault = .init(
        range: position..<position + 1, start: start,
        message: "found a table without a name; expected its name after “[”")
    }
    let names = names()
    if part.fault == nil { part.fault = tooManyNames(names, in: start) }
    table = places.note(header: names, isElement: isElement)
    readRest(of: &part, from: start, value: nil, hasValue: false, &places)
    return part
  }

  private mutating func key(_ places: inout TOMLPlaces) -> Part {
    let start = position
    var part = Part()
    let names = names()
    part.fault = tooManyNames(names, in: start)
    let path = places.note(key: names, in: table)
    // Never without moving on, whatever stands there.
    if position == start { position += 1 }
    if current == UInt8(ascii: "=") { position += 1 }
    readRest(of: &part, from: start, value: path, hasValue: true, &places)
    return part
  }
}

// MARK: - Values

extension TOMLScanner {
  /// A list or an inline table that is not closed yet.
  private struct Container {
    let isTable: Bool
    /// Its path; `nil` if it lies too deep for anything that is known.
    let path: [String]?
    let start: Int
    /// How many elements have been read of a list.
    var count = 0
  }

  /// Reads the rest of the line, and the lines that belong to the same value.
  ///
  /// - Parameters:
  ///   - value: The path of the value that comes next; `nil` if none does, or if it lies too deep for anything that is
  ///     known.
  ///   - hasValue: Whether one does.
  private mutating func readRest(
    of part: inout Part, from start: Int, value: [String]?, hasValue: Bool,
    _ places: inout TOMLPlaces
  ) {
    var open: [Container] = []
    var value = value
    var isValueNext = hasValue
    while let byte = current {
      switch byte {
      case UInt8(ascii: "\n") where open.isEmpty:
        return
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"),
        UInt8(ascii: "="):
        position += 1
      case UInt8(ascii: "#"):
        skipComment()
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        open.append(
          Container(
            isTable: byte == UInt8(ascii: "{"),
            path: value.flatMap { $0.count < TOMLPlaces.deepest ? $0 : nil }, start: position))
        position += 1
        isValueNext = byte == UInt8(ascii: "[")
        value = isValueNext ? open.last?.path.map { $0 + ["0"] } : nil
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        if byte == UInt8(ascii: "}"), open.last?.isTable == false, part.fault == nil {
          part.fault = .init(
            range: position..<position + 1, start: start,
            message: "found “}” in a list; expected a value or “]”")
        }
        position += 1
        if let closed = open.popLast(), let path = closed.path {
          places.note(value: closed.start..<position, of: path)
        }
        value = nil
        isValueNext = false
      case UInt8(ascii: ","):
        position += 1
        value = nil
        isValueNext = false
        if let last = open.indices.last, !open[last].isTable {
          isValueNext = true
          open[last].count += 1
          value = open[last].path.map { $0 + [String(open[last].count)] }
        }
      default:
        if !isValueNext, let table = open.last, table.isTable, isBare(byte) || isQuote(byte) {
          let names = names()
          if part.fault == nil { part.fault = tooManyNames(names, in: start) }
          value = places.note(key: names, in: table.path)
          isValueNext = true
        } else {
          let range = scalar()
          if let path = value { places.note(value: range, of: path) }
          value = nil
          isValueNext = false
          if part.fault == nil {
            part.fault =
              dateWithoutTime(at: range, in: start) ?? dateWithOneDigit(at: range, in: start)
          }
        }
      }
    }
    // What is not closed ends with the file.
    for container in open {
      if let path = container.path { places.note(value: container.start..<text.count, of: path) }
    }
  }

  /// Reads a value that is neither a list nor a table.
  private mutating func scalar() -> Range<Int> {
    let start = position
    guard let byte = current, !isQuote(byte) else {
      skipString()
      return start..<position
    }
    var end = start
    while let byte = current, !endsScalar(byte) {
      position += 1
      // Blanks may stand within a date, and stand behind everything.
      if byte != UInt8(ascii: " "), byte != UInt8(ascii: "\t"), byte != UInt8(ascii: "\r") {
        end = position
      }
    }
    return start..<max(end, start + 1)
  }

  /// What is wrong with a date behind which a time is announced (`1979-05-27T`) and something else follows.
  private func dateWithoutTime(at range: Range<Int>, in start: Int) -> TOMLPlaces.Fault? {
    guard let value = possibleDate(at: range) else { return nil }
    let date = value.prefix(11)
    let isDate = zip("0000-00-00T".utf8, date).allSatisfy { form, byte in
      switch form {
      case UInt8(ascii: "0"): isDigit(byte)
      case UInt8(ascii: "T"): byte | 0x20 == UInt8(ascii: "t")
      default: byte == form
      }
    }
    guard isDate, date.count == 11, let next = value.dropFirst(11).first, !isDigit(next) else {
      return nil
    }
    return TOMLPlaces.Fault(
      range: range, start: start,
      message: "found a date and “T” without a time behind it; expected a time, as 07:32:00")
  }

  /// What is wrong with a date behind which an hour of one digit begins (`1979-05-27 7`). What has a date's length, and
  /// hyphens where a date has them, is one to the parser; underscores do not count.
  private func dateWithOneDigit(at range: Range<Int>, in start: Int) -> TOMLPlaces.Fault? {
    guard let value = possibleDate(at: range),
      let blank = value.firstIndex(of: UInt8(ascii: " "))
    else { return nil }
    let date = Array(
      String(decoding: value[..<blank], as: UTF8.self).unicodeScalars.filter { $0 != "_" })
    let digits = value[blank...].dropFirst().prefix(2).prefix(while: isDigit).count
    guard date.count == 10, date[4] == "-", date[7] == "-", digits == 1 else { return nil }
    return TOMLPlaces.Fault(
      range: range, start: start,
      message: "found a date and one digit behind it; expected a time, as 07:32:00")
  }

  /// What the parser takes for one value that begins with a digit, with the blanks that a date may hold: it reads on where
  /// another value begins, and 128 characters at most, of four bytes each.
  private func possibleDate(at range: Range<Int>) -> ArraySlice<UInt8>? {
    guard isDigit(text[range.lowerBound]) else { return nil }
    return text[range.lowerBound...].prefix(4 * 128).prefix { !"\n,]}#".utf8.contains($0) }
  }

  private func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private func endsScalar(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "\n"), UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"),
      UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: "#"), UInt8(ascii: "\""),
      UInt8(ascii: "'"):
      true
    default:
      false
    }
  }
}

// MARK: - Names, strings and comments

extension TOMLScanner {
  private mutating func skipComment() {
    while let byte = current, byte != UInt8(ascii: "\n") { position += 1 }
  }

  private mutating func skipBlanks() {
    while current == UInt8(ascii: " ") || current == UInt8(ascii: "\t") { position += 1 }
  }

  /// Names with dots between them.
  private mutating func names() -> [TOMLPlaces.Name] {
    var names: [TOMLPlaces.Name] = []
    while let byte = current {
      let start = position
      switch byte {
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "."):
        position += 1
      case _ where isQuote(byte):
        skipString()
        let inside = text[min(start + 1, position)..<max(start + 1, position - 1)]
        let isLiteral = byte == UInt8(ascii: "'")
        let name = isLiteral ? String(decoding: inside, as: UTF8.self) : unescaped(inside)
        names.append((name, start..<position))
      case _ where isBare(byte):
        while let byte = current, isBare(byte) { position += 1 }
        names.append((String(decoding: text[start..<position], as: UTF8.self), start..<position))
      default:
        return names
      }
    }
    return names
  }

  /// What is wrong with more names in one than the parser, which goes down a step for each, has a stack for.
  private func tooManyNames(_ names: [TOMLPlaces.Name], in start: Int) -> TOMLPlaces.Fault? {
    guard names.count > Self.mostNames else { return nil }
    return TOMLPlaces.Fault(
      range: names[Self.mostNames].range, start: start,
      message: "found a name of \(names.count) parts; expected one or two, as device.name")
  }

  /// What stands between quotation marks, with its escapes resolved.
  private func unescaped(_ bytes: ArraySlice<UInt8>) -> String {
    var name = ""
    var rest = String(decoding: bytes, as: UTF8.self).unicodeScalars[...]
    while let scalar = rest.popFirst() {
      guard scalar == "\\", let sign = rest.popFirst() else {
        name.unicodeScalars.append(scalar)
        continue
      }
      switch sign {
      case "b": name.unicodeScalars.append("\u{8}")
      case "t": name.unicodeScalars.append("\t")
      case "n": name.unicodeScalars.append("\n")
      case "f": name.unicodeScalars.append("\u{c}")
      case "r": name.unicodeScalars.append("\r")
      case "u", "U":
        let digits = rest.prefix(sign == "u" ? 4 : 8)
        rest = rest.dropFirst(digits.count)
        let value = UInt32(String(digits), radix: 16)
        name.unicodeScalars.append(value.flatMap(Unicode.Scalar.init) ?? "\u{fffd}")
      default: name.unicodeScalars.append(sign)
      }
    }
    return name
  }

  private func isQuote(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
  }

  /// Whether a name may hold the byte without quotation marks.
  private func isBare(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default:
      false
    }
  }

  /// Skips a string of any of the four kinds.
  private mutating func skipString() {
    guard let quote = current else { return }
    let isMultiline = text[position...].prefix(3).elementsEqual([quote, quote, quote])
    let length = isMultiline ? 3 : 1
    position += length
    while let byte = current {
      if byte == quote, text[position...].prefix(length).allSatisfy({ $0 == quote }) {
        position += length
        // A string of several lines may end in quotation marks of its own.
        while isMultiline, current == quote { position += 1 }
        break
      }
      position += byte == UInt8(ascii: "\\") && quote == UInt8(ascii: "\"") ? 2 : 1
    }
    position = min(position, text.count)
  }
}
