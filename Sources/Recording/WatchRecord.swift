import Debounce

/// A piece of what the daemon writes for one who watches a device: 32 bytes, in the byte order of the machine.
///
/// A recording's head comes first, as text up to the line ``headEnd``: what the device is, and what was learned of it.
/// From then on there are records. As many as 128 are written at once, whole or not at all.
///
/// | `kind` | `detail` | `flag` | `removal` | `key` | `other` | `first` | `second` |
/// |---|---|---|---|---|---|---|---|
/// | `raw`, `clean` | how many events: 0 to 2 | 1 if the frame goes on | – | – | – | an event | an event |
/// | `outcome` | what became of the edge | 1 for a press | a ``Debounce/Removal`` | the key | a ``Debounce/Meaning``'s key | when the edge came | the other time |
/// | `lost` | – | – | – | – | – | how many records are missing | how many keys are down |
/// | `held` | – | – | – | a key | – | – | – |
/// | `reset` | – | 0 for all keys | – | the key | – | – | – |
/// | `paused` | – | 0 when it ends | – | – | – | – | – |
/// | `closed` | – | – | – | – | – | – | – |
///
/// A clean frame is what was passed on. `lost` is followed by a `held` for each key that is down then; it stands at the
/// beginning as well. Times are microseconds of the kernel's monotonic clock. In an event, the type is the lowest sixteen
/// bits, then come code and value. What is not used is 0.
struct WatchRecord: Equatable {
  /// What a record is of.
  enum Kind: UInt8 {
    case raw = 1
    case clean, outcome, lost, held, reset, paused, closed
  }

  /// The line that ends the head. The number grows with every change of what follows.
  static let headEnd = "# records: 1"
  static let size = 32

  var kind: UInt8
  var detail: UInt8 = 0
  var flag: UInt8 = 0
  var removal: UInt8 = 0
  var key: UInt16 = 0
  var other: UInt16 = 0
  var time: Int64
  var first: UInt64 = 0
  var second: UInt64 = 0

  init(_ kind: Kind, at time: Microseconds) {
    self.kind = kind.rawValue
    self.time = time
  }
}

// MARK: - Events

extension WatchRecord {
  static func packed(_ event: Event) -> UInt64 {
    UInt64(event.type) | UInt64(event.code) << 16
      | UInt64(UInt32(bitPattern: event.value)) << 32
  }

  static func event(_ packed: UInt64) -> Event {
    Event(
      type: UInt16(truncatingIfNeeded: packed), code: UInt16(truncatingIfNeeded: packed >> 16),
      value: Int32(truncatingIfNeeded: packed >> 32))
  }
}

// MARK: - Outcomes

extension WatchRecord {
  init(_ outcome: Outcome) {
    self.init(.outcome, at: outcome.time)
    key = outcome.key
    flag = outcome.isPress ? 1 : 0
    first = UInt64(bitPattern: outcome.edge)
    switch outcome.kind {
    case .passed: detail = 1
    case .waits(let until): (detail, otherTime) = (2, until)
    case .withdrawn(let removal, let partner):
      (detail, self.removal, otherTime) = (3, removal.number, partner)
    case .taken(let removal, nil): (detail, self.removal) = (4, removal.number)
    case .taken(let removal, let delivery?):
      (detail, self.removal, otherTime) = (5, removal.number, delivery)
    case .duplicate: detail = 6
    case .repeated: detail = 7
    case .postponed(let until): (detail, otherTime) = (8, until)
    case .emitted: detail = 9
    case .vanished(let removal): (detail, self.removal) = (10, removal?.number ?? 0)
    case .restored(let removal): (detail, self.removal) = (11, removal.number)
    case .reclassified(let removal): (detail, self.removal) = (12, removal.number)
    case .corrected: detail = 13
    case .meant(.single, let key): (detail, other) = (14, key)
    case .meant(.double, let key): (detail, other) = (15, key)
    case .meant(.hold, let key): (detail, other) = (16, key)
    case .continued: detail = 17
    case .learned: detail = 18
    case .forgot: detail = 19
    }
  }

  private var otherTime: Microseconds {
    get { Microseconds(bitPattern: second) }
    set { second = UInt64(bitPattern: newValue) }
  }

  /// What became of an edge; `nil` if that cannot be known from the record.
  var outcome: Outcome? {
    outcomeKind.map {
      Outcome(
        key: key, isPress: flag != 0, edge: Microseconds(bitPattern: first), time: time, kind: $0)
    }
  }

  private var outcomeKind: Outcome.Kind? {
    let removal = Removal(number: removal)
    return switch detail {
    case 1: .passed
    case 2: .waits(until: otherTime)
    case 3: removal.map { .withdrawn($0, with: otherTime) }
    case 4: removal.map { .taken($0, deliveredAt: nil) }
    case 5: removal.map { .taken($0, deliveredAt: otherTime) }
    case 6: .duplicate
    case 7: .repeated
    case 8: .postponed(until: otherTime)
    case 9: .emitted
    case 10: self.removal == 0 || removal != nil ? .vanished(removal) : nil
    case 11: removal.map { .restored($0) }
    case 12: removal.map { .reclassified($0) }
    case 13: .corrected
    case 14: .meant(.single, other)
    case 15: .meant(.double, other)
    case 16: .meant(.hold, other)
    case 17: .continued
    case 18: .learned
    case 19: .forgot
    default: nil
    }
  }
}

extension Removal {
  fileprivate var number: UInt8 {
    switch self {
    case .pressBounce: 1
    case .releaseBounce: 2
    case .dropOut: 3
    case .throttled: 4
    case .lockedOut: 5
    case .tooSoon: 6
    case .tooShort: 7
    }
  }

  fileprivate init?(number: UInt8) {
    guard let removal = Removal.allCases.first(where: { $0.number == number }) else { return nil }
    self = removal
  }
}
