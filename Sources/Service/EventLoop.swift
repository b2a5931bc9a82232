import CLinux
import Debounce
import Dispatch
import EventDevices
import Glibc
import Synchronization
import SystemPackage

/// Where the daemon waits: one epoll over devices, timer and signals.
///
/// Level-triggered: what is not dealt with now is reported again.
final class EventLoop {
  /// What an event belongs to. Fits the 64 bits that epoll carries.
  enum Token: Equatable {
    case timer
    case signal
    case monitor
    /// What the bus's thread has.
    case bus
    case statistics
    /// The nodes that programs open and close.
    case users
    case source(DeviceID)
    case clone(DeviceID)
  }

  private let epoll: CInt
  private let timer: CInt
  private let signals: CInt
  private static let room = 64
  private let ready: UnsafeMutablePointer<epoll_event>

  /// When the timer will go off.
  private var armed = Instant.never
  /// Why the timer could not be set. Without it, the loop would wait for ever.
  private var timerFailure: Errno?

  /// - Parameter signals: Signals that are events of the loop instead of interrupting it. They are blocked for the
  ///   whole process from here on.
  init(signals: [CInt]) throws(Errno) {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
    pthread_sigmask(SIG_BLOCK, &set, nil)

    ready = .allocate(capacity: Self.room)
    epoll = epoll_create1(CInt(EPOLL_CLOEXEC))
    timer = timerfd_create(CLOCK_MONOTONIC, CInt(TFD_CLOEXEC | TFD_NONBLOCK))
    self.signals = signalfd(-1, &set, CInt(SFD_CLOEXEC | SFD_NONBLOCK))
    guard epoll >= 0, timer >= 0, self.signals >= 0 else { throw Errno(rawValue: errno) }
    try add(timer, as: .timer)
    try add(self.signals, as: .signal)
  }

  deinit {
    close(epoll)
    close(timer)
    close(signals)
    ready.deallocate()
  }

  /// Listens to a descriptor. It stays the caller's; closing it ends the listening.
  func add(_ descriptor: CInt, as token: Token) throws(Errno) {
    var event = epoll_event()
    event.events = EPOLLIN.rawValue
    event.data.u64 = token.bits
    guard epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0 else {
      throw Errno(rawValue: errno)
    }
  }

  /// Stops listening to a descriptor. A dead device would be reported for ever.
  func remove(_ descriptor: CInt) {
    epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, nil)
  }

  /// - Parameter waits: Whether to wait at all, or only to look.
  /// - Returns: How many things happened; ``token(at:)`` returns which.
  func wait(_ waits: Bool) throws(Errno) -> Int {
    if let timerFailure { throw timerFailure }
    while true {
      let count = clinux_epoll_wait(epoll, ready, CInt(Self.room), waits ? -1 : 0)
      if count >= 0 { return Int(count) }
      guard errno == EINTR else { throw Errno(rawValue: errno) }
    }
  }

  func token(at index: Int) -> Token { Token(bits: ready[index].data.u64) }

  /// The device whose source it is that has something to read; `nil` if something else happened.
  @inline(__always)
  func source(at index: Int) -> DeviceID? { Token.source(bits: ready[index].data.u64) }

  /// Makes sure that the loop wakes at `time` or before.
  ///
  /// Never moves the timer to a later time: a wake-up too many costs less than a system call for every
  /// deadline that is dropped.
  @inline(__always)
  func wake(at time: Instant) {
    if time < armed { arm(for: time) }
  }

  @inline(never)
  private func arm(for time: Instant) {
    armed = time
    // Zero would switch the timer off.
    let time = max(time.microseconds, 1)
    var setting = itimerspec()
    setting.it_value.tv_sec = Int(time / 1_000_000)
    setting.it_value.tv_nsec = Int(time % 1_000_000) * 1000
    if timerfd_settime(timer, CInt(TFD_TIMER_ABSTIME), &setting, nil) != 0 {
      timerFailure = Errno(rawValue: errno)
    }
  }

  func timerWentOff() {
    var expirations: UInt64 = 0
    _ = read(timer, &expirations, MemoryLayout<UInt64>.size)
    armed = .never
  }

  enum Signal {
    case stop
    case reload
    /// To stop for a while: Ctrl-Z on the terminal.
    case pause
  }

  /// What the next signal asks for; `nil` when there is none.
  func nextSignal() -> Signal? {
    var information = signalfd_siginfo()
    let size = MemoryLayout<signalfd_siginfo>.size
    guard read(signals, &information, size) == size else { return nil }
    // The kernel itself sends a hang-up when the terminal is gone; a person or systemd does to have the
    // configuration read.
    let isFromKernel = information.ssi_code == CInt(CLINUX_SI_KERNEL)
    return switch CInt(information.ssi_signo) {
    case SIGTSTP: .pause
    case SIGHUP where !isFromKernel: .reload
    default: .stop
    }
  }
}

