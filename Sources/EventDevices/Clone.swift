import CEvdev
import Debounce
import Files
import Glibc
import SystemPackage

/// The device that stands in for a source. It is made through uinput with the same identity and capabilities, so that
/// settings and quirks for the source hold for it, too.
///
/// Owns its descriptor; closing it removes the device.
public struct Clone: ~Copyable {
  /// The beginning of a clone's `phys`, which is all that tells it from its source.
  package static let physPrefix = "keydebounce/"

  /// The clone's own folder in sysfs, `/sys/devices/virtual/input/inputN`.
  let syspath: String
  /// The clone's event node.
  public let path: String
  /// Why udev has no mark of the clone; `nil` if it has one, or none was asked for.
  public let markFailure: Errno?

  /// Becomes readable when a program sets a LED, beeps or changes the pace of repeats; `nil` if the clone can do nothing of
  /// that. The clone closes it.
  public var feedbackDescriptor: CInt? { takesFeedback ? descriptor : nil }

  /// Whether scan codes that were written have come back: the kernel takes them for something that is written to devices.
  /// Whoever reads them at once with ``readFeedback()`` need not be woken for them. In a clone that takes no feedback, nobody
  /// reads them, and the kernel drops the oldest.
  public private(set) var hasEcho = false

  /// The feedback that ``readFeedback()`` read last.
  public private(set) var feedback = Frame(capacity: 16)

  /// The LEDs that programs have set on the clone, a bit each, and those of them that are on.
  private var ledsKnown: UInt32 = 0
  private var ledsOn: UInt32 = 0

  public let keys: KeySet

  private let uinput: UinputDevice
  private let descriptor: CInt
  private let takesFeedback: Bool
  private var writer = FrameWriter()
  private var unread = EventBuffer(capacity: 16)

  /// - Parameters:
  ///   - name: The clone's name, in at most 79 bytes of UTF-8.
  ///   - others: Keys that the clone has besides the source's.
  ///   - mark: The mark by which udev knows the clone.
  public init(
    of source: borrowing Source, name: String, adding others: KeySet = KeySet(),
    markedBy mark: CloneMark? = nil
  ) throws(DeviceError) {
    let uinput = try UinputDevice(like: source, name, adding: others, markedBy: mark)
    self.init(
      uinput, KeySet([source.capabilities.keys, others].joined()),
      takesFeedback: source.capabilities.takesFeedback)
    setPace(of: source)
    // The kernel passes on changes only, so that a LED which is lit on the source could not be switched off by a dark clone.
    let leds = source.ledsLit
    if !leds.isEmpty { try? write(leds, at: monotonicNow()) }
    // uinput hands these writes back. They are no program's.
    _ = readFeedback()
    (ledsKnown, ledsOn) = (0, 0)
  }

  /// The part that cannot throw: Swift 6.2 does not clean up after an initialiser that throws.
  private init(_ uinput: UinputDevice, _ keys: KeySet, takesFeedback: Bool) {
    (self.uinput, descriptor, self.keys) = (uinput, uinput.descriptor, keys)
    (syspath, path, markFailure) = (uinput.syspath, uinput.path, uinput.markFailure)
    self.takesFeedback = takesFeedback
  }

  /// Destroys the device before the value goes; nothing else may be done with it afterwards.
  ///
  /// The kernel waits several times until no processor uses the device any more. That takes tenths of a second, so the thread on
  /// which keys wait must not do it.
  public func destroy() { uinput.destroy() }

  /// Finds out whether clones can be made at all.
  public static func checkAccess() throws(DeviceError) {
    close(try UinputDevice.openUinput().descriptor)
  }
}

/// A device made through uinput, with the file by which udev knows it. Both go with the object.
private final class UinputDevice {
  let descriptor: CInt
  private let device: OpaquePointer
  /// The file that is there for as long as the device is.
  private var mark: String?
  private(set) var markFailure: Errno?
  private var isDestroyed = false

