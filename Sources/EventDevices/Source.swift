import CEvdev
import Debounce
import Glibc
import SystemPackage

/// A device that is read, and grabbed when its keys are up: an open `/dev/input/eventN`.
///
/// Owns its descriptor; closing it also ends the grab.
public struct Source: ~Copyable {
  public enum Reading: Equatable, Sendable {
    /// A whole frame; it is in ``frame``.
    case frame
    /// Events were lost (`SYN_DROPPED`). These keys are down now; ``frame`` holds what else changed,
    /// and its time is the moment.
    case resynchronised(KeySet)
    case nothing
    case gone
  }

  /// Whether a source is to be grabbed, and when.
  public enum Grab: Sendable {
    case never
    /// When ``grabIfNoKeyIsDown()`` is called.
    case later
    case atOnce
  }

  public let path: String
  /// The name and numbers that the device gives itself; its `phys` and `uniq` are known.
  public let identity: DeviceIdentity
  public let capabilities: DeviceCapabilities
  /// Whether it has relative axes.
  public let sendsMotion: Bool

  /// The frame that ``read()`` read last. Its time is that of motion if that was read since.
  public internal(set) var frame = Frame(capacity: 64)

  /// Calls `body` with the events of ``frame`` and its time, where they lie.
  @inline(__always)
  public func withFrame<Failure>(
    _ body: (UnsafeBufferPointer<Event>, Microseconds) throws(Failure) -> Void
  ) throws(Failure) {
    try frame.events.withUnsafeBufferPointer { (events) throws(Failure) in
      try body(events, frame.time)
    }
  }

  public internal(set) var isGrabbed = false
  /// When the last grab ended.
  public internal(set) var ungrabbed: Microseconds = 0

  /// Whether a key has come that the device did not have when it was opened: it was remapped (`setkeycodes`, hwdb), of
  /// which the kernel tells nobody. A clone made before has no such key, and the kernel drops it there.
  public private(set) var hasNewKeys = false
  /// The keys that the device had when it was opened.
  private let keys: KeySet

  /// Becomes readable when there are events. Stays the source's.
  public let descriptor: CInt

  let device: OpaquePointer
  /// When the device's clock had been set.
  private let clockSet: Microseconds
  /// Whether the next frame is the first since then, and something had been sent before.
  private var followsChangeOfClock = false
  private var isFinished = false
  private var writer = FrameWriter()
  private var unread = EventBuffer(capacity: 128)
  var frameIsComplete = false
  /// Tells what others have seen before a grab; `nil` if there is to be none. Open for as long as the source is: to close it
  /// takes the kernel its time.
  private(set) var others: PlainReader?
  /// What is kept until somebody can read it; `nil` if nothing is.
  var store: FrameStore?
  /// The keys that are down according to the events read so far.
  private(set) var keysDownWhenRead = KeySet()
  /// Whether all that was there has been read since ``read()`` last returned ``Reading/nothing``.
  private var isAtEnd = false

