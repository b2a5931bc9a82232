import CLinux
import Dispatch
import Glibc
import Synchronization
import SystemPackage

/// Does one piece of work after the other on a thread of its own, so that keys do not wait for it.
///
/// A dispatch queue would set priorities for its threads. The service's sandbox forbids that, and each refusal
/// would be a line in the journal.
package final class Worker: Sendable {
  package typealias Work = @Sendable () -> Void

  /// Work that waits; `nil` at the end. The thread may outlive the worker for a moment.
  private let waiting: Mailbox<Work?>

  /// - Parameter mayHang: Whether a disk may hold the thread, even when the process is killed; see ``startThread(mayHang:_:)``.
  /// - Throws: `Errno` if the system gives no descriptor, or no thread.
  package init(mayHang: Bool = false) throws(Errno) {
    waiting = try Mailbox()
    guard Self.startThread(mayHang: mayHang, { [waiting] in Self.doAll(waiting) }) else {
      throw .resourceTemporarilyUnavailable
    }
  }

  /// How many pieces of work wait, without those that the thread has taken along with the one in hand.
  package var count: Int { waiting.count }

  deinit {
    waiting.put(nil)
  }

  /// Has something done when all that was asked for before is done.
  package func add(_ work: @escaping Work) { waiting.put(work) }

  /// Waits until all is done that was asked for before, or until the limit, and returns whether it is done.
  @discardableResult
  package func finish(by limit: DispatchTime = .distantFuture) -> Bool {
    let done = DispatchSemaphore(value: 0)
    add { done.signal() }
    return done.wait(timeout: limit) == .success
  }

  /// Does what waits and what comes, until the end.
  private static func doAll(_ waiting: Mailbox<Work?>) {
    while true {
      var letter = pollfd(fd: waiting.descriptor, events: Int16(POLLIN), revents: 0)
      poll(&letter, 1, -1)
      for work in waiting.takeAll() {
        guard let work else { return }
        work()
      }
    }
  }

  /// Starts a thread.
  ///
  /// - Parameter mayHang: Whether a disk may hold the thread, even when the process is killed. Descriptors that the thread shares
  ///   stay open until then: the keyboards would stay grabbed. So it keeps those that are open now, and shares none from now on.
  /// - Returns: Whether the system gives one.
  static func startThread(mayHang: Bool = false, _ body: @escaping Work) -> Bool {
    let hasStarted = DispatchSemaphore(value: 0)
    let begin: Work = {
      // Where a sandbox forbids it, the thread shares them after all.
      if mayHang { _ = clinux_own_descriptors() }
      hasStarted.signal()
      body()
    }
    // Signals are for the daemon's own thread, which waits for them in its loop.
    var (all, before) = (sigset_t(), sigset_t())
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    var thread = pthread_t()
    let context = Unmanaged.passRetained(Body(begin))
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
    hasStarted.wait()
    return true
  }

  private final class Body: Sendable {
    let body: Work

    init(_ body: @escaping Work) {
      self.body = body
    }
  }
}

/// Letters that other threads leave for one that waits for a descriptor.
final class Mailbox<Letter: Sendable>: Sendable {
  /// Becomes readable when there is a letter. The mailbox closes it.
  let descriptor: CInt
  private let letters = Mutex<[Letter]>([])

  init() throws(Errno) {
    descriptor = eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))
    guard descriptor >= 0 else { throw Errno(rawValue: errno) }
  }

  deinit {
    close(descriptor)
  }

  func put(_ letter: Letter) {
    letters.withLock { $0.append(letter) }
    // Where nothing is written, whoever waits is not woken, and the daemon would not end.
    for _ in 1...3 where eventfd_write(descriptor, 1) == 0 { return }
  }

  /// Notes that ``descriptor`` was readable.
  func hasBeenWoken() {
    var count: eventfd_t = 0
    eventfd_read(descriptor, &count)
  }

  func takeAll() -> [Letter] {
    hasBeenWoken()
    return letters.withLock { exchange(&$0, with: []) }
  }

  /// The first letter; `nil` if there is none. ``hasBeenWoken()`` must be called before.
  func takeFirst() -> Letter? { letters.withLock { $0.isEmpty ? nil : $0.removeFirst() } }

  var isEmpty: Bool { count == 0 }
  var count: Int { letters.withLock(\.count) }
}
