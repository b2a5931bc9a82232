import Debounce
import EventDevices

/// Devices that could not be taken yet, and when to try again.
///
/// A node may be there before its permissions are, or be broken for a moment. A few tries with growing pauses; after
/// that only when udev reports it again.
struct Retries {
  private struct Retry {
    let node: DeviceNode
    var pause: Microseconds
    var time: Instant
  }

  /// The first pause and the longest: five tries in about six seconds.
  private static let pauses: ClosedRange<Microseconds> = 200_000...5_000_000

  private var retries: [DeviceNode.ID: Retry] = [:] {
    didSet { deadline = retries.values.lazy.map(\.time).min() ?? .never }
  }

  /// When ``takeDue(at:)`` returns something. Kept, because the daemon looks at it whenever the timer has gone off.
  private(set) var deadline = Instant.never

  /// Adds a device that could not be taken. Returns whether that is new: the reason is logged once.
  mutating func add(_ node: DeviceNode, now: Instant) -> Bool {
    let earlier = retries[node.id]
    let pause = earlier.map { 2 * min($0.pause, Self.pauses.upperBound) } ?? Self.pauses.lowerBound
    retries[node.id] = Retry(
      node: node, pause: pause, time: pause > Self.pauses.upperBound ? .never : now + pause)
    return earlier == nil
  }

  mutating func forget(_ id: DeviceNode.ID) {
    retries[id] = nil
  }

  /// The devices for which it is time. Each waits until it is added again or forgotten.
  mutating func takeDue(at now: Instant) -> [DeviceNode] {
    guard deadline <= now else { return [] }
    let due = retries.values.filter { $0.time <= now }.map(\.node)
    for node in due { retries[node.id]?.time = .never }
    return due
  }
}