  /// Opens the device and learns what it is.
  ///
  /// - Parameters:
  ///   - node: The node that it must be, as udev has described it; `nil` for whatever has the path. The name may have
  ///     become another device's since.
  ///   - grab: Whether it is to be grabbed. At once is before anything else is asked of it, if no key is down and no other
  ///     program has it: whoever asks first may come too late. ``isGrabbed`` is whether it is; what it sends is kept then.
  public init(
    path: String, of node: DeviceNode? = nil, grab: Grab = .never
  ) throws(DeviceError) {
    let descriptor: CInt
    do {
      descriptor = try openDevice(path)
    } catch  where error.meansRefused {
      throw .permission(path: path, advice: Access.adviceForSource(path))
    } catch  where error.meansMissing {
      throw .gone(path: path)
    } catch {
      throw .system(operation: "open", path: path, error)
    }

    if let node, !isNode(descriptor, node) {
      close(descriptor)
      throw .gone(path: path)
    }
    // First of all: to change the clock throws away what was sent. By another one no deadline would ever come.
    guard cevdev_set_clock(descriptor, CLOCK_MONOTONIC) == 0 else {
      let error = Errno.last
      close(descriptor)
      throw .system(operation: "set the clock of", path: path, error)
    }
    let clockSet = monotonicNow()
    let others: PlainReader?
    do {
      others = grab == .never ? nil : try PlainReader(path: path)
    } catch {
      close(descriptor)
      throw error.meansMissing
        ? .gone(path: path) : .system(operation: "open", path: path, error)
    }
    let isGrabbed =
      if grab == .atOnce, let others {
        Self.grabIfNoKeyIsDown(descriptor, beside: others)
      } else {
        false
      }

    var device: OpaquePointer?
    let result =
      if isGrabbed, let others {
        Self.query(descriptor, through: others, &device)
      } else {
        libevdev_new_from_fd(descriptor, &device)
      }
    guard result == 0, let device else {
      close(descriptor)
      throw .system(operation: "query", path: path, Errno(rawValue: -result))
    }
    self.init(path: path, device, descriptor, clockSet: clockSet)
    self.others = others
    if isGrabbed {
      self.isGrabbed = true
      beginToKeep()
    }
  }

  /// Queries a device through another reader than the one that is to receive its events: what is asked for takes what was
  /// sent of it out of the queue of the descriptor that asks.
  ///
  /// - Returns: As libevdev does, 0 or a negative number of an error.
  private static func query(
    _ descriptor: CInt, through reader: PlainReader, _ device: inout OpaquePointer?
  ) -> CInt {
    let result = libevdev_new_from_fd(reader.descriptor, &device)
    return result == 0 ? libevdev_change_fd(device, descriptor) : result
  }

  private init(
    path: String, _ device: OpaquePointer, _ descriptor: CInt, clockSet: Microseconds
  ) {
    func text(_ pointer: UnsafePointer<CChar>?) -> String {
      pointer.map(String.init(cString:)) ?? ""
    }
    self.path = path
    self.descriptor = descriptor
    self.device = device
    self.clockSet = clockSet
    identity = DeviceIdentity(
      name: text(libevdev_get_name(device)),
      bus: UInt16(truncatingIfNeeded: libevdev_get_id_bustype(device)),
      vendor: UInt16(truncatingIfNeeded: libevdev_get_id_vendor(device)),
      product: UInt16(truncatingIfNeeded: libevdev_get_id_product(device)),
      version: UInt16(truncatingIfNeeded: libevdev_get_id_version(device)),
      phys: text(libevdev_get_phys(device)), uniq: text(libevdev_get_uniq(device)))
    capabilities = DeviceCapabilities(libevdev: device)
    keys = KeySet(capabilities.codes[UInt16(EV_KEY)] ?? [])
    sendsMotion = capabilities.codes[EventType.relative]?.isEmpty == false
  }

  deinit {
    if !isFinished { Self.finish(device, descriptor) }
  }

  /// Closes the device before the value goes; nothing else may be done with it afterwards. Like ``Clone/destroy()``,
  /// this takes its time.
  public mutating func finish() {
    guard !isFinished else { return }
    isFinished = true
    others = nil
    Self.finish(device, descriptor)
  }

  private static func finish(_ device: OpaquePointer, _ descriptor: CInt) {
    libevdev_free(device)
    close(descriptor)
  }
}

// MARK: - Reading

extension Source {
  /// Reads on to the end of the next frame.
  ///
  /// Call it until it returns ``Reading/nothing``: it reads ahead, so that the descriptor alone does not show whether
  /// there is more. It asks the kernel once for all that is there, and libevdev only when events were lost.
  public mutating func read() -> Reading {
    if store != nil, let kept = readKept() { return kept }
    return readFromDevice()
  }

