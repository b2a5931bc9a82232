import Debounce
import EventDevices

/// The end of an ``EventPath``: what is emitted is written to the clone.
///
/// All frames that one call has read from the source go out by one call, so that a flood costs less.
struct CloneWriter: ~Copyable {
  var clone: Clone

  /// How long frames took from the kernel's time stamp, or their deadline, to their being written.
  private(set) var latency = LatencyHistogram()
  /// The times of the frames that were added and are not written yet: never more than fit into one call.
  private var times = Clone.Times(repeating: 0)
  private var count = 0
  /// How many calls have written motion.
  private var motions: UInt = 0

  /// Events of keys that the clone does not have. A new clone gets them.
  let kept = KeptEvents()
  /// The most frames that are kept. A device that is never at rest gets no new clone, and could fill the memory.
  private static let keptAtMost = 256
  /// The keys that are down at the end of what is kept.
  private var keptDown = KeySet()

  init(to clone: consuming Clone) {
    self.clone = clone
  }

  @inline(__always)
  mutating func add(
    _ events: UnsafeBufferPointer<Event>, at time: Microseconds
  ) throws(DeviceError) {
    if clone.isFull(for: events.count) { try write() }
    clone.add(events, at: time)
    times[count] = time
    count += 1
  }

  mutating func write() throws(DeviceError) {
    let written = count
    count = 0
    try clone.flush()
    let now = monotonicNow()
    for index in 0..<written { latency.add(now - times[index]) }
  }

  /// Writes frames as their source has sent them, when all that was added has been written.
  ///
  /// Motion can be so fast that to look at a clock is a good part of what it costs: ``latency`` has one of eight such calls.
  ///
  /// - Returns: When they were written, if that is known.
  @inline(__always)
  mutating func write(_ frames: KernelFrames) throws(DeviceError) -> Instant? {
    try clone.write(frames)
    motions &+= 1
    return motions & 7 == 0 ? time(frames) : nil
  }

  @inline(never)
  private mutating func time(_ frames: KernelFrames) -> Instant {
    let now = monotonicNow()
    latency.add(now - frames.times.last)
    return Instant(now)
  }

  @inline(never)
  mutating func keep(_ events: UnsafeBufferPointer<Event>) {
    let isFull = kept.frames.count >= Self.keptAtMost
    var unknown: [Event] = []
    // An array that grows leaves a copy of what was typed in freed memory.
    unknown.reserveCapacity(events.count)
    for event in events where !clone.knows(event) {
      if event.value != 0, !isFull {
        keptDown.insert(event.code)
      } else if event.value == 0, !isFull || keptDown.contains(event.code) {
        // The release of a press that is kept is kept, too, or the new clone would hold the key.
        keptDown.remove(event.code)
      } else {
        continue
      }
      unknown.append(event)
    }
    kept.append(unknown)
  }
}

/// How often passing something on took about so long: a class for each power of two.
struct LatencyHistogram {
  /// Class `n` counts what took less than 2ⁿ µs and not less than half of that; the last one the rest: what takes longer
  /// than 2²² µs, which is four seconds.
  private var counts = InlineArray<24, UInt64>(repeating: 0)

  var list: [UInt64] { counts.indices.map { counts[$0] } }

  @inline(__always)
  mutating func add(_ time: Microseconds) {
    let place = Microseconds.bitWidth - max(time, 0).leadingZeroBitCount
    counts[min(place, counts.count - 1)] += 1
  }
}
