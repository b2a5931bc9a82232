import CEvdev
import Debounce
import Glibc

/// The open node of an event device, as an application has it.
public final class EventNode {
  public let path: String
  /// Becomes readable when there are events. Stays the node's.
  public let descriptor: CInt
  /// Whether the device is gone.
  public private(set) var hasEnded = false

  /// As many as the kernel keeps for a reader of a simple device.
  private var buffer = [input_event](repeating: input_event(), count: 64)

  public init(path: String) throws {
    self.path = path
    descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw WaitedInVain(description: "cannot open \(path): \(errno)") }
  }

  deinit {
    close(descriptor)
  }

  /// Reads what is there, with one call.
  ///
  /// - Returns: Nothing if there is nothing for now, or ever: ``hasEnded`` tells.
  public func read() -> ArraySlice<input_event> {
    while !hasEnded {
      let size = buffer.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
      if size > 0 { return buffer[..<(size / MemoryLayout<input_event>.stride)] }
      if size < 0, errno == EAGAIN { break }
      hasEnded = size == 0 || errno != EINTR
    }
    return []
  }

  /// Sends events to the device, as a desktop does that sets its LEDs.
  public func send(_ events: [Event]) {
    for event in events + [Event(type: UInt16(EV_SYN), code: UInt16(SYN_REPORT), value: 0)] {
      var event = cevdev_event(0, event.type, event.code, event.value)
      _ = write(descriptor, &event, MemoryLayout<input_event>.size)
    }
  }
}
