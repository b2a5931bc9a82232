import CEvdev
import EventDevices
import Glibc
import TestMachine

/// An application that reads a clone, and cares only for when frames come.
final class Sink {
  private let node: EventNode

  /// Opens the clone and grabs it: a desktop would take for typing what is played.
  init(path: String) throws {
    node = try EventNode(path: path)
    guard cevdev_grab(node.descriptor, 1) == 0 else {
      throw WaitedInVain(description: "\(path) cannot be grabbed: \(errno)")
    }
  }

  /// Reads what is there.
  ///
  /// - Parameter each: Is given the value of the first event of each frame.
  /// - Returns: Whether events were lost, which a measurement cannot have.
  func drain(_ each: (CInt) -> Void) -> Bool {
    var first: CInt?
    while true {
      let events = node.read()
      if events.isEmpty { return false }
      for event in events {
        if event.type == EV_SYN {
          if event.code == SYN_DROPPED { return true }
          if let value = first { each(value) }
          first = nil
        } else if first == nil, event.type != EV_MSC {
          first = event.value
        }
      }
    }
  }

  /// Waits until there is something to read, or until `time`, a microsecond more or less.
  ///
  /// - Returns: Whether there is.
  @discardableResult
  func waitForFrame(until time: Int64) -> Bool {
    var descriptors = fd_set()
    let descriptor = node.descriptor
    withUnsafeMutableBytes(of: &descriptors) { $0[Int(descriptor) / 8] |= 1 << (descriptor % 8) }
    let left = max(time - monotonicNow(), 0)
    var limit = timespec(tv_sec: Int(left / 1_000_000), tv_nsec: Int(left % 1_000_000) * 1000)
    return pselect(descriptor + 1, &descriptors, nil, nil, &limit, nil) > 0
  }

  /// Waits for the next frame.
  ///
  /// - Returns: When it was read; `nil` after `limit` microseconds.
  func waitForFrame(limit: Int64) -> Int64? {
    let end = monotonicNow() + limit
    var came = false
    while !came {
      guard waitUntilReadable(node.descriptor, limit: end - monotonicNow()) else { return nil }
      _ = drain { _ in came = true }
    }
    return monotonicNow()
  }
}
