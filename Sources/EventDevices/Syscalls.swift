import CEvdev
import Debounce
import Glibc
import SystemPackage

extension Errno {
  /// The reason why the last call to the C library failed.
  static var last: Errno { Errno(rawValue: Glibc.errno) }

  /// Returns what `body` does, whose errors are all of swift-system's calls.
  static func typed<Value: ~Copyable>(_ body: () throws -> Value) throws(Errno) -> Value {
    do {
      return try body()
    } catch {
      throw error as? Errno ?? .ioError
    }
  }

  /// Throws why a call failed, if it returned -1.
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

/// Microseconds of the monotonic clock: the clock that the events are stamped with.
public func monotonicNow() -> Int64 { read(CLOCK_MONOTONIC) }

/// For how many microseconds the machine has been asleep since it was switched on: the monotonic clock stands still
/// then.
///
/// Never too many, but too few if the process was interrupted between the two clocks: the monotonic one is read last, and
/// not taken from the caller, or a daemon that was stalled would take that for sleep.
public func timeAsleep() -> Int64 {
  let sinceStart = read(CLOCK_BOOTTIME)
  return sinceStart - monotonicNow()
}

/// For how many microseconds the machine can have been asleep at most, by a monotonic clock that was read before.
@inline(__always)
public func timeAsleepAtMost(_ monotonic: Int64) -> Int64 { read(CLOCK_BOOTTIME) - monotonic }

private func read(_ clock: clockid_t) -> Int64 {
  var time = timespec()
  clock_gettime(clock, &time)
  return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
}
