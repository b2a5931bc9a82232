import Debounce
import Glibc

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

  /// How many presses are in it.
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
