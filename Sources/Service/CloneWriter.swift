import Debounce
import EventDevices

/// The end of an ``EventPath``: what is emitted is written to the clone.
///
/// What one call has read from the source goes out by one call, so that a flood costs less; a single frame goes out at once.
struct CloneWriter: ~Copyable {
  var clone: Clone

  /// How long frames took from the kernel's time stamp, or their deadline, to their being written.
  private(set) var latency = LatencyHistogram()

  /// What was to be written of keys that the clone does not have: a new clone gets it.
  private(set) var kept: [[Event]] = []
  /// How many frames are kept: a device that is never at rest gets no new clone.
  private static let keptAtMost = 256
  /// The keys that are down at the end of what is kept.
  private var keptDown = KeySet()

  init(to clone: consuming Clone) {
    self.clone = clone
  }

  /// Adds a frame to what is written next.
  @inline(__always)
  mutating func add(
    _ events: UnsafeBufferPointer<Event>, at time: Microseconds
  ) throws(DeviceError) {
    if clone.isFull(for: events.count) { try write() }
    clone.add(events, at: time)
  }

  /// Writes what was added.
  mutating func write() throws(DeviceError) {
    var now: Microseconds?
    try clone.flush { time in
      let written = now ?? monotonicNow()
      now = written
      latency.add(written - time)
    }
  }

  /// Keeps the events that the clone does not take.
  @inline(never)
  mutating func keep(_ events: UnsafeBufferPointer<Event>) {
    let isFull = kept.count >= Self.keptAtMost
    var unknown: [Event] = []
    for event in events where !clone.knows(event) {
      if event.value != 0, !isFull {
        keptDown.insert(event.code)
      } else if event.value == 0, !isFull || keptDown.contains(event.code) {
        // Of a press that is kept, the release is, too, or the new clone would hold the key.
        keptDown.remove(event.code)
      } else {
        continue
      }
      unknown.append(event)
    }
    if !unknown.isEmpty { kept.append(unknown) }
  }
}
