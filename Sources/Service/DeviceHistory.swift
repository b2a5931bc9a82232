import Configuration
import Debounce
import EventDevices
import Logging
import Status

/// Whether a device's counts are stored, and where.
enum CountsStorage: Equatable {
  case notKept
  /// They will be kept as soon as it is known what was counted before.
  case awaitingEarlier(CountedDevice)
  case kept(CountedDevice)

  var device: CountedDevice? {
    switch self {
    case .notKept: nil
    case .awaitingEarlier(let device), .kept(let device): device
    }
  }
}

/// What an earlier daemon stored of a device, besides its counts: since when, and habits that came too late to be used.
struct DeviceHistory {
  /// The day on which counting and learning began; `nil` if the version that began did not note it.
  private(set) var since: Day? = .today
  /// When keys became bad, of those that are.
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