  /// Makes a device that can do all that the source can, except force feedback. Nobody would answer a program that uploads an
  /// effect, and it would hang.
  ///
  /// The capabilities come from what the source knows. If the kernel were asked again, it would drop the keys that wait to be
  /// read.
  init(
    like source: borrowing Source, _ name: String, adding others: KeySet, markedBy mark: CloneMark?
  ) throws(DeviceError) {
    let (descriptor, uinput) = try Self.openUinput()
    var device: OpaquePointer?
    defer { if device == nil { close(descriptor) } }
    guard cevdev_set_phys(descriptor, Clone.physPrefix + (source.identity.phys ?? "")) >= 0,
      let template = libevdev_new()
    else { throw .system(operation: "name a device through", path: uinput, .last) }
    defer { libevdev_free(template) }
    // The kernel makes no device without a name, though some keyboards by radio have none.
    libevdev_set_name(template, name.isEmpty ? "keydebounce" : name)
    libevdev_set_id_bustype(template, CInt(source.identity.bus))
    libevdev_set_id_vendor(template, CInt(source.identity.vendor))
    libevdev_set_id_product(template, CInt(source.identity.product))
    libevdev_set_id_version(template, CInt(source.identity.version))
    source.capabilities.enable(in: template, like: source.device)
    for key in others { libevdev_enable_event_code(template, UInt32(EV_KEY), UInt32(key), nil) }
    mark?.announce()
    defer { mark?.endAnnouncement() }
    let result = libevdev_uinput_create_from_device(template, descriptor, &device)
    guard result == 0, let device else {
      throw .system(
        operation: "make a device like \(source.path) through", path: uinput,
        Errno(rawValue: -result))
    }
    (self.descriptor, self.device) = (descriptor, device)
    // The mark comes first, because udev waits for it.
    do {
      self.mark = try mark?.make(for: syspath)
    } catch {
      markFailure = error
    }
  }

  deinit { destroy() }

  func destroy() {
    guard !isDestroyed else { return }
    isDestroyed = true
    libevdev_uinput_destroy(device)
    close(descriptor)
    if let mark { unlink(mark) }
  }

  var syspath: String { String(text: libevdev_uinput_get_syspath(device)) }
  var path: String { String(text: libevdev_uinput_get_devnode(device)) }

  /// The service's own node, which systemd-tmpfiles makes. So the mode of `/dev/uinput` stays as the system has it.
  private static let ownUinput = "/dev/keydebounce/uinput"
  private static let uinput = "/dev/uinput"

  static func openUinput() throws(DeviceError) -> (descriptor: CInt, path: String) {
    if let descriptor = try? openDevice(ownUinput) { return (descriptor, ownUinput) }
    do {
      return (try openDevice(uinput), uinput)
    } catch  where error.meansRefused {
      throw .permission(path: uinput, advice: Access.adviceForUinput(uinput))
    } catch  where error.meansMissing {
      throw .uinputMissing(error)
    } catch {
      throw .system(operation: "open", path: uinput, error)
    }
  }
}

// MARK: - Events

extension Clone {
  /// Whether the node, as udev describes it, is this clone's.
  public func isNode(_ node: DeviceNode) -> Bool {
    !syspath.isEmpty && node.id.syspath.hasPrefix(syspath + "/")
  }

  /// Whether the clone has the event's key; `true` for events that are not of keys. The kernel drops events of keys that a
  /// device does not have.
  public func knows(_ event: Event) -> Bool {
    event.type != EventType.key || keys.contains(event.code)
  }

  /// Writes a frame, and the frames that were added before.
  public mutating func write(
    _ events: some Collection<Event>, at time: Microseconds
  ) throws(DeviceError) {
    add(events, at: time)
    try flush()
  }

  /// Adds a frame to those that the next ``flush()`` writes with one call.
  public mutating func add(_ events: some Collection<Event>, at time: Microseconds) {
    writer.add(events, at: time)
  }

  /// The most events that one call writes: half of what the kernel keeps for a reader.
  static let mostAtOnce = 32

  /// Room for the time of each frame that one call writes. No frame is empty, so that there are no more frames than events.
  public typealias Times = InlineArray<32, Microseconds>

  public var hasUnwritten: Bool { writer.count > 0 }

  /// Whether the frames that were added leave no room for so many more events in one call.
  public func isFull(for more: Int) -> Bool {
    hasUnwritten && writer.count + more >= Self.mostAtOnce
  }

  public mutating func flush() throws(DeviceError) {
    if takesFeedback, writer.comesBack { hasEcho = true }
    do { try writer.flush(to: descriptor) } catch { throw failure(error) }
  }

  /// Writes frames as their source has sent them, at most ``mostAtOnce`` events without scan codes. Frames that were added
  /// before must have been written.
  @inline(__always)
  public mutating func write(_ frames: KernelFrames) throws(DeviceError) {
    do { try FrameWriter.write(frames.events, to: descriptor) } catch { throw failure(error) }
  }

