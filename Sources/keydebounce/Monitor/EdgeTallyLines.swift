import Configuration
import Debounce
import Recording

extension EdgeTally {
  /// The counts in words, a line each.
  var lines: [String] {
    let counts: [(UInt64, String, String)] = [
      (counters.pressBounces, "press bounce", "press bounces"),
      (counters.releaseBounces, "release bounce", "release bounces"),
      (counters.dropOuts, "drop-out", "drop-outs"),
      (counters.throttled, "throttled press", "throttled presses"),
      (counters.lockedOut, "locked-out press", "locked-out presses"),
    ]
    let removed = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.0 == 1 ? $0.1 : $0.2)" }
    var lines = [
      """
      \(counters.pressesIn) \(counters.pressesIn == 1 ? "press" : "presses") in, \
      \(counters.pressesOut) out; \
      \(removed.isEmpty ? "nothing removed" : "removed: " + removed.joined(separator: ", "))
      """
    ]
    let worst = mostRemoved.prefix(5).map {
      "\(KeyNames.name(of: $0.key)) (\($0.removed) of \($0.presses))"
    }
    if !worst.isEmpty { lines.append("removed most: " + worst.joined(separator: ", ")) }
    if losses > 0 { lines.append("events were lost \(losses == 1 ? "once" : "\(losses) times")") }
    return lines
  }
}
