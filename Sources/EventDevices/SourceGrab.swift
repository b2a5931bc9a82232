import CEvdev
import Debounce
import Devices
import Glibc
import SystemPackage

/// How a source is grabbed and given back, and what state it is in.
extension Source {
  /// The keys that are down now, read or not.
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

  /// A grab that was taken a moment ago.
  struct Grab {
    /// When it had been taken. What was sent before, others have read too.
    let time: Microseconds
    /// Whether anything was unread after that: if not, all that is still to come is the source's alone.
    let leftUnread: Bool

    fileprivate init(of descriptor: CInt) {
      time = monotonicNow()
      var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      leftUnread = poll(&state, 1, 0) != 0
    }
  }

  /// Grabs an open device of which nothing is known yet, if no key is down and no other program has it.
  ///
  /// - Returns: The grab, which ``begin(_:)`` completes; `nil` if it is not grabbed.
  static func grabIfNoKeyIsDown(_ descriptor: CInt) -> Grab? {
    dropUnread(descriptor)
    guard keysDown(descriptor)?.isEmpty == true, cevdev_grab(descriptor, 1) == 0 else { return nil }
    return Grab(of: descriptor)
  }

  /// Drops what an open device has sent before it is grabbed: others read that.
  private static func dropUnread(_ descriptor: CInt) {
    withUnsafeTemporaryAllocation(of: input_event.self, capacity: 64) { events in
      let size = events.count * MemoryLayout<input_event>.stride
      // A device that sends faster than this is read is not waited for.
      for _ in 0..<16 {
        if Glibc.read(descriptor, events.baseAddress, size) < size { break }
      }
    }
  }

  /// Grabs the device if no key is down, so that nothing else reads it from now on.
  ///
  /// A key that is down during the grab would stay down for everyone else: they never see its release.
  ///
  /// - Returns: Whether it is grabbed. If not, a key is down; ask again when one comes up.
  public mutating func grabIfNoKeyIsDown() throws(DeviceError) -> Bool {
    // What was sent up to now others have read too. Start from the state as it is: before the grab, since to ask for it
    // has the kernel drop what is unread.
    guard try keysDown().isEmpty, resynchronise().isEmpty else { return false }
    try takeGrab()
    begin(Grab(of: descriptor))
    return isGrabbed
  }

  /// Completes a grab: drops what others have read too, and keeps what was sent after it.
  ///
  /// A key that went down between the question for the keys and the grab ends it: others saw its press, and must see its
  /// release. ``isGrabbed`` is whether the grab stays.
  mutating func begin(_ grab: Grab) {
    isGrabbed = true
    guard grab.leftUnread else { return }
    beginToKeep()
    var heldByOthers = KeySet()
    reading: while store?.isFull == false {
      switch readFromDevice() {
      case .frame where store?.isEmpty == true && wasSent(before: grab):
        heldByOthers = keysDownWhenRead
      case .frame: store?.append(frame)
      case .resynchronised(let held):
        // What was lost may have been before the grab or after it.
        heldByOthers = held
        beginToKeep()
      case .nothing, .gone: break reading
      }
    }
    if store?.isEmpty == true { store = nil }
    if !heldByOthers.isEmpty { cancelGrab(keysHeldByOthers: heldByOthers) }
  }

  /// Whether the frame read last was sent before the grab, or may have been.
  private func wasSent(before grab: Grab) -> Bool {
    frame.time <= grab.time || frame.time == estimatedTime
  }

  /// Ends a grab that has just begun, and repeats for others the releases that they have not seen.
  private mutating func cancelGrab(keysHeldByOthers keys: KeySet) {
    (isGrabbed, store) = (false, nil)
    _ = cevdev_grab(descriptor, 0)
    guard let down = try? keysDown() else { return }
    for code in 0..<KeyCode(EventType.keyCount) where keys.contains(code) && !down.contains(code) {
      // The kernel passes on no release of a key that is up.
      for isDown in [true, false] {
        try? write(Frame(time: monotonicNow(), [.key(code, down: isDown)]))
      }
    }
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
    var releases: [Event] = []
    for code in 0..<KeyCode(EventType.keyCount) where down.contains(code) {
      releases.append(.key(code, down: false))
    }
    try? write(Frame(time: monotonicNow(), releases))
  }

  func failure(_ operation: String, _ errno: Errno) -> DeviceError {
    errno.meansMissing
      ? .gone(path: path) : .system(operation: operation, path: path, errno)
  }
}
