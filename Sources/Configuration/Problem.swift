import Terminal

/// One thing that is wrong with the configuration, or unwise.
public struct Problem: Equatable, Sendable {
  public enum Severity: String, Sendable {
    /// Nothing can be done with the configuration.
    case error
    /// The configuration is read, but it probably does not do what was meant.
    case warning
    /// Nothing need be wrong: it is said because it is what one looks for.
    case note
  }

  public let severity: Severity
  /// The file or folder.
  public let file: String
  /// Where in the file; `nil` if it is about the file as a whole.
  public let place: SourcePlace?
  /// What was found, what was expected, and the nearest right name: one line, without control characters.
  public let message: String
  private let kind: Kind

  init(
    _ kind: Kind, severity: Severity = .error, file: String, place: SourcePlace? = nil,
    message: String
  ) {
    self.severity = severity
    self.kind = kind
    self.file = file.printable
    self.place = place
    self.message = message.printable
  }

  /// The line's number, from 1; `nil` if it is about the file as a whole.
  public var line: Int? { place?.line }
  /// The column, from 1, in characters as people count them: a tab is one, and so is a letter with its accents.
  public var column: Int? { place?.column }
  /// How many characters of the line are wrong.
  public var length: Int? { place?.length }

  /// Where it is, as compilers write it: the file, the line and the column.
  public var location: String {
    place.map { "\(file):\($0.line):\($0.column)" } ?? file
  }
}

extension Problem: CustomStringConvertible {
  /// Where and what, in one line.
  public var description: String { "\(location): \(message)" }

  /// The same with the line of the file, and what is wrong marked in it.
  public func explanation(in characters: Characters = .unicode) -> String {
    guard let excerpt = place?.excerpt.lines(in: characters) else { return description }
    return "\(description)\n\(excerpt.line)\n\(excerpt.marker)"
  }

  /// Where, and of what kind: what may appear in a log.
  ///
  /// Names of keys never do, not even those in the configuration. `keydebounce check` shows the rest to everyone who
  /// may read the file.
  public var forLog: String {
    "\(location): \(kind == .file ? message : kind.rawValue)"
  }
}

extension Problem {
  /// What kind of thing is wrong, in words that name no key.
  enum Kind: String, Sendable {
    /// It is about files as such; the message itself names no key.
    case file
    case notTOML = "not TOML"
    case unknownName = "an unknown name"
    case misplaced = "a misplaced name"
    case unknownKey = "an unknown key"
    case wrongValue = "a value of the wrong kind"
    case outOfRange = "a number out of range"
    case repeatedKey = "a key that is given more than once"
    case badGroup = "an incomplete group"
    case badMeaning = "meanings of a key that contradict each other"
    case badChord = "an invalid panic chord"
    case longTime = "a time that is longer than is wise"
    case retired = "a parameter that no longer has an effect"
    case noMatch = "matches no device that is present; “keydebounce list” shows them all"
    case withoutEffect = "a table or a number without an effect"
    case hardlyMeant = "what is legal and hardly meant"
    case missingKey = "a key that the device does not have"
    case missingChord = "a panic chord that a keyboard does not have: the usual one holds there"
  }
}

/// Everything that is wrong with the configuration.
public struct ConfigurationErrors: Error, Equatable, Sendable {
  /// Everything that was found, errors and warnings, by file and line.
  public let findings: [Problem]

  init(_ findings: [Problem]) {
    self.findings = findings
  }

  /// The errors.
  public var problems: [Problem] { findings.filter { $0.severity == .error } }

  /// The warnings.
  public var warnings: [Problem] { findings.filter { $0.severity == .warning } }
}

extension ConfigurationErrors: CustomStringConvertible {
  /// A line for each error.
  public var description: String {
    problems.map(\.description).joined(separator: "\n")
  }
}

/// A line of a file for a terminal, and a marker below the part that is wrong.
///
/// ```
///     KEY_EE = 40
///     ^~~~~~
/// ```
///
/// Tabs stay tabs in both lines; wide characters count twice, combining marks not at all; control characters are shown
/// as symbols. Of a long line, only the part around the marker is shown.
public struct SourceExcerpt: Equatable, Sendable {
  public let line: String
  public let marker: String

  /// The parts of the line that are not shown, for which “…” stands.
  private let isCutBefore: Bool
  private let isCutAfter: Bool

