import Debounce

/// What the daemon writes for those who watch a device, as it grows; see ``WatchRecord``.
///
/// Written behind each frame, so it must cost little. Once there is room, nothing is allocated.
public struct WatchRecords: Sendable {
  /// The bytes of a record.
  public static let size = WatchRecord.size
  /// How many are written at once, whole or not at all: what the kernel promises of a pipe (`PIPE_BUF`).
  public static let most = 4096 / size

  private var records: [WatchRecord] = []

  /// - Parameter capacity: For how many records there is room from the start.
  public init(capacity: Int) {
    records.reserveCapacity(capacity)
  }

  /// What comes before the records.
  public static func head(of device: RecordedDevice, _ habits: LearnedHabits) -> [UInt8] {
    var text = RecordingText(of: device, eventsSince: 0)
    text.append(habits)
    return text.bytes + Array("\(WatchRecord.headEnd)\n".utf8)
  }

  public var isEmpty: Bool { records.isEmpty }

  /// Empties it, and keeps the storage.
  public mutating func removeAll() {
    // They are few, and `removeAll(keepingCapacity:)` goes the way of any replacement.
    while !records.isEmpty { records.removeLast() }
  }

  public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    records.withUnsafeBytes(body)
  }
}

extension WatchRecords {
  /// Adds a raw frame.
  public mutating func append(raw frame: borrowing Frame) {
    let time = frame.time
    frame.events.withUnsafeBufferPointer { append($0, .raw, at: time) }
  }

  /// Adds a raw frame that reports that events were lost, as ``RecordingText`` does.
  public mutating func append(
    resynchronisedTo held: KeySet, before: KeySet, others: borrowing Frame
  ) {
    let time = others.time
    Frame.differences(to: held, from: before, others: others).events
      .withUnsafeBufferPointer { append($0, .raw, at: time) }
  }

  /// Adds a frame that was passed on.
  public mutating func append(clean events: UnsafeBufferPointer<Event>, at time: Microseconds) {
    append(events, .clean, at: time)
  }

  private mutating func append(
    _ events: UnsafeBufferPointer<Event>, _ kind: WatchRecord.Kind, at time: Microseconds
  ) {
    var index = 0
    repeat {
      var record = WatchRecord(kind, at: time)
      let count = min(2, events.count - index)
      record.detail = UInt8(count)
      if count > 0 { record.first = WatchRecord.packed(events[index]) }
      if count > 1 { record.second = WatchRecord.packed(events[index + 1]) }
      index += count
      record.flag = index < events.count ? 1 : 0
      records.append(record)
    } while index < events.count
  }

  /// Adds what became of edges.
  public mutating func append(_ outcomes: borrowing OutcomeLog) {
    // By index: a loop over the elements would retain the array.
    for index in outcomes.outcomes.indices { append(outcomes.outcomes[index]) }
  }

  /// Adds what became of an edge.
  public mutating func append(_ outcome: Outcome) {
    records.append(WatchRecord(outcome))
  }

  /// Adds that records are missing here.
  ///
  /// - Parameters:
  ///   - count: How many; 0 if what follows is the beginning.
  ///   - held: The keys that are down when what follows begins: of more than 127, which no hand can hold, the first
  ///     127, so that this is written whole or not at all.
  public mutating func appendLoss(of count: Int, held: KeySet, at time: Microseconds) {
    let start = records.count
    var record = WatchRecord(.lost, at: time)
    record.first = UInt64(max(0, count))
    records.append(record)
    for key in held where records.count - start < Self.most {
      var record = WatchRecord(.held, at: time)
      record.key = key
      records.append(record)
    }
    records[start].second = UInt64(records.count - start - 1)
  }

  /// Adds that what was learned of a key was dropped; of all keys if it is `nil`.
  public mutating func appendReset(of key: KeyCode?, at time: Microseconds) {
    var record = WatchRecord(.reset, at: time)
    record.flag = key == nil ? 0 : 1
    record.key = key ?? 0
    records.append(record)
  }

  /// Adds that from now on everything passes as it is, or no longer: each key from when it is idle.
  public mutating func append(isPaused: Bool, at time: Microseconds) {
    var record = WatchRecord(.paused, at: time)
    record.flag = isPaused ? 1 : 0
    records.append(record)
  }

  /// Adds that the device went, or was given back.
  public mutating func appendClosing(at time: Microseconds) {
    records.append(WatchRecord(.closed, at: time))
  }
}
