import CLinux
import Debounce
import EventDevices
import Glibc
import SystemPackage

/// Where the daemon waits: one epoll over devices, timer and signals.
///
/// Level-triggered: what is not dealt with now is reported again.
final class EventLoop {
  /// The thing that an event of epoll belongs to. Fits the 64 bits that epoll carries.
  enum Token: Equatable {
    case timer
    case signal
    /// News of udev's: devices that come and go.
    case monitor
    /// Requests that came through the daemon's socket.
    case control
    /// Stored counts or settings that the thread of ``Background``, its ``Worker``, has read.
    case background
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
  /// Why the timer could not be set. Without the timer, the loop would wait for ever.
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

  /// - Parameter untilReady: Whether to wait until something happens. Otherwise the loop only looks what has happened.
  /// - Returns: How many things happened; ``token(at:)`` returns which.
  func wait(untilReady: Bool) throws(Errno) -> Int {
    if let timerFailure { throw timerFailure }
    while true {
      let count = clinux_epoll_wait(epoll, ready, CInt(Self.room), untilReady ? -1 : 0)
      if count >= 0 { return Int(count) }
      guard errno == EINTR else { throw Errno(rawValue: errno) }
    }
  }

  @inline(__always)
  func token(at index: Int) -> Token { Token(bits: ready[index].data.u64) }

  /// The device whose source has something to read; `nil` if something else happened.
  @inline(__always)
  func source(at index: Int) -> DeviceID? {
    if case .source(let id) = token(at: index) { id } else { nil }
  }

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
  }

  /// The request of the next signal; `nil` if there is none.
  func nextSignal() -> Signal? {
    var information = signalfd_siginfo()
    let size = MemoryLayout<signalfd_siginfo>.size
    guard read(signals, &information, size) == size else { return nil }
    // The kernel itself sends a hang-up when the terminal is gone. A person or systemd sends one to have the
    // configuration read.
    let isFromKernel = information.ssi_code == CInt(CLINUX_SI_KERNEL)
    return CInt(information.ssi_signo) == SIGHUP && !isFromKernel ? .reload : .stop
  }
}

extension EventLoop.Token {
  /// Tokens that belong to no device. A token's number is its place in this list.
  private static let others: [Self] = [.timer, .signal, .monitor, .control, .background, .users]
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

  @inline(__always)
  private static func device(bits: UInt64) -> DeviceID {
    DeviceID(slot: Int(bits >> 8 & 0xff_ffff), generation: UInt32(bits >> 32))
  }

  @inline(__always)
  fileprivate init(bits: UInt64) {
    self =
      switch bits & 0xff {
      case Self.sourceKind: .source(Self.device(bits: bits))
      case Self.cloneKind: .clone(Self.device(bits: bits))
      case let number: Self.others[Int(number)]
      }
  }
}