  private func failure(_ reason: Errno) -> DeviceError {
    .system(operation: "write to", path: path, reason)
  }

  /// Has the clone repeat held keys at the source's rate. The kernel repeats the keys of each device by itself.
  public mutating func setPace(of source: borrowing Source) {
    var pace: [CInt] = [0, 0]
    guard cevdev_get_repeat(source.descriptor, &pace) >= 0 else { return }
    let events = zip([REP_DELAY, REP_PERIOD], pace).map {
      Event(type: UInt16(EV_REP), code: UInt16($0), value: $1)
    }
    try? write(events, at: monotonicNow())
  }

  public var leds: [Event] {
    (0..<UInt16(LED_CNT)).filter { ledsKnown & 1 << $0 != 0 }.map {
      Event(type: UInt16(EV_LED), code: $0, value: ledsOn & 1 << $0 != 0 ? 1 : 0)
    }
  }

  /// Reads what programs have written to the clone: LEDs, sounds, and the pace of its repeats.
  ///
  /// The kernel passes on single events, without the `SYN_REPORT` behind them. Those that are there at once are taken for a
  /// frame.
  ///
  /// - Returns: Whether there was anything, which is in ``feedback`` then. There may be more.
  public mutating func readFeedback() -> Bool {
    feedback.removeAll()
    hasEcho = false
    // One call only: a program that writes without end must not keep keys waiting.
    guard case .events = unread.fill(from: descriptor) else { return false }
    while let event = unread.next() {
      guard EventType.isFeedback(event.type) else { continue }
      if event.type == EV_LED, event.code < LED_CNT {
        ledsKnown |= 1 << event.code
        if event.value != 0 { ledsOn |= 1 << event.code } else { ledsOn &= ~(1 << event.code) }
      }
      feedback.append(Event(type: event.type, code: event.code, value: event.value))
      feedback.time = event.microseconds
    }
    return !feedback.isEmpty
  }
}

/// The mark by which udev's rule knows the clone of a device: an empty file below the daemon's folder in `/run`.
///
/// Any program that may open uinput can give a device the name and the place of a clone. But only the daemon can write to that
/// folder, and the kernel gives each number N of `inputN` to one device. So the file's name says which clone stands in for
/// which device. root's script (`udev-rules/keydebounce-clone`) asks whether the file exists, and reads nothing that the daemon
/// has written.
///
/// A clone has no number before it is made, and udev may look at once. So another file announces that a clone is about to be
/// made, and udev waits for its mark, for a second at most.
public struct CloneMark: Sendable {
  private static let prefix = "clone-"

  private let folder: String
  private let source: String

  /// - Parameters:
  ///   - claimsLinks: Whether the clone gets the source's links, too.
  ///   - folder: The daemon's folder.
  public init(for source: DeviceNode, claimsLinks: Bool, below folder: String) {
    self.folder = folder
    self.source = (claimsLinks ? "as" : "of") + "-" + source.inputName
  }

  private var announcement: String { "\(folder)/\(Self.prefix)to-come" }

  /// Announces that a clone is about to be made. A failure is not reported: the mark then fails for the same reason.
  func announce() {
    let options: FileDescriptor.OpenOptions = [.create, .closeOnExec, .noFollow, .nonBlocking]
    try? FileDescriptor.open(
      announcement, .writeOnly, options: options, permissions: .ownerReadWrite
    ).close()
  }

  /// Ends the announcement: the clone has its mark, or was not made.
  func endAnnouncement() { unlink(announcement) }

  /// Makes the file for a clone that was made just now, by the clone's folder in sysfs, and returns the file's path.
  func make(for clone: String) throws(Errno) -> String {
    let path = "\(folder)/\(Self.prefix)\(clone.split(separator: "/").last ?? "")-\(source)"
    try Errno.typed {
      try FileDescriptor.open(
        path, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec, .noFollow],
        permissions: .ownerReadWrite
      ).close()
    }
    return path
  }

  /// Removes the marks of all clones. The daemon calls it when it starts and when it ends.
  public static func removeAll(below folder: String) {
    for name in (try? entries(of: folder)) ?? [] where name.hasPrefix(prefix) {
      unlink("\(folder)/\(name)")
    }
  }
}
