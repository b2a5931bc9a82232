import CEvdev
import Debounce
import Glibc
import SystemPackage

/// The device that stands in for a source: made through uinput, with the same identity and the same
/// capabilities, so that settings and quirks made for the source hold for it too.
///
/// Owns its descriptor; closing it removes the device.
public struct Clone: ~Copyable {
  /// How a clone's `phys` begins: the only thing in which it differs from its source.
  public static let physPrefix = "keydebounce/"

  /// The clone's own folder in sysfs, `/sys/devices/virtual/input/inputN`.
  public let syspath: String
  /// The clone's event node.
  public let path: String
  /// Why udev has no mark of it; `nil` if it has one, or none was asked for.
  public let markFailure: Errno?

  /// Becomes readable when someone sets a LED, beeps or changes the pace of repeats; `nil` if it has nothing of that. Stays the
  /// clone's.
  public var feedbackDescriptor: CInt? { takesFeedback ? descriptor : nil }

  /// Whether something of what was written has come back, to be read with ``readFeedback()``: the kernel takes scan
  /// codes for something that is written to devices. Read at once, they need not wake anyone; where nobody listens, as nothing
  /// else can come, the kernel drops the oldest.
  public private(set) var hasEcho = false

  /// What ``readFeedback()`` read last.
  public private(set) var feedback = Frame(capacity: 16)

  /// The LEDs that were ever set on the clone, a bit each, and which of them are on.
  private var ledsKnown: UInt32 = 0
  private var ledsOn: UInt32 = 0

  /// The keys that it has.
  public let keys: KeySet

  private let uinput: UinputDevice
  private let descriptor: CInt
  private let takesFeedback: Bool
  private var writer = FrameWriter()
  private var unread = EventBuffer(capacity: 16)

  /// Makes a clone of the source.
  ///
  /// - Parameters:
  ///   - name: What it is called, in at most 79 bytes of UTF-8.
  ///   - others: Keys that it has besides the source's.
  ///   - mark: By what udev knows it.
  public init(
    of source: borrowing Source, name: String, adding others: KeySet = KeySet(),
    markedBy mark: CloneMark? = nil
  ) throws(DeviceError) {
    let uinput = try UinputDevice(like: source, name, adding: others, markedBy: mark)
    self.init(
      uinput, KeySet([source.capabilities.keys, others].joined()),
      takesFeedback: source.capabilities.takesFeedback)
    setPace(of: source)
    // If all LEDs of the clone were dark, one that is lit could not be switched off: the kernel passes on changes only.
    let leds = source.ledsLit
    if !leds.isEmpty { try? write(leds, at: monotonicNow()) }
    // uinput hands back what was written here. No application has written anything yet.
    _ = readFeedback()
    (ledsKnown, ledsOn) = (0, 0)
  }

  /// By itself, because Swift 6.2 does not clean up after an initialiser that throws.
  private init(_ uinput: UinputDevice, _ keys: KeySet, takesFeedback: Bool) {
    (self.uinput, descriptor, self.keys) = (uinput, uinput.descriptor, keys)
    (syspath, path, markFailure) = (uinput.syspath, uinput.path, uinput.markFailure)
    self.takesFeedback = takesFeedback
  }

  /// Destroys the device before the value goes; nothing else may be done with it afterwards.
  ///
  /// The kernel waits until no processor can have a hand on the device any more, several times, which takes some tenths
  /// of a second: not for the thread on which keys wait.
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

  /// Makes a device that has everything that the source has, except force feedback. That is not passed on: a program that
  /// uploads an effect would hang.
  ///
  /// It is copied from what is known of the source: the kernel, asked for it again, would drop the keys that are there to be
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
    // The kernel makes no device without a name, though it has some: keyboards by radio that told none.
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
    // First of all: udev waits for it.
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

  /// The service's own node, made by systemd-tmpfiles: who else may use `/dev/uinput` is not ours to change.
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

  /// Whether it has the event's code; `true` for what is no key. What it does not have, the kernel drops.
  public func knows(_ event: Event) -> Bool {
    event.type != EventType.key || keys.contains(event.code)
  }

  /// Writes one frame, and those that were added before.
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

  /// How many events are written at once: half of what the kernel keeps for a reader that does not read.
  public static let mostAtOnce = 32

