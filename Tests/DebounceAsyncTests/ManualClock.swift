import Synchronization

/// A clock that a test moves by hand.
final class ManualClock: Clock {
  struct Instant: InstantProtocol {
    var offset: Duration

    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct State {
    var now = Instant(offset: .zero)
    var nextID = 0
    var sleepers: [Int: (until: Instant, continuation: CheckedContinuation<Bool, Never>)] = [:]
    /// Who waits for somebody to sleep until a time.
    var watchers: [(until: Instant, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())

  var now: Instant { state.withLock { $0.now } }
  var minimumResolution: Duration { .zero }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    let isCancelled = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
        let (result, watchers) = state.withLock {
          state -> (Bool?, [CheckedContinuation<Void, Never>]) in
          if Task.isCancelled { return (true, []) }
          if deadline <= state.now { return (false, []) }
          state.sleepers[id] = (deadline, continuation)
          let watchers = state.watchers.filter { $0.until == deadline }.map(\.continuation)
          state.watchers.removeAll { $0.until == deadline }
          return (nil, watchers)
        }
        for watcher in watchers { watcher.resume() }
        if let result { continuation.resume(returning: result) }
      }
    } onCancel: {
      state.withLock { $0.sleepers.removeValue(forKey: id) }?.continuation.resume(returning: true)
    }
    if isCancelled { throw CancellationError() }
  }

  /// Returns when somebody sleeps until `milliseconds`.
  func untilSomebodySleeps(until milliseconds: Int) async {
    let time = Instant(offset: .milliseconds(milliseconds))
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let isAsleep = state.withLock { state in
        if state.sleepers.values.contains(where: { $0.until == time }) { return true }
        state.watchers.append((time, continuation))
        return false
      }
      if isAsleep { continuation.resume() }
    }
  }

  /// Moves the clock, and wakes who has slept long enough.
  func move(to milliseconds: Int) {
    let time = Instant(offset: .milliseconds(milliseconds))
    let awake = state.withLock { state in
      state.now = time
      let due = state.sleepers.filter { $0.value.until <= time }
      for id in due.keys { state.sleepers[id] = nil }
      return due.values.sorted { $0.until < $1.until }.map(\.continuation)
    }
    for continuation in awake { continuation.resume(returning: false) }
  }
}
