import Configuration
import Debounce
import Glibc
import Logging
import Status

/// What the daemon knows of a device from before, besides its counts: since when, and what came too late to be used.
struct DeviceHistory {
  /// The day on which counting and learning began; `nil` if the version that began did not note it.
  private(set) var since: Day? = .today
  /// When keys became bad, of those that are.
  private var badSince: [KeyCode: Day] = [:]
  /// What was learned earlier, if it was read only when the device had begun to send: it is not used this time, and
  /// stays stored as it is.
  private(set) var unused: LearnedHabits?
  /// What of it is of which day.
  var days = DayTally()
  /// What was reset before it was known what had been stored.
  private var resetKeys: Set<KeyCode> = []

  /// The day on which the key became bad; today if that is new.
  func badSince(_ key: KeyCode) -> Day { badSince[key] ?? .today }

  /// Receives which keys are bad now.
  mutating func update(bad: some Sequence<KeyCode>) {
    badSince = Dictionary(bad.map { ($0, badSince($0)) }, uniquingKeysWith: { first, _ in first })
  }

  /// Receives what was stored, and returns it without what was reset since the daemon began to read it.
  mutating func add(_ earlier: StoredCounts) -> StoredCounts {
    var earlier = earlier
    earlier.keys.removeAll { resetKeys.contains($0.code) }
    resetKeys = []
    since = earlier.since
    for key in earlier.keys where key.badFor != nil {
      badSince[key.code] = key.badSince ?? .today
    }
    return earlier
  }

  /// Receives that what was stored cannot be used this time.
  mutating func keepUnused(_ habits: LearnedHabits) {
    unused = habits.isEmpty ? nil : habits
  }

  /// Receives that a key was reset, or the whole device.
  mutating func reset(_ key: KeyCode?, isReading: Bool) {
    guard let key else {
      self = DeviceHistory()
      return
    }
    badSince[key] = nil
    days.reset(key)
    unused?.keys.removeAll { $0.code == key }
    if isReading { resetKeys.insert(key) }
  }
}

extension Day {
  static var today: Day { Day(unixTime: time(nil)) }
}

// MARK: - Of a pipeline

extension Pipeline {
  /// What was counted of each key and learned of it, the most chatter first.
  var keys: [KeyStatus] {
    let engine = path.engine
    var learned = Dictionary(uniqueKeysWithValues: engine.habits.keys.map { ($0.code, $0) })
    let counted = engine.countedKeys
    return (counted + Set(learned.keys).subtracting(counted)).map { code in
      var key = KeyStatus(named: code, counts: engine.counts(of: code) ?? KeyCounts())
      if let habits = learned.removeValue(forKey: code) { key.habits = habits }
      if key.badFor != nil { key.badSince = history.badSince(code) }
      return key
    }.sorted { ($0.chatter, $0.strokes, $0.code) > ($1.chatter, $1.strokes, $1.code) }
  }

  /// Has what was counted and learned of the device stored, if it is to be.
  mutating func storeCounts(in statistics: Statistics) {
    let habits = path.engine.habits
    history.update(bad: habits.keys.lazy.filter { $0.badFor != nil }.map(\.code))
    if case .awaitingEarlier = storage { return }
    let keys = keys
    let turn = history.days.receive(KeyDays(keys), on: .today)
    guard case .kept(let device) = storage else { return }
    if let turn { statistics.keep(turn, of: device) }
    var stored = StoredCounts(of: device.identity, keys: keys)
    stored.usualHold = habits.usualHold
    stored.since = history.since
    if let unused = history.unused { stored.replaceHabits(by: unused) }
    statistics.keep(stored, of: device)
    // A pipeline that has closed counts no more.
    if isClosed { storage = .notKept }
  }

  /// Receives what was counted and learned earlier, and what was counted on which day; `nil` if the device was never
  /// seen.
  mutating func addEarlier(_ earlier: StoredCounts?, _ days: StoredDays?) {
    hasUnpublished = true
    let earlier = earlier.map { history.add($0) }
    if earlier != nil || days != nil {
      history.days.add(KeyDays(earlier?.keys ?? []), days?.beginning)
    }
    guard let earlier else { return }
    for key in earlier.keys { path.add(key.counts, of: key.code) }
    guard !earlier.habits.isEmpty else { return }
    if path.install(earlier.habits) {
      log.info("\(title): going on from what was learned of it earlier")
    } else {
      history.keepUnused(earlier.habits)
      log.notice(
        "\(title): what was learned of it earlier came too late, and is not used this time")
    }
  }

  /// Drops what was counted and learned of a key, or of the whole device, also on disk.
  ///
  /// - Parameter done: Called when it is gone there, on another thread.
  mutating func reset(
    _ key: KeyCode?, in statistics: Statistics, done: @escaping @Sendable () -> Void
  ) {
    statistics.reset(key, of: storage.device, done: done)
    path.reset(key)
    published.reset(key)
    hasUnpublished = true
    let isReading = if case .awaitingEarlier = storage { true } else { false }
    history.reset(key, isReading: isReading)
    // What is being read is from before.
    if key == nil, let device = storage.device { storage = .kept(device) }
    // Which key it is, is private.
    log.notice(
      "\(title): what was counted and learned of \(key == nil ? "it" : "a key") was dropped, as asked for"
    )
    if path.hasListeners { flushListeners(now: .now) }
  }
}

extension KeyStatus {
  fileprivate init(named code: KeyCode, counts: KeyCounts) {
    self.init(key: KeyNames.name(of: code), code: code, counts: counts)
  }
}

extension StoredCounts {
  /// Stores what was learned at another time instead.
  mutating func replaceHabits(by habits: LearnedHabits) {
    usualHold = habits.usualHold
    for index in keys.indices {
      keys[index].habits =
        habits.keys.first { $0.code == keys[index].code } ?? LearnedHabits.Key(keys[index].code)
      if keys[index].badFor == nil { keys[index].badSince = nil }
    }
  }
}
