import CEvdev
import CLinux
import Debounce
import Glibc

/// A device's events that were read and are still to be processed: one call of `read` for all that
/// are there.
struct EventBuffer: ~Copyable {
  enum Finding {
    case events
    case nothing
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

  /// Takes the whole frames that come next, as long as they only move some relative axes and time does not run backwards.
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

/// Whole frames as the kernel has them, each with its `SYN_REPORT`. Their events belong to whoever read them.
public struct KernelFrames {
  let events: UnsafeBufferPointer<input_event>
  /// The times of the first and the last frame. In between, time does not run backwards.
  public let times: (first: Microseconds, last: Microseconds)
}

/// Frames that are kept until somebody can read them, in their order, with room for a second of whatever a keyboard sends.
///
/// All of the room is made at the beginning: to add a frame allocates nothing. When it is freed, it is overwritten: it holds
/// what was typed.
final class FrameStore {
  private struct Entry {
    var time: Microseconds
    var count: Int
    /// Whether events were lost before it: the keys that were down then are the next of ``states``.
    var isResynchronisation: Bool
  }

  /// A scanner sends a frame each millisecond.
  private static let frames = 1024
  private static let events = 4 * frames
  /// No frame is longer, except those of devices that have more axes than a keyboard.
  private static let longest = 64
  /// How often events may be lost.
  private static let losses = 8

  private var entries: ContiguousArray<Entry> = []
  private var events: ContiguousArray<Event> = []
  private var states: ContiguousArray<KeySet> = []
  /// What has been taken out, from the beginning of each.
  private var (entriesTaken, eventsTaken, statesTaken) = (0, 0, 0)

  init() {
    entries.reserveCapacity(Self.frames)
    events.reserveCapacity(Self.events)
    states.reserveCapacity(Self.losses)
  }

  deinit {
    events.withUnsafeMutableBytes(overwrite)
    for index in states.indices { states[index].removeAll() }
  }

  var isEmpty: Bool { entriesTaken == entries.count }

  /// Whether there may be no room for one more frame.
  var isFull: Bool {
    entries.count == Self.frames || events.count + Self.longest > Self.events
      || states.count == Self.losses
  }

  var presses: Int {
    events[eventsTaken...].count { $0.type == EventType.key && $0.value == 1 }
  }

  /// Adds a frame.
  ///
  /// - Parameter held: The keys that are down, if events were lost before the frame.
  func append(_ frame: borrowing Frame, held: KeySet? = nil) {
    entries.append(
      Entry(time: frame.time, count: frame.events.count, isResynchronisation: held != nil))
    events.append(contentsOf: frame.events)
    if let held { states.append(held) }
  }

  /// Takes the first frame out.
  ///
  /// - Parameter frame: Receives it.
  /// - Returns: The keys that were down, if events were lost before the frame.
  func takeFirst(into frame: inout Frame) -> KeySet? {
    let entry = entries[entriesTaken]
    entriesTaken += 1
    frame.removeAll()
    frame.time = entry.time
    for event in events[eventsTaken..<eventsTaken + entry.count] { frame.append(event) }
    eventsTaken += entry.count
    guard entry.isResynchronisation else { return nil }
    statesTaken += 1
    return states[statesTaken - 1]
  }
}

/// Events that are kept for a clone that takes them. When they are freed, they are overwritten, as in a ``FrameStore``.
public final class KeptEvents {
  public private(set) var frames: [[Event]] = []

  public init() {}

  deinit {
    for index in frames.indices { frames[index].withUnsafeMutableBytes(overwrite) }
  }

  /// Adds a frame; nothing if it is empty.
  public func append(_ frame: consuming [Event]) {
    if !frame.isEmpty { frames.append(frame) }
  }
}

/// Overwrites memory that held what was typed, before it is freed. No compiler leaves that out.
func overwrite(_ memory: UnsafeMutableRawBufferPointer) {
  if let start = memory.baseAddress { explicit_bzero(start, memory.count) }
}
