import Debounce
import Recording

/// Reads what the daemon writes about a device that is watched, as it comes: in pieces of any length.
public struct WatchedStream: Sendable {
  /// The longest line that is believed.
  private static let longestLine = 1 << 16

  private var parser = RecordingParser(file: "what the daemon writes")
  private var line: [UInt8] = []
  /// Whether the device has gone or was given back: nothing more comes.
  public private(set) var isClosed = false

  public init() {}

  /// Receives the next bytes, and returns what they show.
  ///
  /// - Throws: ``Recording/RecordingError`` if they are no recording: the daemon is of another version.
  public mutating func receive(
    _ bytes: some Sequence<UInt8>
  ) throws(RecordingError) -> [LiveKeys.Sight] {
    var sights: [LiveKeys.Sight] = []
    for byte in bytes {
      guard byte == UInt8(ascii: "\n") else {
        // The rest of a line that is too long begins another one, and is refused.
        if line.count < Self.longestLine { line.append(byte) }
        continue
      }
      if let entry = try parser.read(line: line[...]) { add(entry, to: &sights) }
      line.removeAll(keepingCapacity: true)
    }
    return sights
  }

  private mutating func add(_ entry: RecordingParser.Entry, to sights: inout [LiveKeys.Sight]) {
    switch entry {
    case .raw(let frame):
      for event in frame.events where event.type == EventType.key && event.value < 2 {
        sights.append(.raw(event.code, isDown: event.value == 1))
      }
    case .outcome(let outcome):
      switch outcome.kind {
      case .withdrawn: sights.append(.removed(outcome.key))
      case .taken where outcome.isPress: sights.append(.removed(outcome.key))
      case .restored: sights.append(.restored(outcome.key))
      default: break
      }
    case .lost(_, let held, _): sights.append(.lost(held: Set(held)))
    case .closed: isClosed = true
    case .clean, .reset, .paused: break
    }
  }
}