  private static let indentation = "    "
  /// How many columns of a line are shown.
  static let widest = 100
  /// How many columns before the marker are shown of a longer line.
  private static let context = 40
  /// How many columns a tab may take.
  private static let tabWidth = 8

  /// - Parameters:
  ///   - text: The line, or a part of it.
  ///   - marked: Which of its characters are wrong; if empty, the end of the line is.
  ///   - isBegun: Whether the line begins before the text.
  ///   - isContinued: Whether the line continues after it.
  init(of text: [Character], marking marked: Range<Int>, isBegun: Bool, isContinued: Bool) {
    let cells = text.map(Cell.init)
    let isWhole = !isBegun && !isContinued
    let shown = Self.window(of: cells, around: marked.lowerBound, isWhole: isWhole)
    isCutBefore = isBegun || shown.lowerBound > 0
    isCutAfter = isContinued || shown.upperBound < cells.count

    var line = isCutBefore ? "…" : ""
    var marker = isCutBefore ? " " : ""
    for index in shown {
      let cell = cells[index]
      line += cell.text
      if index == marked.lowerBound, !marked.isEmpty {
        marker += "^" + String(repeating: "~", count: cell.isTab ? 0 : cell.width - 1)
      } else if index < marked.upperBound {
        let filling = index < marked.lowerBound ? " " : "~"
        marker += cell.isTab ? "\t" : String(repeating: filling, count: cell.width)
      }
    }
    if marked.isEmpty { marker += "^" }
    self.line = Self.indentation + line + (isCutAfter ? "…" : "")
    self.marker = Self.indentation + marker
  }

  /// The line and the marker for a terminal that shows these characters: what it cannot show are bytes, `\xe2\x80\x9c`.
  /// A substitute would hide a wrong quotation mark.
  public func lines(in characters: Characters) -> (line: String, marker: String) {
    guard characters == .ascii, !line.utf8.allSatisfy({ $0 < 0x80 }) else { return (line, marker) }
    let first = Self.indentation.count
    let last = line.count - 1
    var (text, marks) = ("", "")
    var rest = marker[...]
    for (index, character) in line.enumerated() {
      let width = character == "\t" ? 1 : String(character).columns
      let below = rest.prefix(width)
      rest = rest.dropFirst(width)
      let isCut = isCutBefore && index == first || isCutAfter && index == last
      let shown =
        isCut
        ? "..."
        : character.isASCII
          ? String(character)
          : character.utf8.map { "\\x" + String($0, radix: 16) }.joined()
      text += shown
      marks += below
      if shown.count > width, let mark = below.last {
        marks += String(repeating: mark == " " ? " " : "~", count: shown.count - width)
      }
    }
    return (text, marks + rest)
  }

  /// Which part of a line to show.
  private static func window(of cells: [Cell], around start: Int, isWhole: Bool) -> Range<Int> {
    if isWhole, cells.reduce(0, { $0 + $1.width }) <= widest { return cells.indices }
    var room = widest
    var (first, end) = (start, start)
    // The usual context before the marker, or more if the line ends soon after it.
    let after = cells[start...].prefix(widest).reduce(0) { $0 + $1.width }
    var before = max(context, widest - after)
    while first > 0, cells[first - 1].width <= before {
      first -= 1
      before -= cells[first].width
      room -= cells[first].width
    }
    while end < cells.count, cells[end].width <= room {
      room -= cells[end].width
      end += 1
    }
    return first..<end
  }

  /// A character and how many columns it takes.
  private struct Cell {
    let text: String
    let width: Int
    var isTab: Bool { text == "\t" }

    init(_ character: Character) {
      text = character == "\t" ? "\t" : character.printable
      width = character == "\t" ? SourceExcerpt.tabWidth : displayWidth(of: text)
    }
  }
}

/// A place in a line of a file.
public struct SourcePlace: Equatable, Sendable {
  /// The line's number, from 1.
  public let line: Int
  /// The column, from 1, in characters as people count them.
  public let column: Int
  /// How many characters it is long, at least 1, up to the end of the line.
  public let length: Int
  /// The line and a marker below it, for a terminal.
  public let excerpt: SourceExcerpt
}

/// The text of a file, which converts between bytes, lines and columns.
struct SourceText {
  let bytes: [UInt8]
  private var lines: [Line] = []

