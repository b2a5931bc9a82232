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
