import Bus
import CLinux
import Debounce
import EventDevices
import Glibc
import Recording
import Status
import SystemPackage
import Terminal

/// What is done with the events of the devices that are watched.
protocol DeviceWatcher: ~Copyable {
  /// Receives a frame.
  ///
  /// - Parameter device: The index of the device among those that are watched.
  mutating func receive(_ frame: borrowing Frame, from device: Int) throws

  /// Receives what the daemon has decided of an edge, where the daemon is watched.
  mutating func receive(_ outcome: Outcome)

  /// Events were lost (`SYN_DROPPED`).
  ///
  /// - Parameters:
  ///   - held: The keys that are down now.
  ///   - others: What else has changed, and when this was found out.
  mutating func resynchronise(held: KeySet, others: borrowing Frame) throws

  /// Everything that was sent before `now` has been received: it can be drawn.
  mutating func advance(
    to now: Microseconds, on screen: inout LiveScreen
  ) throws -> DeviceWatch.Next

  /// The command goes on after Ctrl-Z. What was pressed and released meanwhile is not known.
  mutating func resume(at now: Microseconds) throws
}

extension DeviceWatcher where Self: ~Copyable {
  mutating func receive(_ outcome: Outcome) {}
}

/// A device that is watched: in the command, a ``Source``, or what the daemon shows of it.
protocol WatchedDevice: AnyObject {
  var path: String { get }
  /// Becomes readable when there are events.
  var descriptor: CInt { get }
  /// The frame that ``read()`` read last.
  var frame: Frame { get }
  /// Whether the kernel has other keys down than were read here.
  var keysDiffer: Bool { get }

  /// Reads on to the end of the next frame.
  func read() -> DeviceWatch.Reading
  /// Reopens the device, without what has been sent meanwhile.
  func reopen() throws(DeviceError)
}

/// A source that is watched. Its descriptor is closed with it.
final class OpenDevice: WatchedDevice {
  private var source: Source
  /// Opened to be asked for the keys that are down: a reader that asks loses what it has not read.
  private var probe: Source?
  /// The keys that are down according to what was read.
  private var held = KeySet()

  init(_ source: consuming Source) {
    self.source = source
    beginToCompare()
  }

  private func beginToCompare() {
    probe = try? Source(path: source.path)
    held = keysDown ?? KeySet()
  }

  private var keysDown: KeySet? { try? probe?.keysDown() }

  var keysDiffer: Bool { keysDown.map { $0 != held } ?? false }

  var path: String { source.path }
  var descriptor: CInt { source.descriptor }
  var frame: Frame { source.frame }

  func read() -> DeviceWatch.Reading {
    switch source.read() {
    case .frame:
      for event in source.frame.events where event.type == EventType.key {
        if event.value == 0 { held.remove(event.code) } else { held.insert(event.code) }
      }
      return .frame
    case .resynchronised(let keys):
      held = keys
      return .resynchronised(keys)
    case .nothing: return .nothing
    case .gone: return .gone
    }
  }

  func reopen() throws(DeviceError) {
    source = try Source(path: source.path)
    beginToCompare()
  }
}

/// Reads devices without grabbing them until the watcher has seen enough, a signal asks to stop, or they are gone.
///
/// It renews the handover of a device that the daemon holds, keeps what is typed away from the terminal, and on Ctrl-Z gives
/// both back until the command goes on.
///
/// Owns the devices, the handover and the screen; all are given back when ``run(_:)`` returns.
struct DeviceWatch: ~Copyable {
  /// What was read of a device.
  enum Reading {
    case frame
    /// Reading begins, and these keys are down.
    case begun(KeySet)
    /// Events were lost; these keys are down.
    case resynchronised(KeySet)
    /// The daemon has decided this of an edge.
    case decided(Outcome)
    case nothing
    case gone
  }

  /// What the watcher wants next.
  enum Next {
    /// The moment by which the time must be reported again; `nil` if only events matter.
    case wait(until: Microseconds?)
    /// Nothing more.
    case end
  }

  /// Why the watch has ended.
  enum End {
    /// The watcher has seen enough.
    case finished
    /// By this signal.
    case stopped(CInt)
    /// No device is left.
    case gone
  }

