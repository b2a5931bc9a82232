import CEvdev
import Debounce
import Glibc
import SystemPackage

extension Errno {
  /// The reason why the last call to the C library failed.
  static var last: Errno { Errno(rawValue: Glibc.errno) }

  /// Returns what `body` returns. All errors of swift-system's calls are `Errno`.
  static func typed<Value: ~Copyable>(_ body: () throws -> Value) throws(Errno) -> Value {
    do {
      return try body()
    } catch {
      throw error as? Errno ?? .ioError
    }
  }

  /// Throws the reason of a call that failed, which returned -1.
  static func check(_ result: CInt) throws(Errno) {
    if result < 0 { throw .last }
  }
}

extension String {
  /// The text of a C string; empty if there is none.
  init(text: UnsafePointer<CChar>?) {
    self = text.map(String.init(cString:)) ?? ""
  }
}

/// Opens a device file for reading and writing, without waiting and closed on exec.
func openDevice(_ path: String) throws(Errno) -> CInt {
  try Errno.typed {
    try FileDescriptor.open(path, .readWrite, options: [.nonBlocking, .closeOnExec]).rawValue
  }
}

/// Microseconds of the monotonic clock, which stamps the events.
public func monotonicNow() -> Int64 { read(CLOCK_MONOTONIC) }

/// How many microseconds the machine has been asleep since it was switched on. The monotonic clock stands still then.
///
/// The result is too small if the process was interrupted between the readings of the two clocks, and never too large: the
/// monotonic clock is read last. A time that the caller had read before would make a stalled daemon take its delay for sleep.
public func timeAsleep() -> Int64 {
  let sinceStart = read(CLOCK_BOOTTIME)
  return sinceStart - monotonicNow()
}

/// The most microseconds that the machine can have been asleep, by a reading of the monotonic clock that was made before.
@inline(__always)
public func timeAsleepAtMost(_ monotonic: Int64) -> Int64 { read(CLOCK_BOOTTIME) - monotonic }

private func read(_ clock: clockid_t) -> Int64 {
  var time = timespec()
  clock_gettime(clock, &time)
  return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
}