  @inline(__always)
  mutating func readFromDevice() -> Reading {
    if frameIsComplete {
      frame.removeAll()
      frameIsComplete = false
    }
    while true {
      while let event = unread.next() {
        guard event.type == EV_SYN else {
          append(event)
          continue
        }
        if event.code == SYN_DROPPED {
          if reportsChangeOfClock(event) {
            followsChangeOfClock = true
            continue
          }
          return .resynchronised(resynchronise())
        }
        guard event.code == SYN_REPORT else { continue }
        frame.time = withUnsafePointer(to: event) { cevdev_event_time($0) }
        if followsChangeOfClock { correctTime() }
        frameIsComplete = true
        return .frame
      }
      if isAtEnd {
        isAtEnd = false
        return .nothing
      }
      switch unread.fill(from: descriptor) {
      case .events: isAtEnd = unread.tookAll
      case .nothing: return .nothing
      case .gone: return .gone
      }
    }
  }

  /// Reads what the device has sent, and returns its first frames if they only move some relative axes.
  ///
  /// - Parameters:
  ///   - axes: Those that they may move, a bit each.
  ///   - limit: How many events that may be at most.
  /// - Returns: The frames, valid until the source is read again. If there are none, ``read()`` returns what was read, and then
  ///   asks the kernel for more: whoever judges deadlines by a time that is later than this call has to know all that came
  ///   before that time.
  @inline(__always)
  public mutating func readMotion(of axes: UInt16, atMost limit: Int) -> KernelFrames? {
    // What was read before, of which the beginning of a frame may be left, comes first.
    guard unread.isEmpty, !isAtEnd, store == nil, frameIsComplete || frame.isEmpty,
      !followsChangeOfClock, case .events = unread.fill(from: descriptor)
    else { return nil }
    return takeMotion(of: axes, atMost: limit)
  }

  /// Returns the next of what ``readMotion(of:atMost:)`` has read, in the same way.
  @inline(__always)
  public mutating func takeMotion(of axes: UInt16, atMost limit: Int) -> KernelFrames? {
    guard let motion = unread.takeMotion(of: axes, atMost: limit) else { return nil }
    frame.time = motion.times.last
    return motion
  }

  /// Takes the ``Reading/nothing`` that ``read()`` would return without asking the kernel.
  ///
  /// - Returns: Whether it would: all that was there has been read and returned.
  @inline(__always)
  public mutating func takeEnd() -> Bool {
    guard isAtEnd, unread.isEmpty, store == nil else { return false }
    isAtEnd = false
    return true
  }

  /// Whether this `SYN_DROPPED` is about what was sent before the clock was set, and nothing is lost of what has come since.
  ///
  /// The kernel hands it out together with the first frame that follows, however much later that comes.
  @inline(never)
  private func reportsChangeOfClock(_ event: input_event) -> Bool {
    withUnsafePointer(to: event) { cevdev_event_time($0) } <= clockSet
  }

  /// Gives the first frame after the clock was changed its time, as near as can be known.
  ///
  /// The kernel stamps it with the time of the change, which it has kept since then as that of the frame to come.
  @inline(never)
  private mutating func correctTime() {
    followsChangeOfClock = false
    guard frame.time <= clockSet else { return }
    // No later than what came after it.
    let next = unread.first.map { event in
      withUnsafePointer(to: event) { cevdev_event_time($0) }
    }
    frame.time = min(next ?? .max, monotonicNow())
  }

  /// Whether more was read than ``read()`` has returned so far, so that the next call asks the kernel for nothing.
  public var hasMore: Bool { !unread.isEmpty }

  /// Receives that ``read()`` is called again only after others have had their turn: more may have come by then.
  public mutating func pauseReading() {
    isAtEnd = false
  }

  /// Takes what has not been read, and returns the keys that were pressed, in order; the rest is dropped.
  ///
  /// - Parameter end: Up to when: with ``ungrabbed``, what others have not seen.
  public mutating func takeUnreadPresses(until end: Microseconds = .max) -> [KeyCode] {
    var presses: [KeyCode] = []
    // What the kernel keeps for a reader comes in one go; a device that floods is not waited for.
    for _ in 0..<2 {
      while let event = unread.next() {
        let time = withUnsafePointer(to: event) { cevdev_event_time($0) }
        if time <= end, event.type == EV_KEY, event.value == 1 { presses.append(event.code) }
      }
      guard case .events = unread.fill(from: descriptor) else { break }
    }
    unread.removeAll()
    frame.removeAll()
    (frameIsComplete, isAtEnd) = (false, false)
    return presses
  }

