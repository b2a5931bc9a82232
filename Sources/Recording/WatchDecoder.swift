import Debounce

/// Reads what the daemon writes for one who watches a device, in pieces of any length; see ``WatchRecord``.
public struct WatchDecoder: Sendable {
  /// No device's head is longer.
  private static let longestHead = 1 << 20
  /// No device sends a thousandth of it.
  private static let longestFrame = 16384

  private let name: String
  private var head: RecordingParser
  private var isInHead = true
  /// What has been received and not been read yet, from `start` on.
  private var bytes: [UInt8] = []
  private var start = 0
  /// How many records have been read.
  private var count = 0
  private var raw = Frame()
  private var clean = Frame()
  /// What was lost last, until all keys that are down are known.
  private var loss: Loss?

  /// The keys that are down, as far as has been read.
  public private(set) var held = KeySet()

  /// - Parameter name: What messages begin with.
  public init(named name: String) {
    self.name = name
    head = RecordingParser(file: name)
  }

  /// The device's name and numbers and what it can do, as far as they have been read.
  public var device: RecordedDevice { head.device }
  /// What had been learned of the device before, as far as it has been read.
  public var habits: LearnedHabits { head.habits }

  /// Receives the next bytes.
  public mutating func receive(_ bytes: some Sequence<UInt8>) {
    self.bytes.removeSubrange(..<start)
    start = 0
    self.bytes.append(contentsOf: bytes)
  }

  /// Reads the next entry.
  ///
  /// - Returns: `nil` if there is none before more is received.
  /// - Throws: ``RecordingError`` if this is not what the daemon writes.
  public mutating func next() throws(RecordingError) -> RecordingParser.Entry? {
    while isInHead {
      guard try readHeadLine() else { return nil }
    }
    while let record = nextRecord() {
      start += WatchRecord.size
      count += 1
      if let entry = try entry(record) { return note(entry) }
    }
    return nil
  }

  /// - Returns: Whether there was a whole line.
  private mutating func readHeadLine() throws(RecordingError) -> Bool {
    guard let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) else {
      guard bytes.count - start < Self.longestHead else { throw foreign("a line without an end") }
      return false
    }
    defer { start = end + 1 }
    let line = bytes[start..<end]
    if line.elementsEqual(WatchRecord.headEnd.utf8) {
      isInHead = false
    } else if line.starts(with: "# records:".utf8) {
      throw foreign("“\(String(decoding: line, as: UTF8.self))”")
    } else if try head.read(line: line) != nil {
      throw foreign("an event before the line “\(WatchRecord.headEnd)”")
    }
    return true
  }

  private func nextRecord() -> WatchRecord? {
    guard bytes.count - start >= WatchRecord.size else { return nil }
    return bytes.withUnsafeBytes {
      $0.loadUnaligned(fromByteOffset: start, as: WatchRecord.self)
    }
  }

  private func foreign(_ found: String) -> RecordingError {
    RecordingError(
      file: name, line: head.line, found: found,
      expected: "what this version's daemon writes: restart the daemon after an update")
  }
}

// MARK: - Records

extension WatchDecoder {
  /// That records are missing, and the keys that are down.
  private struct Loss {
    var records: Int
    /// How many keys that are down have not been read yet.
    var keys: Int
    var held = KeySet()
    var time: Microseconds
  }

  private mutating func entry(
    _ record: WatchRecord
  ) throws(RecordingError) -> RecordingParser.Entry? {
    switch WatchRecord.Kind(rawValue: record.kind) {
    case .raw, .clean:
      guard record.detail <= 2, max(raw.events.count, clean.events.count) < Self.longestFrame else {
        throw foreign("record \(count), of a frame that is none")
      }
      return record.kind == WatchRecord.Kind.raw.rawValue
        ? Self.complete(&raw, with: record).map { .raw($0) }
        : Self.complete(&clean, with: record).map { .clean($0) }
    case .outcome:
      guard record.key < EventType.keyCount, let outcome = record.outcome else {
        throw foreign("record \(count), of an outcome that is none")
      }
      return .outcome(outcome)
    case .lost:
      // Frames in hand have lost their ends.
      (raw, clean) = (Frame(), Frame())
      loss = Loss(
        records: Int(clamping: record.first), keys: Int(clamping: record.second), time: record.time)
      return completeLoss()
    case .held:
      guard record.key < EventType.keyCount, loss != nil else {
        throw foreign("record \(count), of a key that is down, where there is none")
      }
      loss?.held.insert(record.key)
      loss?.keys -= 1
      return completeLoss()
    case .reset: return .reset(record.flag == 0 ? nil : record.key, at: record.time)
    case .paused: return .paused(record.flag != 0, at: record.time)
    case .closed: return .closed(at: record.time)
    case nil: throw foreign("record \(count) of the kind \(record.kind)")
    }
  }

  private mutating func completeLoss() -> RecordingParser.Entry? {
    guard let loss, loss.keys <= 0 else { return nil }
    self.loss = nil
    return .lost(records: loss.records, held: loss.held, at: loss.time)
  }

  /// Adds a record's events to a frame in hand.
  ///
  /// - Returns: The frame, if the record ends it.
  private static func complete(
    _ frame: inout Frame, with record: WatchRecord
  ) -> Frame? {
    if record.detail > 0 { frame.append(WatchRecord.event(record.first)) }
    if record.detail > 1 { frame.append(WatchRecord.event(record.second)) }
    guard record.flag == 0 else { return nil }
    var complete = Frame()
    swap(&complete, &frame)
    complete.time = record.time
    return complete
  }

  private mutating func note(_ entry: RecordingParser.Entry) -> RecordingParser.Entry {
    switch entry {
    case .raw(let frame): held = frame.keysHeld(before: held)
    case .lost(_, let held, _): self.held = held
    case .closed: held = KeySet()
    case .clean, .outcome, .reset, .paused: break
    }
    return entry
  }
}
