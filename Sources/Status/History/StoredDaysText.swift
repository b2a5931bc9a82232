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

  /// The days as text.
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
  /// - Throws: ``StoredDaysError`` if it is damaged, or of a newer version.
  public init(_ text: String) throws(StoredDaysError) {
    self.init()
    // A file that was cut off has no line break at its end.
    guard text.utf8.last == UInt8(ascii: "\n") else { throw .damaged(line: 1) }
    for (index, line) in text.utf8.split(
      separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false
    ).dropLast().enumerated() {
      guard index > 0 else {
        guard let format = Self.format(Substring(line)) else { throw .damaged(line: 1) }
        guard format <= Self.presentFormat else { throw .newer(format: format) }
        continue
      }
      guard read(line: Substring(line)) else { throw .damaged(line: index + 1) }
    }
  }

  private static func format(_ line: Substring) -> Int? {
    guard line.hasPrefix(title) else { return nil }
    return Int(line.dropFirst(title.count)).flatMap { $0 > 0 ? $0 : nil }
  }

  /// Reads a line after the first.
  ///
  /// - Returns: Whether it is one.
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
      // Written by versions that announced which keys are worn.
      break
    case let text:
      guard let day = Day(String(text)), days[day] == nil, let keys = Self.keys(fields),
        !keys.isEmpty
      else { return false }
      days[day] = keys
    }
    return true
  }

  private typealias Field = Substring.UTF8View

  /// The key and what is said of it; `nil` if the field is none of a key.
  private static func key(_ field: Field) -> (KeyCode, Field)? {
    let parts = field.split(separator: UInt8(ascii: "="), maxSplits: 1)
    guard parts.count == 2, let key = KeyCode(Substring(parts[0])) else { return nil }
    return (key, parts[1])
  }

  private static func keys(_ fields: ArraySlice<Field>) -> KeyDays? {
    var keys: KeyDays = [:]
    for field in fields {
      guard let (key, text) = key(field), keys[key] == nil else { return nil }
      let values = text.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
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

/// Why a file of days cannot be used.
public enum StoredDaysError: Error, Equatable {
  /// It is of a newer version.
  case newer(format: Int)
  /// A line is not as it was written.
  case damaged(line: Int)
}
