import Foundation
import Glibc
import TestMachine

/// Counts the calls that threads make of the kernel, with the kernel's own tracing.
struct Calls {
  private static let folder = "/sys/kernel/tracing/events/raw_syscalls/sys_enter"
  private static let histogram = "hist:keys=common_pid,id:size=2048"

  /// Begins to count.
  init() throws {
    if !FileManager.default.fileExists(atPath: Self.folder) {
      mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, nil)
    }
    try Self.histogram.write(toFile: Self.folder + "/trigger", atomically: false, encoding: .utf8)
  }

  /// Ends counting.
  ///
  /// - Returns: How many calls the threads have made, by the call's number.
  func end(of threads: [pid_t]) throws -> [Int: Int] {
    let text = try String(contentsOfFile: Self.folder + "/hist", encoding: .utf8)
    try ("!" + Self.histogram).write(
      toFile: Self.folder + "/trigger", atomically: false, encoding: .utf8)
    var counts: [Int: Int] = [:]
    // { common_pid:        142, id:          1 } hitcount:         12
    for line in text.split(separator: "\n") where line.hasPrefix("{ common_pid:") {
      let numbers = line.split { !$0.isNumber }.compactMap { Int($0) }
      guard numbers.count == 3, threads.contains(pid_t(numbers[0])) else { continue }
      counts[numbers[1], default: 0] += numbers[2]
    }
    return counts
  }

  /// The names of the calls that a forwarder may make for every frame.
  static let names = [
    0: "read", 1: "write", 7: "poll", 16: "ioctl", 20: "writev", 202: "futex", 228: "clock_gettime",
    232: "epoll_wait", 233: "epoll_ctl", 270: "pselect", 281: "epoll_pwait", 286: "timerfd_settime",
  ]
}
