import CEvdev
import CLinux
import Debounce
import Files
import Glibc
import SystemPackage

/// Frames in the kernel's form that one call of `write` writes, in a buffer that is filled again and again.
struct FrameWriter: ~Copyable {
  private var buffer: UnsafeMutableBufferPointer<input_event>
  /// How many events are in it, each frame's `SYN_REPORT` included.
  private(set) var count = 0
  /// Whether scan codes are among the events. uinput hands these back to the process that writes them.
  private(set) var comesBack = false

  init() {
    buffer = .allocate(capacity: 64)
  }

  deinit { free(overwriting: buffer) }

  /// Adds a frame: its events and their `SYN_REPORT`.
  ///
  /// - Parameter time: When they happened; kernels from 6.5 on keep it, older ones replace it.
  mutating func add(_ events: some Collection<Event>, at time: Microseconds) {
    if count + events.count >= buffer.count { makeRoom(for: events.count + 1) }
    let report = cevdev_event(time, UInt16(EV_SYN), UInt16(SYN_REPORT), 0)
    var raw = report
    for event in events {
      if event.type == EventType.miscellaneous { comesBack = true }
      (raw.type, raw.code, raw.value) = (event.type, event.code, event.value)
      buffer[count] = raw
      count += 1
    }
    buffer[count] = report
    count += 1
  }

  /// Makes room for longer frames than any so far. A device sends its longest frame soon, so that this ends.
  @inline(never)
  private mutating func makeRoom(for more: Int) {
    let larger = UnsafeMutableBufferPointer<input_event>.allocate(capacity: 2 * (count + more))
    _ = larger.initialize(fromContentsOf: buffer[..<count])
    free(overwriting: buffer)
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
      guard errno == EINTR else { throw .last }
    }
  }

  /// Writes the frames that were added with one call of `write`. Afterwards the buffer is empty, even if that failed.
  mutating func flush(to descriptor: CInt) throws(Errno) {
    defer { (count, comesBack) = (0, false) }
    try Self.write(UnsafeBufferPointer(rebasing: buffer[..<count]), to: descriptor)
  }
}
