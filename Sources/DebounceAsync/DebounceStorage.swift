import Debounce
import Synchronization

/// The state that the iterator, the task that reads the base, and the one that sleeps until a deadline share.
///
/// The base is read as long as no clean edge waits to be taken, so that a button is answered in time while the caller is
/// busy, and a caller who is slow slows the base down. Deadlines are acted on only while the base is being read: what it has
/// not handed over yet may be older than they are.
///
/// Nothing is resumed or cancelled under the lock: who is told may end the sequence.
final class DebounceStorage<Base: AsyncSequence & Sendable, Button: Hashable & Sendable, C: Clock>:
  Sendable
where
  Base.Element == ButtonEdge<Button, C.Instant>, C.Duration == Duration
{
  typealias Edge = Base.Element
  private typealias Waiter = CheckedContinuation<Void, Never>

  private struct State: Sendable {
    var machine: EdgeMachine<Button, C.Instant>
    var phase = Phase.waiting
    /// Whether the base has been asked for an edge and has not answered yet.
    var isReading = false
    /// The caller, who waits for a clean edge, and the task that reads the base, which waits until one is taken.
    var caller: Waiter?
    var reader: Waiter?
    /// The sleep until a deadline, which an earlier one cuts short.
    var sleep: (until: C.Instant, task: Task<Void, Never>)?

    /// How far the sequence has come.
    enum Phase {
      /// Nobody has asked for an edge yet.
      case waiting
      case running(Task<Void, Never>)
      /// No edge will come any more but those that the machine still has.
      case ended((any Error)?)
    }

    var isEnded: Bool {
      if case .ended = phase { true } else { false }
    }
  }

  private let clock: C
  private let state: Mutex<State>

  init(_ rules: ButtonRules<Button>, clock: C) {
    self.clock = clock
    state = Mutex(State(machine: EdgeMachine(rules)))
  }

  // MARK: The caller

  /// The next clean edge; `nil` after the last.
  ///
  /// - Parameter base: What is read from the first call on.
  /// - Throws: What the base threw, once every button is let go.
  func next(of base: Base) async throws(Base.Failure) -> Edge? {
    state.withLock { state in
      guard case .waiting = state.phase else { return }
      state.phase = .running(Task { await read(base) })
    }
    await withTaskCancellationHandler {
      await wait(at: \.caller) { $0.machine.hasOutput }
    } onCancel: {
      cancel()
    }
    let (edge, failure, reader) = state.withLock { state in
      let edge = state.machine.next()
      var failure: (any Error)?
      if edge == nil, case .ended(let error) = state.phase {
        failure = error
        // The error is thrown once.
        state.phase = .ended(nil)
      }
      return (edge, failure, state.machine.hasOutput ? nil : state.reader.take())
    }
    reader?.resume()
    if let failure = failure as? Base.Failure { throw failure }
    return edge
  }

  /// Waits until somebody resumes the waiter at that place, unless it is so already or the sequence has ended.
  private func wait(
    at place: WritableKeyPath<State, Waiter?> & Sendable, until isSo: @Sendable (State) -> Bool
  ) async {
    await withCheckedContinuation { continuation in
      let goesOn = state.withLock { state in
        if state.isEnded || isSo(state) { return true }
        state[keyPath: place] = continuation
        return false
      }
      if goesOn { continuation.resume() }
    }
  }

  // MARK: The base and the clock

  private func read(_ base: Base) async {
    var edges = base.makeAsyncIterator()
    do {
      while true {
        await wait(at: \.reader) { !$0.machine.hasOutput }
        guard change({ $0.isReading = true }), let edge = try await edges.next() else { break }
        change {
          $0.isReading = false
          $0.machine.receive(edge)
        }
      }
      end(nil) { $0.finish() }
    } catch {
      end(error) { $0.finish() }
    }
  }

  private func wake(at deadline: C.Instant) async {
    try? await clock.sleep(until: deadline, tolerance: .zero)
    // Whoever cut the sleep short has put another in its place, or has ended the sequence.
    if Task.isCancelled { return }
    let now = clock.now
    change { state in
      if state.sleep?.until == deadline { state.sleep = nil }
      if state.isReading { state.machine.advance(to: now) }
    }
  }

  /// Changes the state unless the sequence has ended, and does what follows for the caller and the deadline. Returns whether it
  /// goes on.
  @discardableResult
  private func change(_ body: (inout State) -> Void) -> Bool {
    let (goesOn, caller, sleep) = state.withLock { state -> (Bool, Waiter?, Task<Void, Never>?) in
      guard !state.isEnded else { return (false, nil, nil) }
      body(&state)
      let caller = state.machine.hasOutput ? state.caller.take() : nil
      guard state.isReading, let deadline = state.machine.deadline,
        state.sleep.map({ deadline < $0.until }) ?? true
      else { return (true, caller, nil) }
      let sleep = state.sleep?.task
      state.sleep = (deadline, Task { await wake(at: deadline) })
      return (true, caller, sleep)
    }
    sleep?.cancel()
    caller?.resume()
    return goesOn
  }

  // MARK: The end

  /// Ends the sequence; every button that is down is let go, and those are its last edges.
  func cancel() {
    let now = clock.now
    end(nil) { $0.cancel(at: now) }
  }

  /// Ends the sequence, unless it has ended.
  private func end(
    _ error: (any Error)?, _ finish: (inout EdgeMachine<Button, C.Instant>) -> Void
  ) {
    let (tasks, waiters) = state.withLock { state -> ([Task<Void, Never>?], [Waiter?]) in
      guard !state.isEnded else { return ([], []) }
      finish(&state.machine)
      var tasks = [state.sleep?.task]
      if case .running(let task) = state.phase { tasks.append(task) }
      state.phase = .ended(error)
      return (tasks, [state.caller.take(), state.reader.take()])
    }
    for task in tasks { task?.cancel() }
    for waiter in waiters { waiter?.resume() }
  }
}
