import CLinux
import Dispatch
import Glibc
import Synchronization

/// Does one piece of work after the other, on a thread of its own that is there only while there is work: as long as the
/// process has a single thread, the kernel need not count a reference to a file for each call.
///
/// Not a dispatch queue: that sets priorities for its threads, which the service's sandbox forbids, and says so in the
/// journal.
final class Worker: Sendable {
  private struct Orders {
    var waiting: [@Sendable () -> Void] = []
    /// Whether a thread carries them out.
    var areInHand = false
  }

  private let orders = Mutex(Orders())

  /// Has something done when all that was asked for before is done.
  ///
  /// - Returns: Whether it is in hand. If the system gives no thread, it waits for the next call, or for ``finish()``.
  @discardableResult
  func add(_ work: @escaping @Sendable () -> Void) -> Bool {
    let isInHand = orders.withLock { orders in
      orders.waiting.append(work)
      defer { orders.areInHand = true }
      return orders.areInHand
    }
    guard !isInHand, !startThread() else { return true }
    orders.withLock { $0.areInHand = false }
    return false
  }

  /// Waits until all is done that was asked for before.
  func finish() {
    let done = DispatchSemaphore(value: 0)
    add { done.signal() }
    let isInHand = orders.withLock { orders in
      defer { orders.areInHand = true }
      return orders.areInHand
    }
    // No thread, or one that is done with everything.
    if !isInHand { carryOut() }
    done.wait()
  }

  private func startThread() -> Bool {
    // Signals are for the daemon's own thread, which waits for them in its loop.
    var (all, before) = (sigset_t(), sigset_t())
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    var thread = pthread_t()
    let context = Unmanaged.passRetained(self)
    let result = pthread_create(
      &thread, nil,
      { context in
        if let context { Unmanaged<Worker>.fromOpaque(context).takeRetainedValue().carryOut() }
        return nil
      }, context.toOpaque())
    guard result == 0 else {
      context.release()
      return false
    }
    pthread_detach(thread)
    return true
  }

  /// Does what is asked for until there is nothing more.
  private func carryOut() {
    while let work = nextOrder() { work() }
  }

  private func nextOrder() -> (@Sendable () -> Void)? {
    orders.withLock { orders in
      guard !orders.waiting.isEmpty else {
        orders.areInHand = false
        return nil
      }
      return orders.waiting.removeFirst()
    }
  }
}
