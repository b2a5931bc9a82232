import Configuration
import Debounce
import Recording

/// What `monitor` has counted: what it says in the end.
struct MonitorTally: Equatable {
  /// What the engine has counted.
  var counters = Counters()
  /// Events that are none of keys.
  var others = 0
  /// How often events were lost.
  var losses = 0

  private var keys: [KeyCode: Key] = [:]

  private struct Key: Equatable {
    var presses = 0
    var removed = 0
  }

  mutating func count(_ raw: MonitorComparison.Raw) {
    if raw.edge.isPress { keys[raw.edge.key, default: Key()].presses += 1 }
    guard case .removed(let kind) = raw.fate else { return }
    // A stroke that is taken has two edges that vanish; of chatter, only the second one is counted.
    if raw.edge.isPress || ![.throttled, .lockedOut].contains(kind) {
      keys[raw.edge.key, default: Key()].removed += 1
    }
  }

  /// Counts a press that had waited and is not passed on.
  mutating func countWithheld(_ key: KeyCode) {
    keys[key, default: Key()].removed += 1
  }

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
    if !worst.isEmpty { lines.append("removed most: " + worst.joined(separator: ", ")) }
    if losses > 0 { lines.append("events were lost \(losses == 1 ? "once" : "\(losses) times")") }
    return lines
  }

  /// The keys of which most was removed.
  private var worst: [String] {
    keys.filter { $0.value.removed > 0 }
      .sorted { ($1.value.removed, $0.key) < ($0.value.removed, $1.key) }.prefix(5)
      .map { "\(KeyNames.name(of: $0.key)) (\($0.value.removed) of \($0.value.presses))" }
  }
}
