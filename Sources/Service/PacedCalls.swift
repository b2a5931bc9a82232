import Debounce

/// Calls for which the same is done once, and no more often than once in a while: whoever floods the daemon floods
/// neither the log nor the disk.
struct PacedCalls {
  private struct Turn {
    let pause: Microseconds
    var lastDone = Instant.longAgo
    var calls: [ControlledCall] = []

    var due: Instant { calls.isEmpty ? .never : lastDone + pause }
  }

  private var turns: [PacedWork: Turn] = [:] {
    didSet { deadline = turns.values.lazy.map(\.due).min() ?? .never }
  }

  /// When ``takeDue(at:)`` must be called at the latest. Looked at whenever the timer has gone off: not worked out then.
  private(set) var deadline = Instant.never

  /// - Parameter pause: Between two times that the work is done.
  mutating func add(
    _ call: ControlledCall, for work: PacedWork, every pause: Microseconds = 1_000_000
  ) {
    turns[work, default: Turn(pause: pause)].calls.append(call)
  }

  mutating func takeDue(at now: Instant) -> [PacedWork: [ControlledCall]] {
    guard deadline <= now else { return [:] }
    let due = turns.filter { $0.value.due <= now }
    // Work that has rested for its pause need not be remembered.
    turns = turns.filter { !$0.value.calls.isEmpty || $0.value.lastDone + $0.value.pause > now }
    for (work, turn) in due { turns[work] = Turn(pause: turn.pause, lastDone: now) }
    return due.mapValues(\.calls)
  }
}

/// Work that is done once for all who have asked for it meanwhile.
enum PacedWork: Hashable {
  case reload
  case pauses
  case history(DeviceID)
}