  private var devices: [(index: Int, device: any WatchedDevice)] = []
  /// How many devices were added, also those that are gone.
  private var count = 0
  private var handover: DeviceHandover
  private var check = HandoverCheck()
  private let signals = StopSignals()
  private var screen: LiveScreen

  /// Whether what is typed into the terminal is thrown away. Where the output goes to a pager, the pager reads it.
  var discardsInput = true

  /// A watch without a device.
  ///
  /// From here on signals to stop no longer end the process, so that what has been begun can be finished.
  ///
  /// - Parameters:
  ///   - handover: What the daemon may have handed over.
  ///   - screen: What the watcher draws on.
  init(
    _ handover: consuming DeviceHandover = DeviceHandover(),
    on screen: consuming LiveScreen = LiveScreen()
  ) {
    self.handover = handover
    self.screen = screen
    self.screen.begin()
    // Nor does a pipe that has no reader any more: the device must be given back.
    signal(SIGPIPE, SIG_IGN)
  }

  /// Adds a device, which is not grabbed. Devices are numbered from 0 in the order in which they are added.
  mutating func add(_ device: any WatchedDevice) {
    devices.append((count, device))
    count += 1
  }

  /// Watches until something ends it.
  consuming func run(_ watcher: inout some DeviceWatcher & ~Copyable) throws -> End {
    while true {
      // The time is taken first: what is read afterwards may be older, but nothing older remains unread.
      let now = monotonicNow()
      try drain(into: &watcher)
      let next = try watcher.advance(to: now, on: &screen)
      if case .end = next { return .finished }
      guard !devices.isEmpty else { return .gone }
      try handover.renewIfDue(now: now)
      reportIfTaken(now: now)
      try wait(for: next)
      while let signal = signals.next() {
        switch signal {
        case SIGWINCH: screen.forget()
        case SIGTSTP: try pause(&watcher)
        default:
          // What came before the signal counts.
          let now = monotonicNow()
          try drain(into: &watcher)
          _ = try watcher.advance(to: now, on: &screen)
          return .stopped(signal)
        }
      }
    }
  }
}

extension DeviceWatch {
  /// Passes all that the devices have sent to the watcher. Devices that are gone are closed.
  private mutating func drain(into watcher: inout some DeviceWatcher & ~Copyable) throws {
    var gone: [Int] = []
    for (index, device) in devices {
      reading: while true {
        let reading = device.read()
        if case .nothing = reading {} else { check.read() }
        switch reading {
        case .frame: try watcher.receive(device.frame, from: index)
        case .resynchronised(let held):
          try watcher.resynchronise(held: held, others: device.frame)
        case .decided(let outcome): watcher.receive(outcome)
        case .begun: continue
        case .nothing: break reading
        case .gone:
          gone.append(index)
          break reading
        }
      }
    }
    if !gone.isEmpty { devices.removeAll { gone.contains($0.index) } }
  }

  /// Reports that another program has grabbed a device that was handed over.
  private mutating func reportIfTaken(now: Microseconds) {
    guard handover.isHandedOver else { return }
    if check.isTaken(keysDiffer: devices.contains { $0.device.keysDiffer }, at: now) {
      handover.reportTaken()
    }
  }

