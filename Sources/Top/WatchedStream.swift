import Debounce
import Recording

/// Reads what the daemon writes about a device that is watched, as it comes: in pieces of any length.
public struct WatchedStream: Sendable {
  private var decoder = WatchDecoder(named: "what the daemon writes")
  /// Whether the device has gone or was given back: nothing more comes.
  public private(set) var isClosed = false

  public init() {}

  /// Receives the next bytes, and returns what they show.
  ///
  /// - Throws: ``Recording/RecordingError`` if they are none of a daemon's of this version.
  public mutating func receive(
    _ bytes: some Sequence<UInt8>
  ) throws(RecordingError) -> [LiveKeys.Sight] {
    var sights: [LiveKeys.Sight] = []
    decoder.receive(bytes)
    while let entry = try decoder.next() { add(entry, to: &sights) }
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
