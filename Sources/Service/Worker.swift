import CLinux
import Dispatch
import Glibc
import Synchronization

/// Does one piece of work after the other on a thread of its own: what may take its time, as a disk does, must not
/// keep keys waiting.
///
/// Not a dispatch queue: that sets priorities for its threads, which the service's sandbox forbids, and the journal
/// would be full of it.
final class Worker: Sendable {
  typealias Work = @Sendable () -> Void

  private let queue = Queue()
  /// Whether the thread runs: from the first piece of work to the worker's end.
  private let hasThread = Mutex(false)

  deinit {
    queue.end()
  }

  /// Has something done when all that was asked for before is done.
  ///
  /// - Returns: Whether it will be. If the system gives no thread, it waits for the next call, or for ``finish()``.
  @discardableResult
  func add(_ work: @escaping Work) -> Bool {
    queue.append(work)
    return hasThread.withLock { hasThread in
      if !hasThread { hasThread = Self.startThread { [queue] in queue.doAll() } }
      return hasThread
    }
  }

  /// Waits until all is done that was asked for before.
  func finish() {
    let done = DispatchSemaphore(value: 0)
    if add({ done.signal() }) {
      done.wait()
    } else {
      queue.doWaiting()
    }
  }

  /// Starts a thread.
  ///
  /// - Returns: Whether the system gives one.
  static func startThread(_ body: @escaping Work) -> Bool {
    // Signals are for the daemon's own thread, which waits for them in its loop.
    var (all, before) = (sigset_t(), sigset_t())
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    var thread = pthread_t()
    let context = Unmanaged.passRetained(Body(body))
    let result = pthread_create(
      &thread, nil,
      { context in
        if let context { Unmanaged<Body>.fromOpaque(context).takeRetainedValue().body() }
        return nil
      }, context.toOpaque())
    guard result == 0 else {
      context.release()
      return false
    }
    pthread_detach(thread)
    return true
  }

  /// What a thread does.
  private final class Body: Sendable {
    let body: Work

    init(_ body: @escaping Work) {
      self.body = body
    }
  }
}

/// What waits to be done. It belongs to the worker and to its thread, which may outlive it for a moment.
private final class Queue: Sendable {
  private let waiting = Mutex<[Worker.Work]>([])
  /// How much waits, and one more for the end.
  private let count = DispatchSemaphore(value: 0)

  func append(_ work: @escaping Worker.Work) {
    waiting.withLock { $0.append(work) }
    count.signal()
  }

  func end() {
    count.signal()
  }

  /// Does what waits and what comes, until the end.
  func doAll() {
    while let work = next() { work() }
  }

  /// Does what waits now, where there is no thread for it.
  func doWaiting() {
    while !waiting.withLock(\.isEmpty) { next()?() }
  }

  /// Waits for the next piece of work; `nil` at the end.
  private func next() -> Worker.Work? {
    count.wait()
    return waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }
  }
}
