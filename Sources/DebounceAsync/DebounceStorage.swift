import Debounce
import Synchronization

/// What the iterator, the task that reads the base, and the deadline have in common.
///
/// The base is read as long as no clean edge waits to be taken, so that a button is answered in time while the caller is
/// busy, and a caller who is slow slows the base down. Deadlines are acted on only while the base is being read: what it has
/// not handed over yet may be older than they are.
final class DebounceStorage<Base: AsyncSequence & Sendable, Button: Hashable & Sendable, C: Clock>:
  Sendable
where
  Base.Element == ButtonEdge<Button, C.Instant>, C.Duration == Duration
{
  typealias Edge = Base.Element

  private struct State: Sendable {
    var machine: EdgeMachine<Button, C.Instant>
    var phase = Phase.waiting
    /// Whether the base has been asked for an edge and has not answered yet.
    var isReading = false

    /// Who waits for a clean edge, for one to be taken, and for a deadline.
    var caller: CheckedContinuation<Void, Never>?
    var reader: CheckedContinuation<Void, Never>?
    var sleeper: CheckedContinuation<Void, Never>?
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

  init(_ rules: ButtonRules<Button>, clock: C, _ sink: OutcomeSink<Button, C.Instant>?) {
    self.clock = clock
    state = Mutex(State(machine: EdgeMachine(rules, sink)))
  }

  // MARK: The caller

  /// The next clean edge; `nil` after the last.
  ///
  /// - Parameter base: What is read from the first call on.
  /// - Throws: What the base threw, once every button is let go.
  func next(of base: Base) async throws(Base.Failure) -> Edge? {
    start(base)
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isReady = state.withLock { state in
          guard !state.machine.hasOutput, !state.isEnded else { return true }
          state.caller = continuation
          return false
        }
        if isReady { continuation.resume() }
      }
    } onCancel: {
      cancel()
    }
    let (edge, failure, reader) = state.withLock { state in
      let edge = state.machine.next()
      var failure: (any Error)?
      if edge == nil, case .ended(let error) = state.phase {
        failure = error
        // It is thrown once.
        state.phase = .ended(nil)
      }
      return (edge, failure, state.machine.hasOutput ? nil : state.reader.take())
    }
    reader?.resume()
    if let failure = failure as? Base.Failure { throw failure }
    return edge
  }

  /// Ends the sequence; every button that is down is let go, and those are its last edges.
  func cancel() {
    let now = clock.now
    end(nil) { $0.cancel(at: now) }
  }

  private func start(_ base: Base) {
    state.withLock { state in
      guard case .waiting = state.phase else { return }
      state.phase = .running(
        Task {
          await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.read(base) }
            group.addTask { await self.keepDeadlines() }
          }
        })
    }
  }

  // MARK: The base

  private func read(_ base: Base) async {
    var edges = base.makeAsyncIterator()
    do {
      while await untilEdgesAreWanted() {
        guard let edge = try await edges.next() else { break }
        receive(edge)
      }
      end(nil) { $0.finish() }
    } catch {
      end(error) { $0.finish() }
    }
  }

  /// Waits until no clean edge is left.
  ///
  /// - Returns: Whether the base is to be read: not after the end.
  private func untilEdgesAreWanted() async -> Bool {
    await withCheckedContinuation { continuation in
      let isWanted = state.withLock { state in
        guard state.machine.hasOutput, !state.isEnded else { return true }
        state.reader = continuation
        return false
      }
      if isWanted { continuation.resume() }
    }
    let (isGoingOn, sleeper) = state.withLock { state in
      state.isReading = !state.isEnded
      return (state.isReading, state.sleeper.take())
    }
    sleeper?.resume()
    return isGoingOn
  }

  private func receive(_ edge: Edge) {
    let (caller, sleep) = state.withLock {
      state -> (CheckedContinuation<Void, Never>?, Task<Void, Never>?) in
      state.isReading = false
      guard !state.isEnded else { return (nil, nil) }
      state.machine.receive(edge)
      let isEarlier = state.sleep.map { sleep in
        state.machine.deadline.map { $0 < sleep.until } ?? false
      }
      return (
        state.machine.hasOutput ? state.caller.take() : nil,
        isEarlier == true ? state.sleep?.task : nil
      )
    }
    sleep?.cancel()
    caller?.resume()
  }

  // MARK: The deadline

  /// Acts on the machine's deadline whenever it has passed, until the end.
  private func keepDeadlines() async {
    while let deadline = await nextDeadline() {
      await sleep(until: deadline)
      let now = clock.now
      let caller = state.withLock { state -> CheckedContinuation<Void, Never>? in
        state.sleep = nil
        guard state.isReading, !state.isEnded else { return nil }
        state.machine.advance(to: now)
        return state.machine.hasOutput ? state.caller.take() : nil
      }
      caller?.resume()
    }
  }

  /// Waits until there is a deadline to wait for.
  ///
  /// - Returns: The deadline; `nil` after the end.
  private func nextDeadline() async -> C.Instant? {
    while true {
      let (deadline, isEnded) = state.withLock { state in
        (state.isReading ? state.machine.deadline : nil, state.isEnded)
      }
      if isEnded { return nil }
      if let deadline { return deadline }
      await withCheckedContinuation { continuation in
        let isThere = state.withLock { state in
          guard !state.isEnded, !state.isReading || state.machine.deadline == nil else {
            return true
          }
          state.sleeper = continuation
          return false
        }
        if isThere { continuation.resume() }
      }
    }
  }

  private func sleep(until deadline: C.Instant) async {
    let task = Task { [clock] in
      do { try await clock.sleep(until: deadline, tolerance: .zero) } catch {}
    }
    let isVain = state.withLock { state in
      state.sleep = (deadline, task)
      return state.isEnded || state.machine.deadline.map { $0 < deadline } ?? true
    }
    if isVain { task.cancel() }
    await task.value
  }

  // MARK: The end

  /// Ends the sequence, unless it has ended.
  private func end(
    _ error: (any Error)?, _ finish: (inout EdgeMachine<Button, C.Instant>) -> Void
  ) {
    let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>?] in
      guard !state.isEnded else { return [] }
      finish(&state.machine)
      if case .running(let task) = state.phase { task.cancel() }
      state.sleep?.task.cancel()
      state.phase = .ended(error)
      return [state.caller.take(), state.reader.take(), state.sleeper.take()]
    }
    for continuation in waiting { continuation?.resume() }
  }
}
