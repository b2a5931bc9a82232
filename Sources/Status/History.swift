import Debounce
import EventDevices
import Glibc

/// What was counted of each key on each day: what `status --history --json` writes.
public struct CountedHistory: Codable, Equatable, Sendable {
  public var devices: [Device]

  public init(devices: [Device]) {
    self.devices = devices
  }

  /// A device, and the days of which anything is kept, the oldest first.
  public struct Device: Codable, Equatable, Sendable {
    /// Its node, such as `/dev/input/event3`.
    public var node: String
    public var device: DeviceIdentity
    public var days: [OneDay]

    public init(
      node: String, device: DeviceIdentity, days: [Day: KeyDays], name: (KeyCode) -> String
    ) {
      self.node = node
      self.device = device
      self.days = days.sorted { $0.key < $1.key }.map { day, keys in
        OneDay(
          day: day,
          keys: keys.sorted { $0.key < $1.key }.map { code, counts in
            Key(key: name(code), code: code, counts: counts)
          })
      }
    }
  }

  /// A day (UTC), and the keys that were pressed on it.
  public struct OneDay: Codable, Equatable, Sendable {
    public var day: Day
    public var keys: [Key]
  }

  /// What was counted of a key on a day.
  public struct Key: Codable, Equatable, Sendable {
    /// The key's name, such as `KEY_E`.
    public var key: String
    public var code: KeyCode
    public var counts: KeyDay
  }
}

/// What was counted of one key on one day, or up to one: strokes, and chatter by kind.
public struct KeyDay: Codable, Equatable, Sendable {
  /// Strokes passed on.
  public var strokes: UInt32 = 0
  /// Chatter removed.
  public var chatter = ChatterTally<UInt32>()

  public init() {}

  /// What was counted of the key so far.
  public init(_ counts: KeyCounts) {
    strokes = counts.strokes
    chatter = counts.chatter
  }

  public var isEmpty: Bool { self == KeyDay() }

  /// The counts in the order in which they are stored.
  static let counts: [WritableKeyPath<KeyDay, UInt32> & Sendable] = [
    \.strokes, \.chatter.pressBounces, \.chatter.releaseBounces, \.chatter.dropOuts,
  ]

  private func combined(with other: KeyDay, _ combine: (UInt32, UInt32) -> UInt32) -> KeyDay {
    var result = KeyDay()
    result.strokes = combine(strokes, other.strokes)
    result.chatter = chatter.combined(with: other.chatter, combine)
    return result
  }

  public static func + (left: KeyDay, right: KeyDay) -> KeyDay {
    left.combined(with: right) { $0.adding($1) }
  }

  /// What was counted between two moments. A count that has become smaller, because chatter turned out to be of another
  /// kind, did not grow.
  public static func - (later: KeyDay, earlier: KeyDay) -> KeyDay {
    later.combined(with: earlier) { $0.subtracting($1) }
  }

  /// The smaller one of each count.
  public func limited(to other: KeyDay) -> KeyDay { combined(with: other, min) }
}

/// What was counted of a device's keys on one day, or up to one.
public typealias KeyDays = [KeyCode: KeyDay]

extension KeyDays {
  public init(_ keys: [KeyStatus]) {
    self.init(
      keys.map { ($0.code, KeyDay($0.counts)) }.filter { !$0.1.isEmpty },
      uniquingKeysWith: { first, _ in first })
  }

  /// What was counted since another moment.
  public func since(_ earlier: KeyDays) -> KeyDays {
    Dictionary(
      uniqueKeysWithValues: map { ($0.key, $0.value - earlier[$0.key, default: KeyDay()]) }
        .filter { !$0.1.isEmpty })
  }

  /// Adds what was counted at another time.
  public mutating func add(_ other: KeyDays) { merge(other, uniquingKeysWith: +) }
}

