import CEvdev
import Debounce
import Files
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

  /// When a source is grabbed, if it is.
  public enum Grab: Sendable {
    case never
    /// By a call of ``grabIfNoKeyIsDown()``.
    case later
    case atOnce
  }

  public let path: String
  /// The name and numbers that the device gives itself; its `phys` and `uniq` are known.
  public let identity: DeviceIdentity
  public let capabilities: DeviceCapabilities
  /// Whether the device has relative axes.
  public let sendsMotion: Bool

  /// The frame that ``read()`` read last. Its time is that of the last motion if motion was read since.
  public private(set) var frame = Frame(capacity: 64)

  private var isGrabbed = false
  /// When the last grab ended.
  private var ungrabbed: Microseconds = 0

  /// Whether a key has come that the device did not have when it was opened. The kernel tells nobody when keys are remapped
  /// (`setkeycodes`, hwdb). A clone that was made before lacks such a key, and the kernel drops its events there.
  public private(set) var hasNewKeys = false
  /// The keys that the device had when it was opened.
  private let keys: KeySet

  /// Becomes readable when there are events. The source closes it.
  public let descriptor: CInt

  private let node: OpenNode
  /// A node that shows what other programs have seen before a grab; `nil` if the source is never grabbed. It stays open as long
  /// as the source, because closing it takes the kernel time.
  private let others: OpenNode?
  /// The `struct libevdev` of the node.
  let device: OpaquePointer
  /// When the device's clock had been set.
  private let clockSet: Microseconds
  /// Whether the next frame is the first since the clock was set, and events had been sent before.
  private var followsChangeOfClock = false
  private var unread = EventBuffer(capacity: 128)
  private var frameIsComplete = false
  /// Frames that are kept until a program can read them; `nil` if none are kept.
  private var store: FrameStore?
  /// The keys that are down according to the events read so far. The engine's `rawHeld` is another set: the engine gets only the
  /// frames that are forwarded, later than the source reads them if they are kept, and commands read a source without an engine.
  private var keysDownWhenRead = KeySet()
  /// Whether the last call of `read` has taken all that there was, and ``Reading/nothing`` was not returned since.
  private var isAtEnd = false

  /// Opens the device, and learns its identity and capabilities.
  ///
  /// - Parameters:
  ///   - described: The node that udev has described, whose path may have become another device's since; `nil` for any device
  ///     at the path.
  ///   - grab: Whether the device is to be grabbed. `atOnce` grabs it before anything else is asked of it, as long as no key is
  ///     down and no other program has grabbed it. Frames are kept then, and ``keeps`` shows it.
  public init(
    path: String, of described: DeviceNode? = nil, grab: Grab = .never
  ) throws(DeviceError) {
    let node = try OpenNode(path)
    if let described, !node.isNode(described) { throw .gone(path: path) }
    // The clock comes first, because to set it drops what was sent. By another clock no deadline would ever come.
    try node.setClock()
    let clockSet = monotonicNow()
    let others = grab == .never ? nil : try OpenNode(path)
    var isGrabbed = false
    if grab == .atOnce, let others {
      others.takeUnread()
      node.takeUnread()
      if let down = try? node.keysDown(), down.isEmpty {
        isGrabbed = (try? node.grab(beside: others)) ?? false
      }
    }
    self.init(
      node, others, try node.learn(asking: isGrabbed ? others : nil), clockSet, isGrabbed: isGrabbed
    )
  }

  /// The part that cannot throw: Swift 6.2 does not clean up after an initialiser that throws.
  private init(
    _ node: OpenNode, _ others: OpenNode?, _ device: OpaquePointer, _ clockSet: Microseconds,
    isGrabbed: Bool
  ) {
    (path, descriptor) = (node.path, node.descriptor)
    (self.node, self.others, self.device, self.clockSet) = (node, others, device, clockSet)
    self.isGrabbed = isGrabbed
    store = isGrabbed ? FrameStore() : nil
    identity = DeviceIdentity(
      name: String(text: libevdev_get_name(device)),
      bus: UInt16(truncatingIfNeeded: libevdev_get_id_bustype(device)),
      vendor: UInt16(truncatingIfNeeded: libevdev_get_id_vendor(device)),
      product: UInt16(truncatingIfNeeded: libevdev_get_id_product(device)),
      version: UInt16(truncatingIfNeeded: libevdev_get_id_version(device)),
      phys: String(text: libevdev_get_phys(device)), uniq: String(text: libevdev_get_uniq(device)))
    capabilities = DeviceCapabilities(libevdev: device)
    keys = capabilities.keys
    sendsMotion = capabilities.codes[EventType.relative]?.isEmpty == false
  }

  /// Closes the device before the value goes. It must not be used afterwards. Like ``Clone/destroy()``, this takes time.
  public mutating func finish() {
    node.close()
    others?.close()
  }
}

