import Dispatch
import Glibc
import Synchronization
import SystemPackage

/// Does one piece of work after the other, on a thread of its own.
///
/// Not a dispatch queue: that sets priorities for its threads, which the service's sandbox forbids, and says so in the
/// journal.
final class Worker: Sendable {
  private let orders = Orders()

  /// Starts the thread. It ends with the worker, when all that was asked for is done.
  init() throws(Errno) {
    // Signals are for the daemon's own thread, which waits for them in its loop.
    var (all, before) = (sigset_t(), sigset_t())
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    var thread = pthread_t()
    let context = Unmanaged.passRetained(orders)
    let result = pthread_create(
      &thread, nil,
      { context in
        if let context { Unmanaged<Orders>.fromOpaque(context).takeRetainedValue().carryOut() }
        return nil
      }, context.toOpaque())
    guard result == 0 else {
      context.release()
      throw Errno(rawValue: result)
    }
    pthread_detach(thread)
  }

  deinit {
    orders.add(nil)
  }

  /// Has something done when all that was asked for before is done.
  func add(_ work: @escaping @Sendable () -> Void) {
    orders.add(work)
  }

  /// Waits until all is done that was asked for before.
  func finish() {
    let done = DispatchSemaphore(value: 0)
    orders.add { done.signal() }
    done.wait()
  }
}

/// What a ``Worker`` is to do.
private final class Orders: Sendable {
  /// `nil` for nothing more.
  private let orders = Mutex<[(@Sendable () -> Void)?]>([])
  private let count = DispatchSemaphore(value: 0)

  func add(_ work: (@Sendable () -> Void)?) {
    orders.withLock { $0.append(work) }
    count.signal()
  }

  /// Does what is asked for until there is nothing more.
  func carryOut() {
    while true {
      count.wait()
      guard let work = orders.withLock({ $0.removeFirst() }) else { return }
      work()
    }
  }
}
