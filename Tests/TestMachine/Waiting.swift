import EventDevices
import Foundation
import Glibc

/// What a test waited for and did not get.
public struct WaitedInVain: Error, CustomStringConvertible {
  public let description: String

  public init(description: String) {
    self.description = description
  }
}

/// How long a test waits for something that must happen before it gives up. No test depends on how long things
/// take; this only ends one that would wait for ever. `KEYDEBOUNCE_PATIENCE` is another number of seconds, for a machine on
/// which all takes many times as long.
public let patience: Int64 =
  (ProcessInfo.processInfo.environment["KEYDEBOUNCE_PATIENCE"].flatMap { Int64($0) } ?? 60)
  * 1_000_000

/// Waits until something is so.
///
/// - Parameters:
///   - what: What is waited for, for the error message.
///   - pause: After how many microseconds it is looked at again.
public func wait(
  for what: @autoclosure () throws -> String, lookingEvery pause: Int64 = 10_000,
  until isSo: () throws -> Bool
) throws {
  let end = monotonicNow() + patience
  while try !isSo() {
    guard monotonicNow() < end else {
      throw WaitedInVain(description: "waited in vain for \(try what())")
    }
    sleep(until: monotonicNow() + pause)
  }
}

/// Waits until the descriptor can be read.
///
/// - Returns: Whether it can; `false` after `limit` microseconds.
public func waitUntilReadable(_ descriptor: CInt, limit: Int64 = patience) -> Bool {
  var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
  let end = monotonicNow() + min(max(limit, 0), 1 << 40)
  while true {
    // Signals interrupt it: glibc sends one to each thread when another thread changes the process's user.
    let count = Glibc.poll(&poll, 1, CInt((max(end - monotonicNow(), 0) + 999) / 1000))
    if count >= 0 { return count > 0 }
    guard errno == EINTR else { return false }
  }
}

/// Sleeps until `time`, microseconds of the monotonic clock. For pacing what a test sends; never for waiting
/// for an answer.
public func sleep(until time: Int64) {
  var request = timespec(
    tv_sec: Int(time / 1_000_000), tv_nsec: Int(time % 1_000_000) * 1000)
  while clock_nanosleep(CLOCK_MONOTONIC, CInt(TIMER_ABSTIME), &request, nil) == EINTR {}
}
