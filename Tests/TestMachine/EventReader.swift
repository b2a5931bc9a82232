import CEvdev
import Debounce
import EventDevices
import Glibc

/// An application that reads a device as it is.
public final class EventReader {
  private let descriptor: CInt
  private let device: OpaquePointer
  private let path: String

  public init(path: String) throws {
    self.path = path
    descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw WaitedInVain(description: "cannot open \(path): \(errno)") }
    var device: OpaquePointer?
    guard libevdev_new_from_fd(descriptor, &device) == 0, let device else {
      throw WaitedInVain(description: "\(path) is no event device")
    }
    self.device = device
    libevdev_set_clock_id(device, CLOCK_MONOTONIC)
  }

  deinit {
    libevdev_free(device)
    close(descriptor)
  }

  /// Waits for the next frame.
  ///
  /// - Returns: `nil` when the device is gone, or after `limit` microseconds without one.
  public func next(limit: Int64 = patience) -> Frame? {
    var frame = Frame()
    var event = input_event()
    while true {
      let count = read(descriptor, &event, MemoryLayout<input_event>.size)
      if count > 0 {
        if event.type == EV_SYN, event.code == SYN_REPORT {
          frame.time = cevdev_event_time(&event)
          return frame
        }
        frame.append(Event(type: event.type, code: event.code, value: event.value))
      } else if count < 0, errno == EAGAIN {
        guard waitUntilReadable(descriptor, limit: limit) else { return nil }
      } else if count == 0 || errno != EINTR {
        return nil
      }
    }
  }

  /// Waits for frames up to one that satisfies `isLast`, which is the last of those returned.
  public func frames(upTo isLast: (Frame) -> Bool) throws -> [Frame] {
    var frames: [Frame] = []
    while let frame = next() {
      frames.append(frame)
      if isLast(frame) { return frames }
    }
    throw WaitedInVain(description: "\(path) did not send what was waited for, but: \(frames)")
  }

  /// The frames that come before `time`, microseconds of the monotonic clock.
  public func frames(until time: Int64) -> [Frame] {
    var frames: [Frame] = []
    while let frame = next(limit: time - monotonicNow()) {
      frames.append(frame)
      if monotonicNow() >= time { break }
    }
    return frames
  }

  /// The frames that are there already.
  public func framesAtHand() -> [Frame] {
    var frames: [Frame] = []
    while let frame = next(limit: 0) { frames.append(frame) }
    return frames
  }

  /// Sends events to the device, as a desktop does that sets its LEDs.
  public func send(_ events: [Event]) {
    for event in events + [Event(type: UInt16(EV_SYN), code: UInt16(SYN_REPORT), value: 0)] {
      var event = cevdev_event(0, event.type, event.code, event.value)
      _ = write(descriptor, &event, MemoryLayout<input_event>.size)
    }
  }

  /// Grabs the device or lets it go.
  ///
  /// - Returns: Whether that worked.
  @discardableResult
  public func grab(_ grabs: Bool = true) -> Bool {
    libevdev_grab(device, grabs ? LIBEVDEV_GRAB : LIBEVDEV_UNGRAB) == 0
  }
}