  /// Waits for an event, a signal, or a moment at which something is due.
  private mutating func wait(for next: Next) throws {
    var descriptors = (devices.map { $0.device.descriptor } + [signals.descriptor])
      .map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    let isTyped = discardsInput && screen.isReading
    if isTyped { descriptors.append(pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)) }
    guard poll(&descriptors, nfds_t(descriptors.count), timeout(for: next)) >= 0 || errno == EINTR
    else {
      throw FileError(
        operation: "wait for", path: devices[0].device.path, reason: Errno(rawValue: errno))
    }
    // Not flushed: a Ctrl-C that the terminal has not come to yet would go with it.
    if isTyped, descriptors[descriptors.count - 1].revents != 0 { _ = screen.read() }
  }

  /// How long poll(2) may wait, in milliseconds; -1 for as long as it takes.
  private mutating func timeout(for next: Next) -> CInt {
    var due = handover.renewal.map { min($0, check.due) }
    if case .wait(let moment?) = next { due = min(due ?? .max, moment) }
    // Rounded up: waking too early would mean to wake again and again.
    return due.map { CInt(clamping: max(0, ($0 - monotonicNow() + 999) / 1000)) } ?? -1
  }

  /// Stops the process as Ctrl-Z does elsewhere, and sets everything up again when it goes on.
  private mutating func pause(_ watcher: inout some DeviceWatcher & ~Copyable) throws {
    // What is typed while the command is stopped is not meant for it.
    screen.leave()
    let wasHandedOver = handover.giveBack()
    raise(SIGSTOP)
    screen.begin()
    if wasHandedOver { try handover.renew() }
    for (_, device) in devices { try device.reopen() }
    try watcher.resume(at: monotonicNow())
  }
}

/// A device that the daemon holds, as the daemon shows it: debouncing goes on, and nothing is handed over.
final class DaemonStream: WatchedDevice {
  let path: String
  private let pipe: FileDescriptor
  private var recording: RecordingReader
  /// The keys that are down.
  private var held = KeySet()
  private(set) var frame = Frame()

  /// - Parameter pipe: What the daemon writes into. Closed with the object.
  init(_ path: String, _ pipe: FileDescriptor) {
    (self.path, self.pipe) = (path, pipe)
    _ = fcntl(pipe.rawValue, F_SETFL, O_NONBLOCK)
    recording = RecordingReader(file: path) { try pipe.read(into: $0) }
  }

  deinit {
    try? pipe.close()
  }

  var descriptor: CInt { pipe.rawValue }

  /// The daemon has the device: nobody else can grab it.
  var keysDiffer: Bool { false }

  func read() -> DeviceWatch.Reading {
    while true {
      do {
        guard let entry = try recording.next() else { return .gone }
        switch entry {
        case .raw(let frame):
          held = frame.keysHeld(before: held)
          self.frame = frame.saysEventsWereLost ? frame.withoutKeys : frame
          return frame.saysEventsWereLost ? .resynchronised(held) : .frame
        case .outcome(let outcome): return .decided(outcome)
        case .lost(let lines, let held, let time):
          self.held = held
          frame = Frame(time: time)
          return lines > 0 ? .resynchronised(held) : .begun(held)
        case .clean, .reset, .paused: continue
        case .closed: return .gone
        }
      } catch Errno.resourceTemporarilyUnavailable {
        return .nothing
      } catch {
        // Of another version, or broken.
        return .gone
      }
    }
  }

  /// Drops what has come meanwhile.
  func reopen() {
    while true {
      switch read() {
      case .nothing, .gone: return
      default: continue
      }
    }
  }
}

extension Frame {
  /// The same without the keys, which are known apart.
  fileprivate var withoutKeys: Frame {
    Frame(time: time, events.filter { $0.type != EventType.key && $0.type != 0 })
  }
}

/// Signals that are waited for like anything else and do not end the process: what it has begun is to be finished.
///
/// Owns its descriptor. When the value ends, the signals end the process again.
struct StopSignals: ~Copyable {
  /// Those that ask a command to stop, Ctrl-Z, and a new size of the terminal.
  private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGWINCH]

  /// Becomes readable when a signal has come.
  let descriptor: CInt

  /// Blocks the signals from here on.
  init() {
    var set = Self.set
    pthread_sigmask(SIG_BLOCK, &set, nil)
    descriptor = signalfd(-1, &set, CInt(SFD_CLOEXEC | SFD_NONBLOCK))
  }

  deinit {
    // One that came too late to be heeded, such as a second Ctrl-C, does nothing.
    while next() != nil {}
    close(descriptor)
    var set = Self.set
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
  }

  /// The signal that came; `nil` if none has.
  func next() -> CInt? {
    var information = signalfd_siginfo()
    let size = MemoryLayout<signalfd_siginfo>.size
    return read(descriptor, &information, size) == size ? CInt(information.ssi_signo) : nil
  }

  private static var set: sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
    return set
  }
}