  /// Room for the time of each frame that is written at once: as many as there are events, as no frame is empty.
  public typealias Times = InlineArray<32, Microseconds>

  /// Whether frames were added that are not written yet.
  public var hasUnwritten: Bool { writer.count > 0 }

  /// Whether they are too many for so many more events to be written with them.
  public func isFull(for more: Int) -> Bool {
    hasUnwritten && writer.count + more >= Self.mostAtOnce
  }

  /// Writes the frames that were added.
  public mutating func flush() throws(DeviceError) {
    if takesFeedback, writer.comesBack { hasEcho = true }
    do {
      try writer.flush(to: descriptor)
    } catch {
      throw .system(operation: "write to", path: path, error)
    }
  }

  /// Writes frames as their source has sent them, without scan codes, and no more than ``mostAtOnce`` events. What was added
  /// before must have been written.
  @inline(__always)
  public mutating func write(_ frames: KernelFrames) throws(DeviceError) {
    do {
      try FrameWriter.write(frames.events, to: descriptor)
    } catch {
      throw .system(operation: "write to", path: path, error)
    }
  }

  /// Makes the clone, which repeats held keys by itself, do so at the source's rate.
  public mutating func setPace(of source: borrowing Source) {
    var pace: [CInt] = [0, 0]
    guard cevdev_get_repeat(source.descriptor, &pace) >= 0 else { return }
    let events = zip([REP_DELAY, REP_PERIOD], pace).map {
      Event(type: UInt16(EV_REP), code: UInt16($0), value: $1)
    }
    try? write(events, at: monotonicNow())
  }

  /// The state of the LEDs that were ever set on the clone.
  public var leds: [Event] {
    (0..<UInt16(LED_CNT)).filter { ledsKnown & 1 << $0 != 0 }.map {
      Event(type: UInt16(EV_LED), code: $0, value: ledsOn & 1 << $0 != 0 ? 1 : 0)
    }
  }

  /// Reads what applications have written to the clone since: LEDs, sounds, and the pace of its repeats.
  ///
  /// The kernel passes them on one by one, without the `SYN_REPORT` that ends them; what is there at once is taken for
  /// a frame.
  ///
  /// - Returns: Whether there was anything; it is in ``feedback``. There may be more.
  public mutating func readFeedback() -> Bool {
    feedback.removeAll()
    hasEcho = false
    // Once: a program that writes more and more must not keep keys waiting.
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
/// Whoever may open uinput can give a device the name and the place of a clone. But nobody else can write to that folder, and
/// the kernel gives the number N of a device's `inputN` once. So the file's name says which clone stands in for which device,
/// and root only asks whether it is there (`udev-rules/keydebounce-clone`): it reads nothing that the daemon has written.
///
/// There is no number before there is a clone, and udev may look at once. So another file says that a clone is about to be made,
/// and udev waits for its mark, for a second at most.
public struct CloneMark: Sendable {
  private static let prefix = "clone-"

  private let folder: String
  private let source: String

  /// The mark for the clone of a device.
  ///
  /// - Parameters:
  ///   - claimsLinks: Whether the clone gets the source's links, too.
  ///   - folder: The daemon's folder.
  public init(for source: DeviceNode, claimsLinks: Bool, below folder: String) {
    self.folder = folder
    self.source = (claimsLinks ? "as" : "of") + "-" + source.inputName
  }

  private var announcement: String { "\(folder)/\(Self.prefix)to-come" }

  /// Says that a clone is about to be made. If it cannot be said, the mark cannot be made either, which is reported then.
  func announce() {
    let options: FileDescriptor.OpenOptions = [.create, .closeOnExec, .noFollow, .nonBlocking]
    try? FileDescriptor.open(
      announcement, .writeOnly, options: options, permissions: .ownerReadWrite
    ).close()
  }

  /// Says that the clone has its mark, or was not made.
  func endAnnouncement() { unlink(announcement) }

  /// Makes the file for a clone that was made just now.
  ///
  /// - Parameter clone: Its folder in sysfs.
  /// - Returns: The file's path.
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

  /// Removes the marks of all clones: none is there when the daemon starts, and all go when it ends.
  public static func removeAll(below folder: String) {
    for name in (try? entries(of: folder)) ?? [] where name.hasPrefix(prefix) {
      unlink("\(folder)/\(name)")
    }
  }
}