// MARK: - Reading

extension Source {
  /// Reads on to the end of the next frame.
  ///
  /// Call it until it returns ``Reading/nothing``. It reads ahead, so that the descriptor alone does not show whether there is
  /// more. One call of `read` takes all that is there. libevdev is asked only when events were lost.
  public mutating func read() -> Reading {
    if store != nil, let kept = readKept() { return kept }
    return readFromDevice()
  }

  @inline(__always)
  private mutating func readFromDevice() -> Reading {
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
          // The kernel reports a loss whenever the clock is set. Such a report is about events before that, and none of the
          // later ones are lost. It comes together with the first frame that follows, however late.
          if event.microseconds <= clockSet {
            followsChangeOfClock = true
            continue
          }
          return .resynchronised(resynchronise())
        }
        guard event.code == SYN_REPORT else { continue }
        frame.time = event.microseconds
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
  /// - Parameter axes: The axes that they may move, a bit each.
  /// - Returns: The frames, with at most ``Clone/mostAtOnce`` events, valid until the source is read again. If there are none,
  ///   ``read()`` returns what was read, and then asks the kernel for more. A caller who judges deadlines by a time after this call
  ///   must know all that came before it.
  @inline(__always)
  public mutating func readMotion(of axes: UInt16) -> KernelFrames? {
    // Events that were read before come first, among them perhaps the beginning of a frame.
    guard unread.isEmpty, !isAtEnd, store == nil, frameIsComplete || frame.isEmpty,
      !followsChangeOfClock, case .events = unread.fill(from: descriptor)
    else { return nil }
    return takeMotion(of: axes)
  }

  /// Returns the next frames of motion that ``readMotion(of:)`` has read, in the same way.
  @inline(__always)
  public mutating func takeMotion(of axes: UInt16) -> KernelFrames? {
    guard let motion = unread.takeMotion(of: axes, atMost: Clone.mostAtOnce) else { return nil }
    frame.time = motion.times.last
    return motion
  }

  /// Takes the ``Reading/nothing`` that ``read()`` would return without asking the kernel, and returns whether it would.
  @inline(__always)
  public mutating func takeEnd() -> Bool {
    guard isAtEnd, unread.isEmpty, store == nil else { return false }
    isAtEnd = false
    return true
  }

  /// Gives the first frame after the change of the clock its time, as near as can be known.
  ///
  /// The kernel stamps that frame with the time of the change, which it had noted for the next frame.
  @inline(never)
  private mutating func correctTime() {
    followsChangeOfClock = false
    guard frame.time <= clockSet else { return }
    // The next event is later than this frame.
    frame.time = min(unread.first?.microseconds ?? .max, monotonicNow())
  }

  /// Whether ``read()`` has read more than it has returned, so that the next call does not ask the kernel.
  public var hasMore: Bool { !unread.isEmpty }

  /// Notes that ``read()`` is called again only after other devices have had their turn. More may have come by then.
  public mutating func pauseReading() {
    isAtEnd = false
  }

  /// Takes what has not been read, and returns the keys that were pressed before the last grab ended, in order: presses that
  /// no other program has seen.
  public mutating func takeUnreadPresses() -> [KeyCode] {
    var presses: [KeyCode] = []
    unread.takeAll(from: descriptor) { event in
      if event.type == EV_KEY, event.value == 1, event.microseconds <= ungrabbed {
        presses.append(event.code)
      }
    }
    frame.removeAll()
    (frameIsComplete, isAtEnd) = (false, false)
    return presses
  }

  /// Appends an event that the device sends, but no echo of what is written to it. An echo would be written to the clone, the
  /// clone's echo to the device, and so on for ever.
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
      // libevdev compares the kernel's state with these values when events were lost.
      libevdev_set_event_value(device, UInt32(event.type), UInt32(event.code), event.value)
    default:
      if EventType.isFeedback(event.type) { return }
    }
    frame.append(Event(type: event.type, code: event.code, value: event.value))
  }
}

extension EventType {
  /// Whether such events are written to devices, and not sent by them: LEDs, sounds, the pace of repeats.
  static func isFeedback(_ type: UInt16) -> Bool {
    type == EV_LED || type == EV_SND || type == EV_REP
  }
}

// MARK: - Its state

extension Source {
  public func keysDown() throws(DeviceError) -> KeySet { try node.keysDown() }