  private struct Line {
    var start: Int
    /// Where it ends, before its line break.
    var end: Int
    /// Whether each of its bytes is a character, as in most lines: then nothing needs to be counted.
    var isASCII: Bool
  }

  /// - Parameter bytes: UTF-8, without a byte order mark.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    var line = Line(start: 0, end: 0, isASCII: true)
    for (offset, byte) in bytes.enumerated() {
      if byte == UInt8(ascii: "\n") {
        if line.end > line.start, bytes[line.end - 1] == UInt8(ascii: "\r") { line.end -= 1 }
        lines.append(line)
        line = Line(start: offset + 1, end: offset + 1, isASCII: true)
      } else {
        line.end = offset + 1
        line.isASCII = line.isASCII && byte < 0x80
      }
    }
    lines.append(line)
  }

  /// The place of a range of bytes. Whatever is past the end of the text or of its line counts as the end.
  func place(of range: Range<Int>) -> SourcePlace {
    let number = number(ofLineAt: range.lowerBound)
    let line = lines[number]
    let start = min(range.lowerBound, line.end)
    let end = min(max(range.upperBound, start), line.end)
    let characters = characters(of: line, around: start)
    let first = characters.ends.prefix { $0 <= start }.count
    let last = characters.ends.prefix { $0 < end }.count
    let marked = first..<(end > start ? last + 1 : first)
    return SourcePlace(
      line: number + 1, column: characters.skipped + first + 1, length: max(marked.count, 1),
      excerpt: SourceExcerpt(
        of: characters.text, marking: marked, isBegun: characters.skipped > 0,
        isContinued: characters.isContinued))
  }

  /// The byte at a position. A column past the end of the line counts as the beginning of the next line.
  func offset(of position: TextPosition) -> Int {
    guard lines.indices.contains(position.line - 1) else { return bytes.count }
    let line = lines[position.line - 1]
    let next = lines.indices.contains(position.line) ? lines[position.line].start : bytes.count
    let skipped = max(position.column - 1, 0)
    if line.isASCII { return min(line.start + skipped, next) }
    let text = String(decoding: bytes[line.start..<next], as: UTF8.self)
    return text.unicodeScalars.prefix(skipped).reduce(line.start) { $0 + UTF8.width($1) }
  }

  /// The bytes of each line, without its line break.
  var lineRanges: some Collection<Range<Int>> { lines.lazy.map { $0.start..<$0.end } }

  /// The bytes of the line that contains a byte, without its line break.
  func lineRange(at offset: Int) -> Range<Int> {
    let line = lines[number(ofLineAt: offset)]
    return line.start..<line.end
  }

  /// The number of the line that contains a byte, from 1.
  func line(at offset: Int) -> Int { number(ofLineAt: offset) + 1 }

  private func number(ofLineAt offset: Int) -> Int {
    var (low, high) = (0, lines.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if lines[middle].start <= offset { low = middle } else { high = middle }
    }
    return low
  }

  /// The characters of a line.
  private struct Characters {
    var text: [Character] = []
    /// Where each ends.
    var ends: [Int] = []
    /// How many were left out before them, and whether any were left out after them.
    var skipped = 0
    var isContinued = false
  }

  /// The characters of a line, or of a long one as many as can be shown around some byte.
  private func characters(of line: Line, around start: Int) -> Characters {
    var characters = Characters()
    // Few visible characters have more than four bytes.
    let reach = SourceExcerpt.widest * (line.isASCII ? 1 : 4)
    var first = max(line.start, start - reach)
    var last = min(line.end, start + reach)
    while first > line.start, isContinuation(first) { first -= 1 }
    while last < line.end, isContinuation(last) { last += 1 }
    characters.skipped =
      line.isASCII
      ? first - line.start : String(decoding: bytes[line.start..<first], as: UTF8.self).count
    characters.isContinued = last < line.end
    var end = first
    for character in String(decoding: bytes[first..<last], as: UTF8.self) {
      end += character.utf8.count
      characters.text.append(character)
      characters.ends.append(end)
    }
    return characters
  }

  /// Whether a byte continues the scalar that begins before it.
  private func isContinuation(_ offset: Int) -> Bool { bytes[offset] & 0xc0 == 0x80 }
}
