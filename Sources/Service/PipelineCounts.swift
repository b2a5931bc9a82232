import Debounce
import EventDevices
import Logging
import Status

/// Counts and habits of a device: how they are stored and dropped.
extension Pipeline {
  /// Has what was counted and learned of the device stored, if it is to be.
  mutating func storeCounts(in background: Background) {
    let keys = self.keys
    let habits = path.engine.habits
    history.update(bad: habits.keys.lazy.filter { $0.badFor != nil }.map(\.code))
    if case .awaitingEarlier = storage { return }
    if background.isBehind, !isClosed { return }
    let turn = history.days.receive(KeyDays(keys), on: .today)
    guard case .kept(let device) = storage else { return }
    if let turn { background.add { try $0.keep(turn, of: device) } }
    var counts = StoredCounts(of: device.identity, keys: keys)
    counts.usualHold = habits.usualHold
    counts.since = history.since
    if let unused = history.unused { counts.replaceHabits(by: unused) }
    if !keys.isEmpty { background.add { [counts] in try $0.store(counts, of: device) } }
    // A pipeline that has closed counts no more.
    if isClosed { storage = .notKept }
  }

  /// Receives what was counted and learned earlier, and what was counted on which day; `nil` where nothing was stored.
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
      history.unused = earlier.habits
      log.notice(
        "\(title): what was learned of it earlier came too late, and is not used this time")
    }
  }

  /// Drops what was counted and learned of a key, or of the whole device, also on disk.
  ///
  /// - Parameter call: The call that is answered when the disk has done it.
  mutating func reset(_ key: KeyCode?, in background: Background, for call: ControlledCall) {
    if let device = storage.device {
      background.reset(key, of: device, for: call)
    } else {
      call.answer()
    }
    path.reset(key)
    hasUnpublished = true
    history.reset(key)
    // Stored counts that are being read now are older than the reset.
    if key == nil, let device = storage.device { storage = .kept(device) }
    // Which key it is, is private.
    log.notice("\(title): counting and learning of \(key == nil ? "it" : "a key") begin anew")
  }
}

/// Whether a device's counts are stored, and where.
enum CountsStorage: Equatable {
  case notKept
  /// Earlier counts are still being read. Counts are stored as soon as these are there.
  case awaitingEarlier(CountedDevice)
  case kept(CountedDevice)

  var device: CountedDevice? {
    switch self {
    case .notKept: nil
    case .awaitingEarlier(let device), .kept(let device): device
    }
  }
}

/// Facts of a device that an earlier daemon stored, besides counts: since when, and habits that came too late to be used.
struct DeviceHistory {
  /// The day on which counting and learning began; `nil` if the version that began did not note it.
  private(set) var since: Day? = .today
  /// The day on which each key became bad that is bad now.
  private var badSince: [KeyCode: Day] = [:]
  /// Stored habits that were read only when the device had begun to send. They are not used this time, and stay stored as they
  /// are.
  var unused: LearnedHabits?
  /// The counts by days.
  var days = DayTally()
  /// Keys that were reset before the stored counts had been read.
  private var resetKeys: Set<KeyCode> = []

  /// The day on which the key became bad; today if that is new.
  func badSince(_ key: KeyCode) -> Day { badSince[key] ?? .today }

  mutating func update(bad: some Sequence<KeyCode>) {
    badSince = Dictionary(bad.map { ($0, badSince($0)) }, uniquingKeysWith: { first, _ in first })
  }

  /// Receives what was stored, and returns it without what was reset since the daemon began to read it.
  mutating func add(_ earlier: StoredCounts) -> StoredCounts {
    var earlier = earlier
    earlier.keys.removeAll { resetKeys.contains($0.code) }
    resetKeys = []
    since = earlier.since
    for key in earlier.keys where key.habits.badFor != nil {
      badSince[key.code] = key.badSince ?? .today
    }
    return earlier
  }

  /// Receives that a key was reset, or the whole device.
  mutating func reset(_ key: KeyCode?) {
    guard let key else {
      self = DeviceHistory()
      return
    }
    badSince[key] = nil
    days.reset(key)
    unused?.keys.removeAll { $0.code == key }
    resetKeys.insert(key)
  }
}

extension StoredCounts {
  /// Replaces what was learned by what was learned at another time.
  mutating func replaceHabits(by habits: LearnedHabits) {
    usualHold = habits.usualHold
    for index in keys.indices {
      keys[index].habits =
        habits.keys.first { $0.code == keys[index].code } ?? LearnedHabits.Key(keys[index].code)
      keys[index].isBad = keys[index].habits.badFor != nil
      if keys[index].habits.badFor == nil { keys[index].badSince = nil }
    }
  }
}
