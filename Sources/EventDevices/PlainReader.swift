import CEvdev
import Debounce
import Glibc
import SystemPackage

/// A reader of a device that never grabs it. It receives what every other reader does: nothing while the device is grabbed.
///
/// So it is known what others have seen just before a grab. The times of events do not tell: the kernel stamps some with the
/// time of something that came before.
final class PlainReader {
  /// What others have seen since ``forget()``.
  enum Account {
    case noKeyMoved
    /// A key has moved; these are down for them.
    case keysMoved(down: KeySet)
    /// More than the kernel keeps for a reader.
    case lost
  }

  let descriptor: CInt

  init(path: String) throws(Errno) {
    descriptor = try openDevice(path)
  }

  deinit {
    close(descriptor)
  }

  func forget() { takeUnread(from: descriptor) }

  /// What others have seen since ``forget()``, before which no key was down.
  ///
  /// To be called when the device is grabbed.
  func account() -> Account {
    // A frame that was on its way when the grab was taken has arrived after this.
    _ = cevdev_await_delivery(descriptor)
    var (down, hasMoved, hasLost) = (KeySet(), false, false)
    takeUnread(from: descriptor) { event in
      switch (CInt(event.type), CInt(event.code)) {
      case (EV_SYN, SYN_DROPPED): hasLost = true
      case (EV_KEY, _):
        hasMoved = true
        if event.value == 0 { down.remove(event.code) } else { down.insert(event.code) }
      default: break
      }
    }
    return hasLost ? .lost : hasMoved ? .keysMoved(down: down) : .noKeyMoved
  }
}

/// Calls `body` with each event that an open device has sent and that was not read.
func takeUnread(from descriptor: CInt, _ body: (input_event) -> Void = { _ in }) {
  withUnsafeTemporaryAllocation(of: input_event.self, capacity: 64) { events in
    // A device that sends faster than this is read is not waited for.
    for _ in 0..<16 {
      let size = Glibc.read(
        descriptor, events.baseAddress, events.count * MemoryLayout<input_event>.stride)
      let count = max(size, 0) / MemoryLayout<input_event>.stride
      for event in events.prefix(count) { body(event) }
      if count < events.count { break }
    }
  }
}