extension EventLoop.Token {
  /// Those that are no device's, each with its place as its number.
  private static let others: [Self] = [.timer, .signal, .monitor, .bus, .statistics, .users]
  private static var sourceKind: UInt64 { 0x80 }
  private static var cloneKind: UInt64 { 0x81 }

  /// Kind in the lowest 8 bits, slot in the next 24, generation above.
  fileprivate var bits: UInt64 {
    switch self {
    case .source(let id): Self.sourceKind | UInt64(id.slot) << 8 | UInt64(id.generation) << 32
    case .clone(let id): Self.cloneKind | UInt64(id.slot) << 8 | UInt64(id.generation) << 32
    default: UInt64(Self.others.firstIndex(of: self) ?? 0)
    }
  }

  /// The device of ``source(_:)``; `nil` for every other token.
  @inline(__always)
  fileprivate static func source(bits: UInt64) -> DeviceID? {
    bits & 0xff == sourceKind ? device(bits: bits) : nil
  }

  @inline(__always)
  private static func device(bits: UInt64) -> DeviceID {
    DeviceID(slot: Int(bits >> 8 & 0xff_ffff), generation: UInt32(bits >> 32))
  }

  fileprivate init(bits: UInt64) {
    self =
      switch bits & 0xff {
      case Self.sourceKind: .source(Self.device(bits: bits))
      case Self.cloneKind: .clone(Self.device(bits: bits))
      case let number: Self.others[Int(number)]
      }
  }
}

/// Does one piece of work after the other on a thread of its own: what may take its time, as a disk does, must not
/// keep keys waiting.
///
/// Not a dispatch queue: that sets priorities for its threads, which the service's sandbox forbids, and the journal
/// would be full of it.
final class Worker: Sendable {
  typealias Work = @Sendable () -> Void

  /// What is to be done; `nil` at the end. Its thread may outlive the worker for a moment.
  private let waiting: Mailbox<Work?>
  /// Whether the thread runs: from the first piece of work to the worker's end.
  private let hasThread = Mutex(false)

  init() throws(Errno) {
    waiting = try Mailbox()
  }

  deinit {
    waiting.put(nil)
  }

  /// Has something done when all that was asked for before is done.
  ///
  /// - Returns: Whether it will be. If the system gives no thread, it waits for the next call, or for ``finish()``.
  @discardableResult
  func add(_ work: @escaping Work) -> Bool {
    waiting.put(work)
    return hasThread.withLock { hasThread in
      if !hasThread { hasThread = Self.startThread { [waiting] in Self.doAll(waiting) } }
      return hasThread
    }
  }

  /// Waits until all is done that was asked for before, or until the limit.
  ///
  /// - Returns: Whether it is done.
  @discardableResult
  func finish(by limit: DispatchTime = .distantFuture) -> Bool {
    let done = DispatchSemaphore(value: 0)
    if add({ done.signal() }) { return done.wait(timeout: limit) == .success }
    while !waiting.isEmpty { for work in waiting.takeAll() { work?() } }
    return true
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

  private final class Body: Sendable {
    let body: Work

    init(_ body: @escaping Work) {
      self.body = body
    }
  }
}

/// What other threads leave for one that waits for a descriptor.
final class Mailbox<Letter: Sendable>: Sendable {
  /// Becomes readable when there is a letter. Stays the mailbox's.
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
    eventfd_write(descriptor, 1)
  }

  /// Notes that ``descriptor`` was readable.
  func hasBeenWoken() {
    var count: eventfd_t = 0
    eventfd_read(descriptor, &count)
  }

  func takeAll() -> [Letter] {
    hasBeenWoken()
    return letters.withLock { letters in
      defer { letters = [] }
      return letters
    }
  }

  /// The first letter; `nil` if there is none. ``hasBeenWoken()`` must be called before.
  func takeFirst() -> Letter? { letters.withLock { $0.isEmpty ? nil : $0.removeFirst() } }

  var isEmpty: Bool { letters.withLock(\.isEmpty) }
}

/// A moment, by the kernel's monotonic clock, which stamps the events. How long something takes is `Microseconds`.
struct Instant: Comparable, Hashable, Sendable {
  /// Since the machine was switched on.
  let microseconds: Microseconds

  init(_ microseconds: Microseconds) {
    self.microseconds = microseconds
  }

  static var now: Instant { Instant(monotonicNow()) }

  /// The moment that never comes: the deadline of what waits for no time.
  static var never: Instant { Instant(.max) }

  /// Before all that happens, by more than any pause.
  static var longAgo: Instant { Instant(.min / 2) }

  static func < (left: Instant, right: Instant) -> Bool { left.microseconds < right.microseconds }

  static func + (start: Instant, pause: Microseconds) -> Instant {
    Instant(start.microseconds + pause)
  }

  static func - (end: Instant, pause: Microseconds) -> Instant {
    Instant(end.microseconds - pause)
  }

  static func - (end: Instant, start: Instant) -> Microseconds {
    end.microseconds - start.microseconds
  }
}
