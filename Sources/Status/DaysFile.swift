import Debounce

/// The text of a file of days: a line that names the format, and one for each day.
///
///     keydebounce days 1
///     from 2026-11-22 18=3870/130/73/94 30=1204
///     2026-11-20 18=112/4/0/1 30=51
///     2026-11-21 18=120/3 30=55
///
/// After a key's number are its strokes, press bounces, release bounces and drop-outs; zeros at the end are left out.
extension StoredDays {
  /// The format that is written. Files of a higher one are of a newer version, and left alone.
  public static let presentFormat = 1

  private static let title = "keydebounce days "

  public var text: String {
    var lines = ["\(Self.title)\(Self.presentFormat)"]
    if let beginning { lines.append("from " + Self.line(beginning.day, beginning.totals)) }
    lines += days.sorted { $0.key < $1.key }.map { Self.line($0.key, $0.value) }
    return lines.map { $0 + "\n" }.joined()
  }

  private static func line(_ day: Day, _ keys: KeyDays) -> String {
    var line = "\(day)"
    for (key, counts) in keys.sorted(by: { $0.key < $1.key }) {
      let values = KeyDay.counts.map { counts[keyPath: $0] }
      let length = (values.lastIndex { $0 != 0 } ?? 0) + 1
      line += " \(key)=" + values.prefix(length).map(String.init).joined(separator: "/")
    }
    return line
  }

  /// Reads the text of a file.
  ///
  /// - Returns: `nil` if it is damaged.
  public init?(_ text: String) throws(NewerFormat) {
    let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { Substring($0) }
    // A file that was cut off has no line break at its end.
    guard lines.count > 1, lines.last == "", lines[0].hasPrefix(Self.title),
      let format = Int(lines[0].dropFirst(Self.title.count)), format > 0
    else { return nil }
    guard format <= Self.presentFormat else { throw NewerFormat(format: format) }
    for line in lines.dropFirst().dropLast() {
      guard read(line: line) else { return nil }
    }
  }

  /// Reads a line after the first.
  private mutating func read(line: Substring) -> Bool {
    var fields = line.utf8.split(separator: UInt8(ascii: " "))[...]
    guard let first = fields.popFirst() else { return false }
    switch Substring(first) {
    case "from":
      guard beginning == nil, let day = fields.popFirst().flatMap({ Day(String(Substring($0))) }),
        let totals = Self.keys(fields)
      else { return false }
      beginning = Beginning(day, totals)
    case "reported":
      // Versions that announced which keys are worn wrote such lines.
      break
    case let text:
      guard let day = Day(String(text)), days[day] == nil, let keys = Self.keys(fields),
        !keys.isEmpty
      else { return false }
      days[day] = keys
    }
    return true
  }

  private static func keys(_ fields: ArraySlice<Substring.UTF8View>) -> KeyDays? {
    var keys: KeyDays = [:]
    for field in fields {
      let parts = field.split(separator: UInt8(ascii: "="), maxSplits: 1)
      guard parts.count == 2, let key = KeyCode(Substring(parts[0])), keys[key] == nil else {
        return nil
      }
      let values = parts[1].split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      guard values.count <= KeyDay.counts.count else { return nil }
      var counts = KeyDay()
      for (count, value) in zip(KeyDay.counts, values) {
        guard let value = UInt32(Substring(value)) else { return nil }
        counts[keyPath: count] = value
      }
      keys[key] = counts
    }
    return keys
  }
}

/// A file was written by a newer version, in a form that this one does not know.
public struct NewerFormat: Error {
  public let format: Int
}
