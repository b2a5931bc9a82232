import CEvdev
import EventDevices
import Glibc

/// A device that speaks HID through `/dev/uhid`, as the Bluetooth daemon has it for the keyboards that it serves.
///
/// To the kernel it is hardware: unlike a device made through uinput, it is not under `/sys/devices/virtual/input`.
public final class HIDDevice {
  /// What it says it is.
  public struct Identity: Sendable {
    public var name: String
    public var bus = UInt16(BUS_BLUETOOTH)
    public var vendor: UInt32 = 0x1209
    public var product: UInt32 = 0x0b1e
    public var phys = "aa:bb:cc:dd:ee:ff"
    public var uniq = "11:22:33:44:55:66"

    public init(name: String) {
      self.name = name
    }
  }

  private let descriptor: CInt
  /// The numbers of `<linux/uhid.h>`, whose structures Swift cannot import: they are packed.
  private enum Message {
    static let output: UInt32 = 6
    static let create: UInt32 = 11
    static let input: UInt32 = 12
    static let size = 4380
  }

  /// Plugs the device in.
  ///
  /// - Parameter report: Its report descriptor.
  public init(_ identity: Identity, report: [UInt8]) throws {
    // The module may not be loaded; a static node would load it, if there were one.
    _ = try Command(program: "/sbin/modprobe", ["uhid"])
    descriptor = open("/dev/uhid", O_RDWR | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw WaitedInVain(description: "no /dev/uhid: \(errno)") }
    var message = Self.bytes(Message.create)
    message += Self.text(identity.name, size: 128)
    message += Self.text(identity.phys, size: 64)
    message += Self.text(identity.uniq, size: 64)
    message += Self.bytes(UInt16(report.count)) + Self.bytes(identity.bus)
    message += Self.bytes(identity.vendor) + Self.bytes(identity.product)
    message += Self.bytes(UInt32(0x0110)) + Self.bytes(UInt32(0)) + report
    try write(message)
  }

  /// Pulls it out, as it does when its battery is empty.
  deinit {
    close(descriptor)
  }

  /// Sends a report, beginning with its number if it has one.
  public func send(_ report: [UInt8]) throws {
    try write(Self.bytes(Message.input) + Self.bytes(UInt16(report.count)) + report)
  }

  /// Waits for a report that the kernel sends, its LEDs above all: its bytes.
  public func nextOutput() throws -> [UInt8] {
    var message = [UInt8](repeating: 0, count: Message.size)
    while waitUntilReadable(descriptor) {
      let count = read(descriptor, &message, message.count)
      guard count >= Message.size, message[..<4].elementsEqual(Self.bytes(Message.output)) else {
        continue
      }
      let size = Int(message[4 + 4096]) | Int(message[4 + 4097]) << 8
      return Array(message[4..<4 + size])
    }
    throw WaitedInVain(description: "the kernel sends no report")
  }

  private func write(_ message: [UInt8]) throws {
    guard Glibc.write(descriptor, message, message.count) == message.count else {
      throw WaitedInVain(description: "/dev/uhid does not take this: \(errno)")
    }
  }

  private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { Array($0) }
  }

  private static func text(_ text: String, size: Int) -> [UInt8] {
    let bytes = Array(text.utf8.prefix(size - 1))
    return bytes + [UInt8](repeating: 0, count: size - bytes.count)
  }
}
