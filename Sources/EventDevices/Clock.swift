import Glibc

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
