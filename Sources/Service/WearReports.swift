import Debounce
import Status

/// When it is reported to everyone that a switch of a device is worn: once for each key, and not again within a week.
///
/// Whoever receives a report must not learn when the key was pressed. So it is made a minute or more after the counts that
/// were decisive, at one of the whole minutes at which counts are published.
struct WearReports {
  /// The shortest time from the decisive press to the report.
  static let distance: Microseconds = 60_000_000
  /// In days.
  static let pause = 7

  /// When it was last reported of each key.
  private(set) var reported: [KeyCode: Day] = [:]
  /// What was found, and has not been reported.
  private var found: [KeyCode: (verdict: KeyVerdict, at: Instant)] = [:]

  /// Whether anything waits to be reported.
  var isWaiting: Bool { !found.isEmpty }

  /// Receives what was stored.
  mutating func add(reported earlier: [KeyCode: Day]) {
    reported.merge(earlier, uniquingKeysWith: max)
  }

  /// The keys of which it may be reported that they are worn: those that have chattered today, unless it was reported
  /// lately.
  func candidates(today counts: KeyDays, on day: Day) -> [KeyCode] {
    counts.filter { key, counts in
      counts.chatter > 0 && found[key] == nil && !wasReportedLately(key, on: day)
    }.keys.sorted()
  }

  private func wasReportedLately(_ key: KeyCode, on day: Day) -> Bool {
    // Where the clock was wrong, that may be days to come.
    reported[key].map { (0..<Self.pause).contains(day.days(since: $0)) } ?? false
  }

  /// Receives verdicts on switches that are bad.
  ///
  /// - Parameter moment: When their counts were taken.
  mutating func add(_ verdicts: [KeyCode: KeyVerdict], at moment: Instant) {
    for (key, verdict) in verdicts where found[key] == nil { found[key] = (verdict, moment) }
  }

  /// Takes what is to be reported now, a verdict for each key.
  mutating func takeDue(at now: Instant, on day: Day) -> [KeyVerdict] {
    let due = found.filter { now - $0.value.at >= Self.distance }
    for key in due.keys {
      found[key] = nil
      reported[key] = day
    }
    return due.values.map(\.verdict).sorted { $0.rawValue < $1.rawValue }
  }

  /// Drops what is known of a key, or of all.
  mutating func reset(_ key: KeyCode?) {
    guard let key else {
      self = WearReports()
      return
    }
    reported[key] = nil
    found[key] = nil
  }
}
