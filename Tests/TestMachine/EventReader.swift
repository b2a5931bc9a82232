import CEvdev
import Debounce
import EventDevices
import Glibc

/// An application that reads a device as it is.
public final class EventReader {
  private let node: EventNode
  private let device: OpaquePointer
  private var unread: ArraySlice<input_event> = []

  public init(path: String) throws {
    node = try EventNode(path: path)
    var device: OpaquePointer?
    guard libevdev_new_from_fd(node.descriptor, &device) == 0, let device else {
      throw WaitedInVain(description: "\(path) is no event device")
    }
    self.device = device
    libevdev_set_clock_id(device, CLOCK_MONOTONIC)
  }

  deinit {
    libevdev_free(device)
  }

  /// Waits for the next frame.
  ///
  /// - Returns: `nil` when the device is gone, or after `limit` microseconds without one.
  public func next(limit: Int64 = patience) -> Frame? {
    var frame = Frame()
    while true {
      guard let event = unread.popFirst() else {
        unread = node.read()
        if !unread.isEmpty { continue }
        guard !node.hasEnded, waitUntilReadable(node.descriptor, limit: limit) else { return nil }
        continue
      }
      if event.type == EV_SYN, event.code == SYN_REPORT {
        frame.time = withUnsafePointer(to: event) { cevdev_event_time($0) }
        return frame
      }
      frame.append(Event(type: event.type, code: event.code, value: event.value))
    }
  }

  /// Waits for frames up to one that satisfies `isLast`, which is the last of those returned.
  public func frames(upTo isLast: (Frame) -> Bool) throws -> [Frame] {
    var frames: [Frame] = []
    while let frame = next() {
      frames.append(frame)
      if isLast(frame) { return frames }
    }
    throw WaitedInVain(description: "\(node.path) did not send what was waited for, but: \(frames)")
  }

  /// Waits for frames up to one that has this event, which is the last of those returned.
  public func frames(upTo last: Event) throws -> [Frame] {
    try frames { $0.events.contains(last) }
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
    node.send(events)
  }

  /// Grabs the device or lets it go.
  ///
  /// - Returns: Whether that worked.
  @discardableResult
  public func grab(_ grabs: Bool = true) -> Bool {
    libevdev_grab(device, grabs ? LIBEVDEV_GRAB : LIBEVDEV_UNGRAB) == 0
  }
}
