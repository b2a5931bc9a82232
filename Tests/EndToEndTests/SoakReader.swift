import CEvdev
import Debounce
import EventDevices
import Glibc
import TestMachine

/// The application at a device's clone in a soak: it reads everything, and notices what no keyboard does.
final class SoakReader {
  /// The clone's node.
  let node: EventNode

  private(set) var presses = 0
  private(set) var releases = 0
  private(set) var scanCodes = 0
  /// How far each relative axis has moved in all.
  private(set) var motion: [UInt16: Int] = [:]
  /// How often each key came up.
  private(set) var strokes: [KeyCode: Int] = [:]
  /// The keys that are down, going by what was read.
  private(set) var down: Set<KeyCode> = []

  /// Keys that moved twice the same way, in words.
  private(set) var faults: [String] = []
  /// How often more came at once than the kernel has room for.
  private(set) var losses = 0
  /// How often the kernel had no room because this application had not run for too long.
  private(set) var delays = 0
  /// Whether the kernel had no room for what the clone sent, whoever was to blame.
  var hasLost: Bool { losses + delays > 0 }
  /// When all had been read.
  private var wasAtEnd = monotonicNow()
  /// How soon after all had been read there was a loss that is not this application's, in microseconds.
  private(set) var soonestLoss: Int64?
  /// How long an application may keep the kernel waiting without losing events, in microseconds.
  private static let slowness: Int64 = 50_000
  /// Whether nothing can be said of the keys since events were lost.
  private var isUncertain = false

  init(path: String) throws {
    node = try EventNode(path: path)
  }

  /// Reads what is there.
  func read() {
    defer { wasAtEnd = monotonicNow() }
    while true {
      let events = node.read()
      if events.isEmpty { return }
      for event in events { take(event) }
    }
  }

  /// Begins anew where every key is known to be up.
  func restart() {
    down = []
    isUncertain = false
    (losses, delays) = (0, 0)
    soonestLoss = nil
  }

  private func take(_ event: input_event) {
    switch CInt(event.type) {
    case EV_KEY: takeKey(event.code, event.value)
    case EV_REL: motion[event.code, default: 0] += Int(event.value)
    case EV_MSC where event.code == MSC_SCAN: scanCodes += 1
    case EV_SYN where event.code == SYN_DROPPED:
      let late = monotonicNow() - wasAtEnd
      if late > Self.slowness {
        delays += 1
      } else {
        losses += 1
        soonestLoss = min(soonestLoss ?? late, late)
      }
      isUncertain = true
    default: break
    }
  }

  private func takeKey(_ code: KeyCode, _ value: Int32) {
    guard value != 2 else {
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
