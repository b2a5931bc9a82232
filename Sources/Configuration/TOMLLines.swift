/// In which lines of a TOML file its tables and keys stand.
///
/// The parser says where a file is no TOML, but not where the values stand that it has read. This reads headers
/// and keys of a file that is known to be TOML, and skips the values. The keys of inline tables stand in the
/// line of the table.
struct TOMLLines {
  private var lines: [[String]: Int] = [:]

  /// A place at which a file is no TOML, of a kind that must be found before the parser gets to see it.
  struct Fault {
    /// The line's number, from 1.
    var line: Int
    /// Where the table or key begins that it is part of, in bytes.
    var start: Int
    var message: String
  }

  /// The first header in which no name begins, or closing brace where a list goes on. The parser does not refuse
  /// them but ends the program.
  private(set) var fault: Fault?

  /// - Parameter text: Bytes of UTF-8, without a byte order mark.
  init(of text: some Sequence<UInt8>) {
    var scanner = Scanner(text: Array(text))
    var table: [String] = []
    var counts: [[String]: Int] = [:]
    while let place = scanner.next() {
      fault = fault ?? place.fault
      switch place.kind {
      case .table:
        table = place.path
      case .elementOfArray:
        counts[place.path, default: 0] += 1
        table = place.path + [String(counts[place.path, default: 1] - 1)]
      case .key:
        note(table + place.path, place.line)
        continue
      }
      note(table, place.line)
    }
  }

  private mutating func note(_ path: [String], _ line: Int) {
    lines[path] = lines[path] ?? line
  }

  /// The line of what stands at the path, or of what it is part of; `nil` if not even that is known.
  func line(of path: [String]) -> Int? {
    var path = path
    while !path.isEmpty {
      if let line = lines[path] { return line }
      path.removeLast()
    }
    return nil
  }
}

extension TOMLLines {
  /// A header or a key.
  fileprivate struct Place {
    enum Kind {
      case table
      case elementOfArray
      case key
    }

    var kind: Kind
    var path: [String]
    var line: Int
    /// Where it begins.
    var start: Int
    var fault: Fault?
  }

  /// Reads on from one header or key to the next.
  fileprivate struct Scanner {
    let text: [UInt8]
    private var position = 0
    private var line = 1

    init(text: [UInt8]) {
      self.text = text
    }

    private var current: UInt8? { position < text.count ? text[position] : nil }

    mutating func next() -> Place? {
      while let byte = current {
        switch byte {
        case UInt8(ascii: "\n"), UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"):
          step()
        case UInt8(ascii: "#"):
          skipComment()
        case UInt8(ascii: "["):
          var place = Place(kind: .table, path: [], line: line, start: position)
          step()
          if current == UInt8(ascii: "[") {
            place.kind = .elementOfArray
            step()
          }
          skipBlanks()
          if let byte = current, !isBare(byte), !isQuote(byte), byte != UInt8(ascii: "]") {
            place.fault = Fault(
              line: line, start: place.start,
              message: "found a table without a name; expected its name after “[”")
          }
          place.path = path()
          skipLine(of: &place)
          return place
        default:
          var place = Place(kind: .key, path: [], line: line, start: position)
          place.path = path()
          // Never without moving on, whatever stands there.
          if position == place.start { step() }
          skipLine(of: &place)
          return place
        }
      }
      return nil
    }

    private mutating func step() {
      guard let byte = current else { return }
      if byte == UInt8(ascii: "\n") { line += 1 }
      position += 1
    }

    private mutating func skipComment() {
      while let byte = current, byte != UInt8(ascii: "\n") { step() }
    }

    /// Names with dots between them.
    private mutating func path() -> [String] {
      var path: [String] = []
      while let byte = current {
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "."):
          step()
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
          let start = position + 1
          skipString()
          path.append(
            String(decoding: text[min(start, position)..<max(start, position - 1)], as: UTF8.self))
        case _ where isBare(byte):
          let start = position
          while let byte = current, isBare(byte) { step() }
          path.append(String(decoding: text[start..<position], as: UTF8.self))
        default:
          return path
        }
      }
      return path
    }

    private mutating func skipBlanks() {
      while current == UInt8(ascii: " ") || current == UInt8(ascii: "\t") { step() }
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

    /// Skips the rest of the line, and the lines that belong to the same value.
    private mutating func skipLine(of place: inout Place) {
      var brackets: [UInt8] = []
      while let byte = current {
        switch byte {
        case UInt8(ascii: "\n") where brackets.isEmpty:
          return
        case UInt8(ascii: "#"):
          skipComment()
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
          skipString()
        case UInt8(ascii: "["), UInt8(ascii: "{"):
          brackets.append(byte)
          step()
        case UInt8(ascii: "]"), UInt8(ascii: "}"):
          if byte == UInt8(ascii: "}"), brackets.last == UInt8(ascii: "["), place.fault == nil {
            place.fault = Fault(
              line: line, start: place.start,
              message: "found “}” in a list; expected a value or “]”")
          }
          _ = brackets.popLast()
          step()
        default:
          step()
        }
      }
    }

    /// Skips a string of any of the four kinds.
    private mutating func skipString() {
      guard let quote = current else { return }
      let isMultiline = text[position...].prefix(3).elementsEqual([quote, quote, quote])
      let length = isMultiline ? 3 : 1
      for _ in 0..<length { step() }
      while let byte = current {
        if byte == quote, text[position...].prefix(length).allSatisfy({ $0 == quote }) {
          for _ in 0..<length { step() }
          // A string of several lines may end in quotation marks of its own.
          while isMultiline, current == quote { step() }
          return
        }
        if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") { step() }
        if current != nil { step() }
      }
    }
  }
}
