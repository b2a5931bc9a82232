import CEvdev
import EventDevices
import Glibc
import TestMachine

/// An application that reads a clone, and cares only for when frames come.
final class Sink {
  private let descriptor: CInt
  private var buffer = [input_event](repeating: input_event(), count: 256)

  init(path: String) throws {
    descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw WaitedInVain(description: "cannot open \(path): \(errno)") }
  }

  deinit {
    close(descriptor)
  }

  /// Reads what is there.
  ///
  /// - Parameter each: Is given the value of the first event of each frame.
  /// - Returns: Whether events were lost, which a measurement cannot have.
  func drain(_ each: (CInt) -> Void) -> Bool {
    var first: CInt?
    while true {
      let size = read(descriptor, &buffer, buffer.count * MemoryLayout<input_event>.stride)
      guard size > 0 else { return false }
      for event in buffer.prefix(size / MemoryLayout<input_event>.stride) {
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
      guard waitUntilReadable(descriptor, limit: end - monotonicNow()) else { return nil }
      _ = drain { _ in came = true }
    }
    return monotonicNow()
  }
}
