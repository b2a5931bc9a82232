import CTOML

/// The text of a TOML file, which converts between the bytes, lines and columns of the parser and of messages.
struct SourceText {
  let bytes: [UInt8]
  /// The bytes of each line, without its line break.
  let lines: [Range<Int>]

  /// - Parameter bytes: UTF-8, without a byte order mark.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
      $0.startIndex..<($0.last == UInt8(ascii: "\r") ? $0.endIndex - 1 : $0.endIndex)
    }
  }

  /// - Returns: The document, which the caller frees; `nil` with an error if the text is not valid TOML.
  func parse(_ error: inout ctoml_error) -> OpaquePointer? {
    bytes.withUnsafeBytes { bytes in
      ctoml_parse(bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count, &error)
    }
  }

  /// The number of the line that contains a byte, from 1.
  func line(at offset: Int) -> Int {
    var (low, high) = (0, lines.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if lines[middle].lowerBound <= offset { low = middle } else { high = middle }
    }
    return high
  }

  /// The place of a range of bytes. Bytes past the end of the text or of their line count as the end.
  func place(of range: Range<Int>) -> SourcePlace {
    let number = line(at: range.lowerBound)
    let line = lines[number - 1]
    let start = min(range.lowerBound, line.upperBound)
    let end = min(range.upperBound, line.upperBound)
    let text = Array(String(decoding: bytes[line], as: UTF8.self))
    var offset = line.lowerBound
    let ends = text.map { character in
      offset += character.utf8.count
      return offset
    }
    let first = ends.prefix { $0 <= start }.count
    let marked = first..<(end > start ? ends.prefix { $0 < end }.count + 1 : first)
    return SourcePlace(line: number, text: text, marking: marked)
  }

  /// The byte at a position. A column past the end of the line counts as the beginning of the next line.
  func offset(of position: ctoml_position) -> Int {
    let number = Int(position.line)
    guard (1...lines.count).contains(number) else { return bytes.count }
    let next = number < lines.count ? lines[number].lowerBound : bytes.count
    // A byte 10xxxxxx continues the scalar before it.
    let scalars = (lines[number - 1].lowerBound..<next).lazy.filter { bytes[$0] & 0xc0 != 0x80 }
    return scalars.dropFirst(max(Int(position.column) - 1, 0)).first ?? next
  }

  func range(of region: ctoml_region) -> Range<Int> {
    let start = offset(of: region.begin)
    return start..<max(offset(of: region.end), start)
  }

  /// The name in a table's header, without the brackets; `nil` if the range is not a header.
  func headerName(at range: Range<Int>) -> Range<Int>? {
    let header = bytes[range]
    let isName = { (byte: UInt8) in !"[] \t".utf8.contains(byte) }
    guard header.first == UInt8(ascii: "["), let start = header.firstIndex(where: isName),
      let end = header.lastIndex(where: isName)
    else { return nil }
    return start..<end + 1
  }
}
