import CEvdev
import CLinux
import Debounce
import Glibc
import SystemPackage

/// `errno`, under a name that ``SystemPackage/Errno`` does not hide.
func errnoOfLastCall() -> CInt { errno }

/// Opens a device file for reading and writing, without waiting and closed on exec.
func openDevice(_ path: String) throws(Errno) -> CInt {
  while true {
    let descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    if descriptor >= 0 { return descriptor }
    guard errno == EINTR else { throw Errno.last }
  }
}

/// Microseconds of the monotonic clock: the clock that the events are stamped with.
public func monotonicNow() -> Int64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
}

/// For how many microseconds the machine has been asleep since it was switched on: the monotonic clock stands still
/// then.
///
/// Never too many, but too few if the process was interrupted between the two clocks: the monotonic one is read last, and
/// not taken from the caller, or a daemon that was stalled would take that for sleep.
public func timeAsleep() -> Int64 {
  let sinceStart = timeSinceStart()
  return sinceStart - monotonicNow()
}

/// For how many microseconds the machine can have been asleep at most, by a monotonic clock that was read before.
@inline(__always)
public func timeAsleepAtMost(_ monotonic: Int64) -> Int64 { timeSinceStart() - monotonic }

/// For how many microseconds the machine has been switched on, awake or asleep.
private func timeSinceStart() -> Int64 {
  var time = timespec()
  clock_gettime(CLOCK_BOOTTIME, &time)
  return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
}

extension EventType {
  /// Whether such events are written to devices, and not sent by them: LEDs, sounds, the pace of repeats.
  static func isFeedback(_ type: UInt16) -> Bool {
    type == EV_LED || type == EV_SND || type == EV_REP
  }
}

/// Events as the kernel takes them, in a buffer that is filled again and again: one call of `write` for all frames in it.
struct FrameWriter: ~Copyable {
  private var buffer: UnsafeMutableBufferPointer<input_event>
  /// How many events are in it, each frame's `SYN_REPORT` included.
  private(set) var count = 0
  /// Whether there are events among them that uinput hands back to whoever writes them: scan codes.
  private(set) var comesBack = false

  init() {
    buffer = .allocate(capacity: 64)
  }

  deinit { Self.free(buffer) }

  private static func free(_ buffer: UnsafeMutableBufferPointer<input_event>) {
    overwrite(UnsafeMutableRawBufferPointer(buffer))
    buffer.deallocate()
  }

  /// Adds a frame: its events and their `SYN_REPORT`.
  ///
  /// - Parameter time: When they happened; kernels from 6.5 on keep it, older ones replace it.
  mutating func add(_ events: some Collection<Event>, at time: Microseconds) {
    if count + events.count >= buffer.count { makeRoom(for: events.count + 1) }
    var raw = cevdev_event(time, UInt16(EV_SYN), UInt16(SYN_REPORT), 0)
    let report = raw
    for event in events {
      if event.type == EventType.miscellaneous { comesBack = true }
      (raw.type, raw.code, raw.value) = (event.type, event.code, event.value)
      buffer[count] = raw
      count += 1
    }
    buffer[count] = report
    count += 1
  }

  /// Longer than any frames so far. A device reaches its longest frame soon.
  @inline(never)
  private mutating func makeRoom(for more: Int) {
    let larger = UnsafeMutableBufferPointer<input_event>.allocate(capacity: 2 * (count + more))
    for index in 0..<count { larger[index] = buffer[index] }
    Self.free(buffer)
    buffer = larger
  }

  /// Writes events with one call of `write`.
  @inline(__always)
  static func write(
    _ events: UnsafeBufferPointer<input_event>, to descriptor: CInt
  ) throws(Errno) {
    guard let first = events.baseAddress else { return }
    let size = events.count * MemoryLayout<input_event>.stride
    while clinux_write(descriptor, first, size) < 0 {
      guard errno == EINTR else { throw Errno.last }
    }
  }

  /// Writes what was added with one call of `write`. It is gone then, written or not.
  mutating func flush(to descriptor: CInt) throws(Errno) {
    defer { (count, comesBack) = (0, false) }
    try Self.write(UnsafeBufferPointer(rebasing: buffer[..<count]), to: descriptor)
  }
}
