import CEvdev
import Debounce
import Glibc
import TestMachine

/// The application at a device's clone in a soak: it reads everything, and notices what no keyboard does.
final class SoakReader {
  /// The clone's node.
  let path: String
  /// Becomes readable when there are events. Stays the reader's.
  let descriptor: CInt

  private(set) var presses = 0
  private(set) var releases = 0
  private(set) var scanCodes = 0
  private(set) var repeats = 0
  /// How far each relative axis has moved in all.
  private(set) var motion: [UInt16: Int] = [:]
  /// How often each key came up.
  private(set) var strokes: [KeyCode: Int] = [:]
  /// The keys that are down, going by what was read.
  private(set) var down: Set<KeyCode> = []

  /// Keys that moved twice the same way, in words.
  private(set) var faults: [String] = []
  /// How often this application was too slow, and the kernel had no room for what the clone sent.
  private(set) var losses = 0
  /// Whether the clone is gone.
  private(set) var hasEnded = false

  /// Whether nothing can be said of the keys since events were lost.
  private var isUncertain = false
  private var buffer = [input_event](repeating: input_event(), count: 64)

  init(path: String) throws {
    self.path = path
    descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw WaitedInVain(description: "cannot open \(path): \(errno)") }
  }

  deinit {
    close(descriptor)
  }

  /// Reads what is there.
  func read() {
    while !hasEnded {
      let size = buffer.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
      guard size > 0 else {
        if size < 0, errno == EAGAIN { return }
        if size < 0, errno == EINTR { continue }
        hasEnded = true
        return
      }
      for event in buffer[..<(size / MemoryLayout<input_event>.stride)] { take(event) }
    }
  }

  /// Begins anew where every key is known to be up.
  func restart() {
    down = []
    isUncertain = false
    losses = 0
  }

  /// Tells the clone something, as a desktop does that sets its LEDs.
  func send(_ event: Event) {
    for event in [event, Event(type: UInt16(EV_SYN), code: UInt16(SYN_REPORT), value: 0)] {
      var event = cevdev_event(0, event.type, event.code, event.value)
      _ = write(descriptor, &event, MemoryLayout<input_event>.size)
    }
  }

  private func take(_ event: input_event) {
    switch CInt(event.type) {
    case EV_KEY: takeKey(event.code, event.value)
    case EV_REL: motion[event.code, default: 0] += Int(event.value)
    case EV_MSC where event.code == MSC_SCAN: scanCodes += 1
    case EV_SYN where event.code == SYN_DROPPED:
      losses += 1
      isUncertain = true
    default: break
    }
  }

  private func takeKey(_ code: KeyCode, _ value: Int32) {
    guard value != 2 else {
      repeats += 1
      if !isUncertain, !down.contains(code) { faults.append("key \(code) repeats and is not down") }
      return
    }
    if value == 1 {
      presses += 1
      if !down.insert(code).inserted, !isUncertain { faults.append("key \(code) is pressed twice") }
    } else {
      releases += 1
      strokes[code, default: 0] += 1
      if down.remove(code) == nil, !isUncertain { faults.append("key \(code) is let go twice") }
    }
  }
}
