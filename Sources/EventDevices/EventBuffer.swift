import CEvdev
import CLinux
import Debounce
import Files
import Glibc
import SystemPackage

/// Events of a device that were read and are still to be processed. One call of `read` takes all that are there.
struct EventBuffer: ~Copyable {
  enum Finding {
    case events
    case nothing
    case gone
  }

  private let events: UnsafeMutableBufferPointer<input_event>
  /// The place of the next event, and the end of the last one.
  private var (position, end) = (0, 0)

  init(capacity: Int) {
    events = .allocate(capacity: capacity)
  }

  deinit { free(overwriting: events) }

  /// Whether the last call of `read` took all that there was: it had room for more.
  var tookAll: Bool { end < events.count }

  var isEmpty: Bool { position == end }

  /// The next event; `nil` when it is time to ``fill(from:)`` again.
  @inline(__always)
  mutating func next() -> input_event? {
    guard position < end else { return nil }
    defer { position += 1 }
    return events[position]
  }

  /// The next event, which stays in the buffer; `nil` if it was not read yet.
  var first: input_event? { isEmpty ? nil : events[position] }

  @inline(__always)
  mutating func fill(from descriptor: CInt) -> Finding {
    removeAll()
    guard let start = events.baseAddress else { return .nothing }
    while true {
      let size = clinux_read(descriptor, start, events.count * MemoryLayout<input_event>.stride)
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

  /// Takes what is left, and all that the device has sent since, and calls `body` with each event.
  mutating func takeAll(from descriptor: CInt, _ body: (input_event) -> Void) {
    while let event = next() { body(event) }
    // A device that sends faster than this is read is not waited for.
    for _ in 0..<16 {
      guard case .events = fill(from: descriptor) else { break }
      while let event = next() { body(event) }
      if tookAll { break }
    }
    removeAll()
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
      let event = events[next]
      next += 1
      if event.type == EV_REL, event.code < UInt16.bitWidth, axes &>> event.code & 1 != 0 {
        continue
      }
      guard event.type == EV_SYN, event.code == SYN_REPORT, next > position + 1 else { break }
      let time = event.microseconds
      if position == start { first = time } else if time < last { break }
      last = time
      position = next
    }
    guard position > start else { return nil }
    return KernelFrames(
      events: UnsafeBufferPointer(rebasing: events[start..<position]), times: (first, last))
  }

  mutating func removeAll() { (position, end) = (0, 0) }
}

extension input_event {
  @inline(__always)
  var microseconds: Microseconds { withUnsafePointer(to: self) { cevdev_event_time($0) } }
}

/// Whole frames in the kernel's form, each with its `SYN_REPORT`. The buffer that read their events owns them.
public struct KernelFrames {
  let events: UnsafeBufferPointer<input_event>
  /// The times of the first and the last frame. In between, time does not run backwards.
  public let times: (first: Microseconds, last: Microseconds)
}

// MARK: - Kept frames

/// Frames that are kept in their order until a program can read them, with room for a second of all that a keyboard sends.
///
/// All memory is allocated at the beginning, so that adding a frame allocates nothing. It holds what was typed, and is
/// therefore overwritten before it is freed.
final class FrameStore {
  private struct Entry {
    var time: Microseconds
    var count: Int
    /// The keys that were down, if events were lost before it.
    var held: KeySet?
  }

  /// A scanner sends a frame each millisecond.
  private static let frames = 1024
  private static let events = 4 * frames
  /// No frame is longer, except those of devices that have more axes than a keyboard.
  private static let longest = 64

  private var entries: ContiguousArray<Entry> = []
  private var events: ContiguousArray<Event> = []
  /// How many entries and events were taken out, from the beginning.
  private var (entriesTaken, eventsTaken) = (0, 0)

  init() {
    entries.reserveCapacity(Self.frames)
    events.reserveCapacity(Self.events)
  }

  deinit {
    events.withUnsafeMutableBytes(overwrite)
    for index in entries.indices { entries[index].held?.removeAll() }
  }

  var isEmpty: Bool { entriesTaken == entries.count }

  /// Whether there may be no room for one more frame.
  var isFull: Bool {
    entries.count == Self.frames || events.count + Self.longest > Self.events
  }

  var presses: Int {
    events[eventsTaken...].count { $0.type == EventType.key && $0.value == 1 }
  }

  /// - Parameter held: The keys that are down, if events were lost before the frame.
  func append(_ frame: borrowing Frame, held: KeySet? = nil) {
    entries.append(Entry(time: frame.time, count: frame.events.count, held: held))
    events.append(contentsOf: frame.events)
  }

  /// Takes the first frame out, and returns the keys that were down if events were lost before it.
  func takeFirst(into frame: inout Frame) -> KeySet? {
    let entry = entries[entriesTaken]
    entriesTaken += 1
    frame.removeAll()
    frame.time = entry.time
    for event in events[eventsTaken..<eventsTaken + entry.count] { frame.append(event) }
    eventsTaken += entry.count
    return entry.held
  }
}

/// Frames that one clone did not take, kept for the next. They are overwritten before they are freed, as in a ``FrameStore``.
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

/// Frees memory that held what was typed.
func free(overwriting events: UnsafeMutableBufferPointer<input_event>) {
  overwrite(UnsafeMutableRawBufferPointer(events))
  events.deallocate()
}

/// Overwrites memory that held what was typed, before it is freed. No compiler leaves that out.
private func overwrite(_ memory: UnsafeMutableRawBufferPointer) {
  if let start = memory.baseAddress { explicit_bzero(start, memory.count) }
}
