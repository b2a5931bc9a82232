/// A point in time or a length of time, in microseconds of the kernel's monotonic event clock.
public typealias Microseconds = Int64

/// The code of a key or button, as in the kernel's `KEY_*` and `BTN_*`.
///
/// For buttons that are none of the kernel's, take codes from ``EventType/plainKeys``. To the engine, some others have a
/// meaning: modifiers' releases are not overtaken (``Flush``), keys that encoders drive are not debounced unless they have a
/// strategy of their own, and codes from ``EventType/keyCount`` on pass as they are.
public typealias KeyCode = UInt16

/// One input event: what the kernel's `struct input_event` holds, less its time.
///
/// The time belongs to the ``Frame``: the kernel stamps all events of a frame alike.
public struct Event: Equatable, Sendable {
  /// The kind of event: one of ``EventType``'s constants.
  public var type: UInt16
  /// The code, within the type, of a key, axis or LED.
  public var code: UInt16
  /// For keys 0 (up), 1 (down), 2 (repeat); for other types as the kernel defines it.
  public var value: Int32

  public init(type: UInt16, code: UInt16, value: Int32) {
    self.type = type
    self.code = code
    self.value = value
  }
}

/// The kernel's event types (`EV_*`) and the few codes that the engine knows by name.
public enum EventType {
  /// `EV_SYN`: ends a frame.
  public static let synchronisation: UInt16 = 0x00
  /// `EV_KEY`: keys and buttons.
  public static let key: UInt16 = 0x01
  /// `EV_REL`: movements, among them the steps of wheels.
  public static let relative: UInt16 = 0x02
  /// `EV_MSC`: among others the scan code that precedes a key.
  public static let miscellaneous: UInt16 = 0x04

  /// `SYN_REPORT`: the end of a frame.
  public static let report: UInt16 = 0
  /// `SYN_DROPPED`: the kernel had no room for events, and some are lost.
  public static let dropped: UInt16 = 3
  /// `MSC_SCAN`: the scan code of the key event that follows it.
  public static let scan: UInt16 = 4

  /// `KEY_CNT`: one more than the largest key code that the kernel can send.
  public static let keyCount = 0x300

  /// Codes that are neither modifiers nor driven by encoders: for buttons of other programs.
  public static let plainKeys: Range<KeyCode> = 0x200..<0x300
}

extension Event {
  /// A key or button that goes down or up.
  public static func key(_ code: KeyCode, down: Bool) -> Event {
    Event(type: EventType.key, code: code, value: down ? 1 : 0)
  }

  /// The scan code that precedes a key event.
  public static func scan(_ value: Int32) -> Event {
    Event(type: EventType.miscellaneous, code: EventType.scan, value: value)
  }

  var isReport: Bool { type == EventType.synchronisation && code == EventType.report }

  /// Whether this is the scan code that precedes a key event.
  public var isScan: Bool { type == EventType.miscellaneous && code == EventType.scan }
}

// MARK: - Frames

/// The events of one device that happened together: the unit that is read, decided on and written.
///
/// The `SYN_REPORT` that ends a frame is understood and not stored.
///
/// A frame is meant to be kept and filled again: ``removeAll()`` keeps its storage.
public struct Frame: Equatable, Sendable {
  /// When the events happened, as the kernel stamped them.
  public var time: Microseconds
  /// The events in the device's order.
  public private(set) var events: ContiguousArray<Event>

  public init(time: Microseconds = 0, _ events: some Sequence<Event> = []) {
    self.time = time
    self.events = ContiguousArray(events)
  }

  /// An empty frame with room for `capacity` events.
  public init(capacity: Int) {
    self.init()
    events.reserveCapacity(capacity)
  }

  public var isEmpty: Bool { events.isEmpty }

  /// Whether there are keys among the events.
  public var movesKeys: Bool { events.contains { $0.type == EventType.key } }

  public mutating func append(_ event: Event) { events.append(event) }

  /// Empties the frame and keeps its storage.
  public mutating func removeAll() {
    // For the few events that a frame has, quicker than `removeAll(keepingCapacity:)`.
    while !events.isEmpty { events.removeLast() }
  }
}

/// Frames on their way out, in order: what the engine answers with.
///
/// The caller empties it, with ``drain(_:)`` or ``removeAll()``; the storage stays, so that the event path allocates nothing.
public struct FrameQueue: Sendable {
  /// The events of all frames, one after the other.
  private var events = Reused<Event>()
  /// When each frame was emitted, and where it ends in `events`.
  private var ends = Reused<(time: Microseconds, end: Int)>()

  /// How many frames wait to be written.
  public var count: Int { ends.count }
  public var isEmpty: Bool { ends.count == 0 }

  /// Calls `body` with the events of each frame and when it was emitted, in order, and empties the queue: also of what is
  /// left if `body` throws.
  ///
  /// The buffer is valid during the call only.
  @inline(__always)
  public mutating func drain<Failure>(
    _ body: (UnsafeBufferPointer<Event>, Microseconds) throws(Failure) -> Void
  ) throws(Failure) {
    defer { removeAll() }
    var start = 0
    for index in 0..<ends.count {
      let (time, end) = ends[index]
      try events.elements.withUnsafeBufferPointer { (all) throws(Failure) in
        try body(UnsafeBufferPointer(rebasing: all[start..<end]), time)
      }
      start = end
    }
  }

  /// The frames, as copies of their own. Allocates: not for the path of events.
  public var frames: [Frame] {
    var (copy, frames): (FrameQueue, [Frame]) = (self, [])
    copy.drain { frames.append(Frame(time: $1, $0)) }
    return frames
  }

  /// Empties the queue and keeps its storage.
  public mutating func removeAll() {
    events.count = 0
    ends.count = 0
  }

  @inline(__always)
  mutating func append(_ event: Event) { events.append(event) }

  /// Adds a key event to the frame in hand, after the scan code that it came with.
  @inline(__always)
  mutating func append(_ event: Event, scan: Int32?) {
    if let scan { events.append(.scan(scan)) }
    events.append(event)
  }

  /// Ends the frame in hand; one without content is none.
  @inline(__always)
  mutating func endFrame(at time: Microseconds) {
    guard events.count > (isEmpty ? 0 : ends[ends.count - 1].end) else { return }
    ends.append((time, events.count))
  }
}

/// A list that is emptied by forgetting its length, and filled again where it is.
private struct Reused<Element: Sendable>: Sendable {
  /// The list, and after it what is left of longer ones.
  private(set) var elements: ContiguousArray<Element> = []

  /// How long the list is. It may be made shorter.
  var count = 0

  init() {
    // More than what one frame brings out.
    elements.reserveCapacity(256)
  }

  subscript(index: Int) -> Element { elements[index] }

  @inline(__always)
  mutating func append(_ element: Element) {
    if count < elements.count {
      elements[count] = element
    } else {
      elements.append(element)
    }
    count += 1
  }
}
