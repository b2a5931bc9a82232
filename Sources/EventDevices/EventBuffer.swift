import CEvdev
import CLinux
import Debounce
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

  private let events: UnsafeMutablePointer<input_event>
  private let capacity: Int
  /// Where the next event lies, and where the last one ends.
  private var (position, end) = (0, 0)

  init(capacity: Int) {
    events = .allocate(capacity: capacity)
    self.capacity = capacity
  }

  deinit {
    overwrite(
      UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(start: events, count: capacity)))
    events.deallocate()
  }

  /// Whether the last call of `read` had room for more: then it took all that there was.
  var tookAll: Bool { end < capacity }

  var isEmpty: Bool { position == end }

  /// The next event; `nil` when it is time to ``fill(from:)`` again.
  @inline(__always)
  mutating func next() -> input_event? {
    guard position < end else { return nil }
    defer { position += 1 }
    return events[position]
  }

  /// The next event, which stays; `nil` if it is not known yet.
  var first: input_event? { isEmpty ? nil : events[position] }

  /// Reads what is there.
  @inline(__always)
  mutating func fill(from descriptor: CInt) -> Finding {
    removeAll()
    while true {
      let size = clinux_read(descriptor, events, capacity * MemoryLayout<input_event>.stride)
      if size > 0 {
        end = size / MemoryLayout<input_event>.stride
        return .events
      }
      switch size < 0 ? errno : ENODEV {
      case EINTR: continue
      case EAGAIN: return .nothing
      default: return .gone
      }
    }
  }

  /// Takes the whole frames that come next, as long as they move nothing but some relative axes and time does not run backwards.
  ///
  /// - Parameters:
  ///   - axes: Those that may move, a bit each.
  ///   - limit: How many events that may be at most.
  /// - Returns: The frames, valid until the next call of ``fill(from:)``; `nil` if the next frame is another.
  @inline(__always)
  mutating func takeMotion(of axes: UInt16, atMost limit: Int) -> KernelFrames? {
    let start = position
    let limit = min(end, start + limit)
    var (first, last): (Microseconds, Microseconds) = (0, 0)
    var next = start
    while next < limit {
      let event = events + next
      next += 1
      let (type, code) = (event.pointee.type, event.pointee.code)
      if type == EV_REL, code < UInt16.bitWidth, axes &>> code & 1 != 0 { continue }
      guard type == EV_SYN, code == SYN_REPORT, next > position + 1 else { break }
      let time = cevdev_event_time(event)
      if position == start { first = time } else if time < last { break }
      last = time
      position = next
    }
    guard position > start else { return nil }
    return KernelFrames(
      events: UnsafeBufferPointer(start: events + start, count: position - start),
      times: (first, last))
  }

  /// Drops what is still to be processed.
  mutating func removeAll() {
    (position, end) = (0, 0)
  }
}
