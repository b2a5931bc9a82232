import Foundation
import Glibc
import TestMachine

/// What a process has used so far.
struct ProcessUse {
  /// In KiB: what the process itself has written, without the program's own pages, of which ever more are looked at.
  var memory = 0
  /// In KiB: the most that was in memory for this process so far, with the pages of files.
  var peak = 0
  /// In nanoseconds.
  var processorTime = 0

  /// Reads it from `/proc`.
  init(of process: pid_t) throws {
    let rollup = try String(contentsOfFile: "/proc/\(process)/smaps_rollup", encoding: .utf8)
    for line in rollup.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count > 1, let size = Int(words[1]) else { continue }
      if words[0] == "Anonymous:" { memory += size }
    }
    peak = try RunningProcess(process).number("VmHWM:")
    // The ticks of `/proc/PID/stat` are too long.
    let schedule = try String(contentsOfFile: "/proc/\(process)/schedstat", encoding: .utf8)
    processorTime = Int(schedule.split(separator: " ")[0]) ?? 0
  }
}
