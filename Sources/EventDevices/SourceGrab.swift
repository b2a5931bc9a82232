import CEvdev
import Debounce
import Glibc
import SystemPackage

/// How a source is grabbed and given back, and what state it is in.
extension Source {
  public func keysDown() throws(DeviceError) -> KeySet {
    guard let keys = Self.keysDown(descriptor) else {
      throw failure("query the keys of", Errno.last)
    }
    return keys
  }

  /// The keys that are down now on an open device; `nil` if it does not say.
  private static func keysDown(_ descriptor: CInt) -> KeySet? {
    var bits = [UInt8](repeating: 0, count: EventType.keyCount / 8)
    guard cevdev_get_key_state(descriptor, &bits, bits.count) >= 0 else { return nil }
    var keys = KeySet()
    for code in 0..<KeyCode(EventType.keyCount)
    where bits[Int(code) / 8] & 1 << (code % 8) != 0 {
      keys.insert(code)
    }
    return keys
  }

  /// Grabs an open device of which nothing is known yet, if no key is down and no other program has it.
  ///
  /// - Returns: Whether it is grabbed.
  static func grabIfNoKeyIsDown(_ descriptor: CInt, beside others: PlainReader) -> Bool {
    others.forget()
    takeUnread(from: descriptor)
    guard keysDown(descriptor)?.isEmpty == true, cevdev_grab(descriptor, 1) == 0 else {
      return false
    }
    return confirmGrab(descriptor, beside: others)
  }

  /// Ends a grab that has just begun if others have seen a key move since it was known that none is down: one that went down
  /// must come up for them, and one that came up again may be bouncing.
  ///
  /// - Returns: Whether it is still grabbed. If not, others have seen of each key that is down now that it is, and no other.
  private static func confirmGrab(_ descriptor: CInt, beside others: PlainReader) -> Bool {
    let seen: KeySet
    switch others.account() {
    case .noKeyMoved: return true
    case .keysMoved(let down): seen = down
    case .lost: seen = keysDown(descriptor) ?? KeySet()
    }
    let down = keysDown(descriptor) ?? seen
    // The kernel passes on only what changes. What others have not seen come up goes down once more, before they can see
    // that; what they have not seen go down comes up for a moment, and they take no notice.
    let unseenReleases = seen.filter { !down.contains($0) }
    write([unseenReleases.map { .key($0, down: true) }], to: descriptor)
    _ = cevdev_grab(descriptor, 0)
    write([unseenReleases.map { .key($0, down: false) }], to: descriptor)
    let unseenPresses = (keysDown(descriptor) ?? KeySet()).filter {
      down.contains($0) && !seen.contains($0)
    }
    write(
      [false, true].map { isDown in unseenPresses.map { .key($0, down: isDown) } }, to: descriptor)
    return false
  }

  /// Writes frames, those that are not empty, in one go.
  private static func write(_ frames: [[Event]], to descriptor: CInt) {
    var writer = FrameWriter()
    for events in frames where !events.isEmpty { writer.add(events, at: monotonicNow()) }
    if writer.count > 0 { try? writer.flush(to: descriptor) }
  }

  /// Grabs the device if no key is down, so that nothing else reads it from now on.
  ///
  /// A key that is down during the grab would stay down for everyone else: they never see its release.
  ///
  /// - Returns: Whether it is grabbed. If not, a key is down, or has moved just now; ask again when none has for a while.
  public mutating func grabIfNoKeyIsDown() throws(DeviceError) -> Bool {
    guard let others else { return false }
    others.forget()
    // What was sent up to now others have read too. Start from the state as it is: before the grab, since to ask for it has
    // the kernel drop what is unread.
    guard try keysDown().isEmpty, resynchronise().isEmpty else { return false }
    try takeGrab()
    isGrabbed = Self.confirmGrab(descriptor, beside: others)
    return isGrabbed
  }

  /// Releases the keys that are down, for those who saw them pressed, and grabs the device.
  ///
  /// - Returns: Whether it is grabbed. If not, a key went down again meanwhile.
  public mutating func grabReleasingKeys() throws(DeviceError) -> Bool {
    // Not the keys of a device that another program has grabbed: those are that program's.
    try takeGrab()
    _ = cevdev_grab(descriptor, 0)
    releaseKeysDown()
    return try grabIfNoKeyIsDown()
  }

  private func takeGrab() throws(DeviceError) {
    guard cevdev_grab(descriptor, 1) != 0 else { return }
    switch Errno.last {
    case .resourceBusy: throw .busy(path: path, holders: [])
    case let reason: throw failure("grab", reason)
    }
  }

  /// The state of its switches and axes, as far as it has been read.
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

  /// Reads the keys' state if it differs from what the events read so far add up to.
  ///
  /// To be called when ``read()`` has returned ``Reading/nothing``.
  ///
  /// - Returns: The keys that are down now, and in ``frame`` what else changed; `nil` if all is as it was.
  public mutating func resynchroniseIfDifferent() -> KeySet? {
    guard let down = try? keysDown(), down != keysDownWhenRead else { return nil }
    return resynchronise()
  }

  /// Gives the device back to everyone.
  ///
  /// Keys that are down are released towards the kernel first, so that it does not go on repeating
  /// a key whose press no other program saw. Not those of a PS/2 keyboard: it repeats by itself, and each repeat of
  /// a key that the kernel takes for released would be a press.
  public mutating func ungrab() {
    guard isGrabbed else { return }
    isGrabbed = false
    if identity.bus != BUS_I8042 { releaseKeysDown() }
    ungrabbed = monotonicNow()
    _ = cevdev_grab(descriptor, 0)
  }

  /// Releases the keys that are down, as far as the kernel knows. Their real releases then go unnoticed.
  private mutating func releaseKeysDown() {
    guard let down = try? keysDown(), !down.isEmpty else { return }
    try? write(Frame(time: monotonicNow(), down.map { Event.key($0, down: false) }))
  }

  func failure(_ operation: String, _ errno: Errno) -> DeviceError {
    errno.meansMissing
      ? .gone(path: path) : .system(operation: operation, path: path, errno)
  }
}
