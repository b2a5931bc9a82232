import Debounce

/// A file of the daemon's state folder: what was counted of one device's keys on each day, for 400 days.
///
/// It has no time of day and no order of keys. A day is of UTC.
public struct StoredDays: Equatable, Sendable {
  /// For how many days counts are kept.
  public static let longest = 400
  /// Old days are dropped only if the newest is no older than this: a clock that is far ahead for a moment must not drop all.
  private static let longestGap = 31
  /// How many keys of a day are kept at most: those with the most strokes. It bounds the file, whatever a device sends.
  static let mostKeys = 256

  /// The counts when a day began.
  public struct Beginning: Equatable, Sendable {
    public var day: Day
    public var totals: KeyDays

    public init(_ day: Day, _ totals: KeyDays) {
      (self.day, self.totals) = (day, totals)
    }
  }

  /// The beginning of the day that is not over; `nil` in days that are sent, and not stored.
  public var beginning: Beginning?
  /// The counts of each day that is over.
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
    // A clock that was wrong may have made days that are still to come.
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
