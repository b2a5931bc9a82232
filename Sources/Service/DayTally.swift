import Debounce
import Glibc
import Status

/// A device's counts for each day. The device's counts only grow; a day's counts are what they grew by on that day.
///
/// The tally receives the totals whenever they are published, and at no other time: what was typed in the last minute before
/// midnight may count as of the day after.
struct DayTally {
  /// A day that is over, and what had been counted when the next one began.
  struct Turn: Equatable, Sendable {
    var day: Day
    var counts: KeyDays
    var next: StoredDays.Beginning
  }

  /// The day that is not over, and the totals at its beginning.
  private(set) var beginning: StoredDays.Beginning
  /// The totals as they were received last.
  private var latest: KeyDays
  /// Whether the beginning of a day was stored, or handed over for it.
  private var isStored = false

  init(on day: Day = .today) {
    (beginning, latest) = (.init(day, [:]), [:])
  }

  /// Receives what was stored: the totals, and when their last day began; `nil` if that was not stored.
  mutating func add(_ totals: KeyDays, _ stored: StoredDays.Beginning?, on today: Day = .today) {
    latest = totals
    guard let stored else {
      // A version that did not store days counted these. They count for no day.
      beginning = .init(today, totals)
      return
    }
    isStored = true
    // After a crash or a reset, the totals may be lower than they were when the day began.
    beginning = .init(
      stored.day,
      totals.reduce(into: [:]) { limited, total in
        limited[total.key] = stored.totals[total.key]?.limited(to: total.value)
      })
  }

  /// Receives the totals as they are published.
  ///
  /// - Returns: What is to be stored: the day that has ended since the last time, or the beginning of the first.
  mutating func receive(_ totals: KeyDays, on today: Day) -> Turn? {
    defer { latest = totals }
    guard today != beginning.day else {
      guard !isStored, !totals.isEmpty else { return nil }
      isStored = true
      return Turn(day: today, counts: [:], next: beginning)
    }
    let ended = (day: beginning.day, counts: latest.since(beginning.totals))
    beginning = .init(today, latest)
    isStored = true
    return Turn(day: ended.day, counts: ended.counts, next: beginning)
  }

  /// Counts of each day that are not stored yet.
  ///
  /// - Parameter totals: The totals as somebody may know them.
  func pending(_ totals: KeyDays, on today: Day) -> [Day: KeyDays] {
    guard today != beginning.day else { return [today: totals.since(beginning.totals)] }
    // The day has changed since the totals were received last: what was counted since then is today's, for now.
    return [beginning.day: latest.since(beginning.totals), today: totals.since(latest)]
  }

  mutating func reset(_ key: KeyCode?, on today: Day = .today) {
    guard let key else {
      self = DayTally(on: today)
      return
    }
    beginning.totals[key] = nil
    latest[key] = nil
  }
}

extension Day {
  static var today: Day { Day(unixTime: time(nil)) }
}
