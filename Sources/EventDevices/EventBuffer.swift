import CEvdev
import Glibc

/// A device's events that were read and are still to be processed: one call of `read` for all that
/// are there.
struct EventBuffer: ~Copyable {
  /// What a call of ``fill(from:)`` found.
  enum Finding {
    case events
    /// None for now.
    case nothing
    /// The device is gone.
    case gone
  }

  private let events: UnsafeMutableBufferPointer<input_event>
  private var range = 0..<0

  init(capacity: Int) {
    events = .allocate(capacity: capacity)
  }

  deinit {
    events.deallocate()
  }

  /// Whether the last call of `read` had room for more: then it took all that there was.
  var tookAll: Bool { range.upperBound < events.count }

  var isEmpty: Bool { range.isEmpty }

  /// The next event; `nil` when it is time to ``fill(from:)`` again.
  mutating func next() -> input_event? {
    guard let index = range.first else { return nil }
    range.removeFirst()
    return events[index]
  }

  /// The next event, which stays; `nil` if it is not known yet.
  var first: input_event? { range.first.map { events[$0] } }

  /// Reads what is there.
  mutating func fill(from descriptor: CInt) -> Finding {
    removeAll()
    while true {
      let size = read(
        descriptor, events.baseAddress, events.count * MemoryLayout<input_event>.stride)
      if size > 0 {
        range = 0..<size / MemoryLayout<input_event>.stride
        return .events
      }
      switch size < 0 ? errno : ENODEV {
      case EINTR: continue
      case EAGAIN: return .nothing
      default: return .gone
      }
    }
  }

  /// Drops what is still to be processed.
  mutating func removeAll() {
    range = 0..<0
  }
}