  /// Asks the kernel for the device's state, which includes all unread events.
  ///
  /// - Returns: The keys that are down now. ``frame`` then holds all else that differs from what was read, and its time is now.
  private mutating func resynchronise() -> KeySet {
    unread.removeAll()
    frame.removeAll()
    // The time is taken before the state, so that later events have later times.
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
    // Without a state, the keys stay as the events left them.
    if start == isSync, result == -EAGAIN, let down = try? keysDown() { keysDownWhenRead = down }
    return keysDownWhenRead
  }

  /// Asks the kernel for the device's state if the keys are not as the events left them.
  ///
  /// Call it when ``read()`` has returned ``Reading/nothing``.
  ///
  /// - Returns: The keys that are down now, and all other changes in ``frame``; `nil` if all keys are as they were.
  public mutating func resynchroniseIfDifferent() -> KeySet? {
    guard let down = try? keysDown(), down != keysDownWhenRead else { return nil }
    return resynchronise()
  }

  /// The state of the device's switches and axes, by the events read so far.
  public var positions: [Event] {
    var positions: [Event] = []
    for (type, codes) in [(EV_SW, 0..<SW_CNT), (EV_ABS, 0..<ABS_MT_SLOT)] {
      for code in codes
      where libevdev_has_event_code(device, UInt32(type), UInt32(code)) == 1 {
        let value = libevdev_get_event_value(device, UInt32(type), UInt32(code))
        positions.append(Event(type: UInt16(type), code: UInt16(code), value: value))
      }
    }
    return positions
  }

  /// The LEDs that were lit when the device was opened, or when its state was last read.
  var ledsLit: [Event] {
    (0..<UInt16(LED_CNT)).filter {
      libevdev_get_event_value(device, UInt32(EV_LED), UInt32($0)) != 0
    }.map { Event(type: UInt16(EV_LED), code: $0, value: 1) }
  }

  /// Writes a frame to the device, such as the state of a LED or a beep.
  public func write(_ frame: borrowing Frame) throws(DeviceError) {
    try node.write([Array(frame.events)])
  }
}

// MARK: - The grab

extension Source {
  /// Grabs the device if no key is down, so that nothing else reads it from now on.
  ///
  /// A key that is down during the grab would stay down for all other programs, which never see its release.
  ///
  /// - Returns: Whether the device is grabbed. If not, a key is down, or has moved just now. Ask again when none has moved for a
  ///   while.
  public mutating func grabIfNoKeyIsDown() throws(DeviceError) -> Bool {
    guard let others else { return false }
    others.takeUnread()
    // Other programs have received all that was sent up to now. The state is read before the grab, because the kernel drops
    // unread events when it is asked for it.
    guard try keysDown().isEmpty, resynchronise().isEmpty else { return false }
    isGrabbed = try node.grab(beside: others)
    return isGrabbed
  }

  /// Releases the keys that are down for the programs that saw them pressed, and grabs the device.
  ///
  /// - Returns: Whether the device is grabbed. If not, a key went down again meanwhile.
  public mutating func grabReleasingKeys() throws(DeviceError) -> Bool {
    // This fails if another program has grabbed the device. The keys that are down are that program's then.
    try node.grab()
    node.ungrab()
    node.releaseKeysDown()
    return try grabIfNoKeyIsDown()
  }

  /// Gives the device back to all programs.
  ///
  /// Keys that are down are released towards the kernel first. Otherwise it would go on repeating a key whose press no other
  /// program saw. A PS/2 keyboard repeats keys by itself, and the kernel would take each repeat of a released key for a press.
  /// So its keys are not released.
  public mutating func ungrab() {
    guard isGrabbed else { return }
    isGrabbed = false
    // The kernel drops what is unread of the node that asks which keys are down. The other node has read nothing since the grab.
    if identity.bus != BUS_I8042 { (others ?? node).releaseKeysDown() }
    ungrabbed = monotonicNow()
    node.ungrab()
  }
}

// MARK: - Keeping

/// Keeping frames of a grabbed source until a program can receive them.
extension Source {
  public enum Keeping: Sendable {
    case all
    case full
    case gone
  }

  /// Whether frames are kept. ``read()`` returns those first.
  public var keeps: Bool { store != nil }

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

  /// Drops the frames that are kept, and those that the device has sent since. Returns how many presses these have.
  public mutating func dropKept() -> Int {
    guard store != nil else { return 0 }
    _ = keep()
    defer { store = nil }
    return store?.presses ?? 0
  }

  /// Takes the first of the kept frames. If there are none left, returns `nil`, and frames are no longer kept.
  private mutating func readKept() -> Reading? {
    guard let store, !store.isEmpty else {
      store = nil
      return nil
    }
    frameIsComplete = true
    return store.takeFirst(into: &frame).map { .resynchronised($0) } ?? .frame
  }
}