  /// Takes the kernel's state for the truth: what was sent and not read is part of it.
  ///
  /// - Returns: The keys that are down now; in ``frame`` is what else differs from what was read, and its time is now.
  mutating func resynchronise() -> KeySet {
    unread.removeAll()
    frame.removeAll()
    // Before the state is read: events that come after it will be later than this.
    frame.time = monotonicNow()
    var event = input_event()
    let isSync = CInt(LIBEVDEV_READ_STATUS_SYNC.rawValue)
    let start = libevdev_next_event(device, LIBEVDEV_READ_FLAG_FORCE_SYNC.rawValue, &event)
    var result = start
    while result == isSync {
      result = libevdev_next_event(device, LIBEVDEV_READ_FLAG_SYNC.rawValue, &event)
      if result == isSync, event.type != EV_SYN, event.type != EV_KEY { append(event) }
    }
    frameIsComplete = true
    // A state that cannot be read is no better than what the events said: libevdev learns of no key between two of
    // these.
    guard start == isSync, result == -EAGAIN else { return keysDownWhenRead }
    keysDownWhenRead.removeAll()
    for code in 0..<KeyCode(EventType.keyCount)
    where libevdev_get_event_value(device, UInt32(EV_KEY), UInt32(code)) != 0 {
      keysDownWhenRead.insert(code)
    }
    return keysDownWhenRead
  }

  /// Appends what the device sends, and not the echo of what is written to it: passed on, that would be written to
  /// the clone, whose echo would be written to the device, and so on for ever.
  private mutating func append(_ event: input_event) {
    switch CInt(event.type) {
    case EV_KEY:
      if !keys.contains(event.code) { hasNewKeys = true }
      if event.value == 0 {
        keysDownWhenRead.remove(event.code)
      } else {
        keysDownWhenRead.insert(event.code)
      }
    case EV_ABS, EV_SW:
      // What libevdev compares the kernel's state with when events were lost.
      libevdev_set_event_value(device, UInt32(event.type), UInt32(event.code), event.value)
    default:
      if EventType.isFeedback(event.type) { return }
    }
    frame.append(Event(type: event.type, code: event.code, value: event.value))
  }
}

// MARK: - Writing

extension Source {
  /// Writes something to the device: the state of a LED, a beep.
  public mutating func write(_ frame: borrowing Frame) throws(DeviceError) {
    do {
      writer.add(frame.events, at: frame.time)
      try writer.flush(to: descriptor)
    } catch {
      throw failure("write to", error)
    }
  }
}

/// How frames of a grabbed source are kept until there is somebody to pass them on to.
extension Source {
  public enum Keeping: Sendable {
    case all
    case full
    case gone
  }

  /// Whether frames are kept: ``read()`` returns those first.
  public var keeps: Bool { store != nil }

  /// Makes room for frames to be kept.
  mutating func beginToKeep() {
    store = FrameStore()
  }

  public mutating func keep() -> Keeping {
    while store?.isFull == false {
      switch readFromDevice() {
      case .frame: store?.append(frame)
      case .resynchronised(let held): store?.append(frame, held: held)
      case .nothing: return .all
      case .gone: return .gone
      }
    }
    return .full
  }

  /// Drops what is kept, and what the device has sent since.
  ///
  /// - Returns: How many presses that were.
  public mutating func dropKept() -> Int {
    guard store != nil else { return 0 }
    _ = keep()
    defer { store = nil }
    return store?.presses ?? 0
  }

  /// Takes the first of the frames that are kept; `nil` if there are none any more, and nothing is kept from now on.
  mutating func readKept() -> Reading? {
    guard store?.isEmpty == false else {
      store = nil
      return nil
    }
    let held = store?.takeFirst(into: &frame)
    frameIsComplete = true
    return if let held = held ?? nil { .resynchronised(held) } else { .frame }
  }
}
