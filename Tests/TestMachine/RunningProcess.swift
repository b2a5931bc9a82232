import EventDevices
import Foundation
import Glibc

/// A process that runs, as the kernel tells of it in `/proc/PID/status`.
public struct RunningProcess {
  public let id: pid_t

  public init(_ id: pid_t) {
    self.id = id
  }

  /// The number in the line that begins with `name`; -1 if there is none.
  public func number(_ name: String) throws -> Int {
    Int(try line(name).drop { !$0.isNumber }.prefix { $0.isNumber }) ?? -1
  }

  private func line(_ name: String) throws -> Substring {
    let status = try String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8)
    return status.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
  }

  /// Waits until `SIGSTOP` or `SIGTSTP` has taken effect.
  func waitUntilStopped() throws {
    try wait(for: "process \(id) to stop", lookingEvery: 1000) {
      try line("State:").contains("stopped")
    }
  }

  /// Whether it sleeps for this many microseconds without waking once.
  func isAsleep(for length: Int64) throws -> Bool {
    // The count grows by one with each time that it goes to sleep.
    let count = try number("voluntary_ctxt_switches:")
    sleep(until: monotonicNow() + length)
    // One that never sleeps does not wake either.
    return try number("voluntary_ctxt_switches:") == count && line("State:").contains("sleeping")
  }
}