/// A file of the daemon's state folder: what was counted of one device's keys on each day, for 400 days.
///
/// It has no time of day and no order of keys. A day is of UTC.
public struct StoredDays: Equatable, Sendable {
  /// For how many days counts are kept.
  public static let longest = 400
  /// By how many days the newest may be old if others are to age by it: a clock may be far ahead for a moment.
  private static let longestGap = 31
  /// How many keys of a day are kept at most: those with the most strokes. It bounds the file, whatever a device sends.
  static let mostKeys = 256

  /// What had been counted when a day began.
  public struct Beginning: Equatable, Sendable {
    public var day: Day
    public var totals: KeyDays

    public init(_ day: Day, _ totals: KeyDays) {
      (self.day, self.totals) = (day, totals)
    }
  }

  /// When the day that is not over began; `nil` in what is sent, and not stored.
  public var beginning: Beginning?
  /// What was counted on each day that is over.
  public var days: [Day: KeyDays] = [:]

  public init() {}

  /// Adds what was counted on a day, and drops what is too old.
  ///
  /// - Parameter today: The day by which others are too old.
  public mutating func add(_ counts: KeyDays, on day: Day, today: Day) {
    let newest = days.keys.max()
    if !counts.isEmpty { days[day, default: [:]].add(counts) }
    if newest.map({ today.days(since: $0) <= Self.longestGap }) ?? true {
      days = days.filter { today.days(since: $0.key) < Self.longest }
    }
    // Where the clock was wrong there are days to come.
    for day in days.keys.sorted().dropLast(Self.longest) { days[day] = nil }
    guard let counts = days[day], counts.count > Self.mostKeys else { return }
    let most = counts.sorted { ($0.value.strokes, $1.key) > ($1.value.strokes, $0.key) }
    days[day] = KeyDays(uniqueKeysWithValues: most.prefix(Self.mostKeys).map { $0 })
  }

  /// Drops all that is known of a key.
  public mutating func reset(_ key: KeyCode) {
    beginning?.totals[key] = nil
    for day in days.keys {
      days[day]?[key] = nil
      if days[day]?.isEmpty == true { days[day] = nil }
    }
  }
}

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
public struct NewerFormat: Error, Equatable {
  public let format: Int

  public init(format: Int) {
    self.format = format
  }
}

/// A day of the calendar (UTC), as `2026-11-22`: as exact as is told of when something was learned.
public struct Day: RawRepresentable, Codable, Hashable, Comparable, CustomStringConvertible,
  Sendable
{
  public let rawValue: String

  public init(unixTime: Int) {
    var (seconds, date) = (time_t(unixTime), tm())
    gmtime_r(&seconds, &date)
    func padded(_ number: CInt, _ digits: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
    rawValue =
      "\(padded(date.tm_year + 1900, 4))-\(padded(date.tm_mon + 1, 2))-\(padded(date.tm_mday, 2))"
  }

  /// The day that is written so; `nil` if this is none.
  public init?(rawValue text: String) {
    guard text.utf8.count == 10, let seconds = Self.seconds(of: text) else { return nil }
    self.init(unixTime: seconds)
    guard rawValue == text else { return nil }
  }

  public init?(_ text: String) { self.init(rawValue: text) }

  public var description: String { rawValue }

  public static func < (left: Day, right: Day) -> Bool { left.rawValue < right.rawValue }

  /// How many days it is after another one; negative if it is before.
  public func days(since other: Day) -> Int {
    ((Self.seconds(of: rawValue) ?? 0) - (Self.seconds(of: other.rawValue) ?? 0)) / 86_400
  }

  /// The beginning of a day, in seconds since 1970.
  private static func seconds(of text: String) -> Int? {
    let fields = text.split(separator: "-").compactMap { CInt($0) }
    guard fields.count == 3 else { return nil }
    var date = tm()
    (date.tm_year, date.tm_mon, date.tm_mday) = (fields[0] - 1900, fields[1] - 1, fields[2])
    return timegm(&date)
  }
}
