import Debounce
import EventDevices

/// The counts of one device. Only root may see them, because they grow as fast as somebody types.
@dynamicMemberLookup
public struct DeviceCounts: Codable, Equatable, Sendable {
  /// The engine's counts of all keys together since the device was plugged in.
  public var counters = Counters()
  /// How often events were lost between the kernel and the daemon (`SYN_DROPPED`).
  public var resynchronisations: UInt64 = 0
  /// How many keys `adaptive` takes for bad, or the settings name.
  public var badKeys = 0
  /// Whether a machine has typed on it since it was plugged in, as `adaptive` judges: a scanner, a macro.
  public var typesLikeAMachine = false

  /// How long frames took through the daemon, counted in classes: class `n` has frames that took at least 2ⁿ⁻¹ and less than
  /// 2ⁿ µs; the last class has no end. Time runs from the kernel's time stamp, or from the deadline of a deferred frame, to
  /// the write. Of frames that only move axes, every eighth write is counted.
  public var latency: [UInt64] = []

  /// The counts of each key, since it was first counted on this machine: the most chatter first.
  public var keys: [KeyStatus]

  /// How long keys of the device are usually held, in microseconds; `nil` where that is not learned.
  public var usualHold: Microseconds?
  /// The day on which counting and learning began.
  public var since: Day?

  public init(keys: [KeyStatus]) {
    self.keys = keys
  }

  public subscript<Value>(dynamicMember path: WritableKeyPath<Counters, Value>) -> Value {
    get { counters[keyPath: path] }
    set { counters[keyPath: path] = newValue }
  }
}

/// A file of the daemon's state folder: what was counted of one device's keys while the daemon ran, and what was learned.
public struct StoredCounts: Codable, Equatable, Sendable {
  /// The format that is written. Files of a higher one are of a newer version, and left alone; those of 1 are still read.
  public static let presentFormat = 2

  public var format = presentFormat
  /// Which device it is, for people who read the file.
  public var device: DeviceIdentity
  public var keys: [KeyStatus]
  /// How long keys of the device are usually held, in microseconds; `nil` in files of versions that did not keep it.
  public var usualHold: Microseconds?
  /// The day on which counting and learning began; `nil` in the same files.
  public var since: Day?

  public init(of device: DeviceIdentity, keys: [KeyStatus]) {
    self.device = device
    self.keys = keys
  }

  /// The learned habits, in order, as the engine takes them.
  public var habits: LearnedHabits {
    LearnedHabits(
      usualHold: usualHold ?? LearnedHabits.packagedHold,
      keys: keys.map(\.habits).filter { !$0.isEmpty }.sorted { $0.code < $1.code })
  }
}

// MARK: - Other formats

extension StoredCounts {
  /// - Throws: ``NewerFormat`` where a newer version has written it, which may store other fields.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    format = try fields.decode(Int.self, forKey: .format)
    guard format <= Self.presentFormat else { throw NewerFormat(format: format) }
    usualHold = try fields.decodeIfPresent(Microseconds.self, forKey: .usualHold)
    since = try fields.decodeIfPresent(Day.self, forKey: .since)
    if format == 1 {
      // In format 1, all of a device, and all of a key, stood on one level.
      device = try DeviceIdentity(from: decoder)
      keys = try fields.decode([FlatKey].self, forKey: .keys).map(\.status)
      format = Self.presentFormat
    } else {
      device = try fields.decode(DeviceIdentity.self, forKey: .device)
      keys = try fields.decode([KeyStatus].self, forKey: .keys)
    }
  }

  private struct FlatKey: Decodable {
    let key: String
    let code: KeyCode
    let isBridging: Bool
    let offset, reach: Microseconds?
    let badFor: Int?
    let badSince: Day?
    let strokes, taken, nearMisses, learned, forgotten: UInt32
    let pressBounces, releaseBounces, dropOuts: UInt32
    let gaps, removedGaps, holds, removedHolds: IntervalHistogram

    var status: KeyStatus {
      var counts = KeyCounts()
      (counts.strokes, counts.suppressed, counts.nearMisses) = (strokes, taken, nearMisses)
      (counts.learned, counts.forgotten) = (learned, forgotten)
      counts.chatter.pressBounces = pressBounces
      counts.chatter.releaseBounces = releaseBounces
      counts.chatter.dropOuts = dropOuts
      (counts.gaps, counts.removedGaps) = (gaps, removedGaps)
      (counts.holds, counts.removedHolds) = (holds, removedHolds)
      var status = KeyStatus(key: key, code: code, counts: counts, isBad: isBridging)
      status.habits = LearnedHabits.Key(
        code, offset: offset ?? 0, badFor: badFor, reach: reach ?? 0)
      status.badSince = badSince
      return status
    }
  }
}
