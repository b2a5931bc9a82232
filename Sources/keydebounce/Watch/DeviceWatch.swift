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
  /// Receives what a device has sent, or what the daemon shows of it, as a recording has it.
  ///
  /// - Parameter device: The index of the device among those that are watched.
  mutating func receive(_ entry: RecordingParser.Entry, from device: Int) throws

  /// Everything that was sent before `now` has been received: it can be drawn.
  mutating func advance(
    to now: Microseconds, on screen: inout LiveScreen
  ) throws -> DeviceWatch.Next
}

/// A device that is watched: in the command, a ``Source``, or what the daemon shows of it.
protocol WatchedDevice: AnyObject {
  /// Becomes readable when there are events.
  var descriptor: CInt { get }
  /// Whether the kernel has other keys down than were read here.
  var keysDiffer: Bool { get }

  /// What comes next: `.closed` when the device is gone; `nil` if there is nothing for now.
  func read() -> RecordingParser.Entry?
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

  var device: RecordedDevice { RecordedDevice(source.identity, source.capabilities) }
  var descriptor: CInt { source.descriptor }

  func read() -> RecordingParser.Entry? {
    let frame: Frame
    switch source.read() {
    case .frame: frame = source.frame
    case .resynchronised(let keys):
      frame = Frame(resynchronisedTo: keys, before: held, others: source.frame)
    case .nothing: return nil
    case .gone: return .closed(at: monotonicNow())
    }
    held = frame.keysHeld(before: held)
    return .raw(frame)
  }

  func reopen() throws(DeviceError) {
    source = try Source(path: source.path)
    beginToCompare()
  }
}

/// A device that the daemon holds, as the daemon shows it: debouncing goes on, and nothing is handed over.
///
/// Whoever reads until there is nothing more comes to that, even if the daemon writes without end: after as much as fits
/// into a pipe, there is nothing for now.
final class DaemonStream: WatchedDevice {
  /// What fits into a pipe, in bytes.
  private static let portion = 1 << 16

  let path: String
  private let pipe: FileDescriptor
  private var recording: RecordingReader

  /// - Parameter pipe: What the daemon writes into. Closed with the object.
  init(_ path: String, _ pipe: FileDescriptor) {
    (self.path, self.pipe) = (path, pipe)
    _ = fcntl(pipe.rawValue, F_SETFL, O_NONBLOCK)
    var room = Self.portion
    recording = RecordingReader(file: path) { buffer in
      do {
        guard room > 0 else { throw Errno.resourceTemporarilyUnavailable }
        let count = try pipe.read(into: .init(rebasing: buffer.prefix(room)))
        room -= count
        return count
      } catch {
        room = Self.portion
        throw error
      }
    }
  }

  deinit {
    try? pipe.close()
  }

  var descriptor: CInt { pipe.rawValue }

  /// The daemon has the device: nobody else can grab it.
  var keysDiffer: Bool { false }

  func read() -> RecordingParser.Entry? {
    do {
      if let entry = try recording.next() { return entry }
    } catch Errno.resourceTemporarilyUnavailable {
      return nil
    } catch {
      // Of another version, or broken.
    }
    return .closed(at: monotonicNow())
  }

  func reopen() {
    while let entry = read() {
      if case .closed = entry { return }
    }
  }
}

/// Reads devices without grabbing them until the watcher has seen enough, a signal asks to stop, or they are gone.
///
/// It renews the handover of a device that the daemon holds, keeps what is typed away from the terminal, and on Ctrl-Z gives
/// both back until the command goes on.
///
/// Owns the devices, the handover and the screen; all are given back when ``run(_:)`` returns.
struct DeviceWatch: ~Copyable {
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

  /// `nil` in the place of one that is gone.
  private var devices: [(any WatchedDevice)?]
  private var handover: DeviceHandover?
  private var check = HandoverCheck()
  private let signals = StopSignals()
  private var screen: LiveScreen

  /// Whether what is typed into the terminal is thrown away. Where the output goes to a pager, the pager reads it.
  var discardsInput = true

  /// From here on signals to stop no longer end the process, so that what has been begun can be finished.
  ///
  /// - Parameters:
  ///   - handover: What the daemon may have handed over.
  ///   - screen: What the watcher draws on.
  init(
    _ devices: [any WatchedDevice], _ handover: consuming DeviceHandover? = nil,
    on screen: consuming LiveScreen = LiveScreen()
  ) {
    self.devices = devices
    self.handover = handover
    self.screen = screen
    self.screen.begin()
    // Nor does a pipe that has no reader any more: the device must be given back.
    signal(SIGPIPE, SIG_IGN)
  }

  /// Watches until something ends it.
  consuming func run(_ watcher: inout some DeviceWatcher & ~Copyable) throws -> End {
    while true {
      let (now, next) = try advance(&watcher)
      if case .end = next { return .finished }
      guard devices.contains(where: { $0 != nil }) else { return .gone }
      try handover?.renewIfDue(now: now)
      if handover?.isHandedOver == true,
        check.isTaken(keysDiffer: devices.contains { $0?.keysDiffer == true }, at: now)
      {
        handover?.reportTaken()
      }
      wait(for: next)
      while let signal = signals.next() {
        switch signal {
        case SIGWINCH: screen.forget()
        case SIGTSTP: try pause(&watcher)
        default:
          // What came before the signal counts.
          _ = try advance(&watcher)
          return .stopped(signal)
        }
      }
    }
  }
}

extension DeviceWatch {
  /// Passes all that the devices have sent, and then the time, to the watcher. Devices that are gone are closed.
  private mutating func advance(
    _ watcher: inout some DeviceWatcher & ~Copyable
  ) throws -> (now: Microseconds, next: Next) {
    // The time is taken first: what is read afterwards may be older, but nothing older remains unread.
    let now = monotonicNow()
    for (index, device) in devices.enumerated() {
      guard let device else { continue }
      while let entry = device.read() {
        check.read()
        if case .closed = entry {
          devices[index] = nil
          break
        }
        try watcher.receive(entry, from: index)
      }
    }
    return (now, try watcher.advance(to: now, on: &screen))
  }

  /// Waits for an event, a signal, or a moment at which something is due.
  private mutating func wait(for next: Next) {
    var due = handover?.renewal.map { min($0, check.due) }
    if case .wait(let moment?) = next { due = min(due ?? .max, moment) }
    var descriptors = [signals.descriptor] + devices.compactMap { $0?.descriptor }
    let isTyped = discardsInput && screen.isReading
    if isTyped { descriptors.append(STDIN_FILENO) }
    var waiting = descriptors.map(pollfd.init(reading:))
    poll(&waiting, until: due)
    // Not flushed: a Ctrl-C that the terminal has not come to yet would go with it.
    if isTyped, waiting.last?.revents != 0 { _ = screen.read() }
  }

  /// Stops the process as Ctrl-Z does elsewhere, and sets everything up again when it goes on.
  private mutating func pause(_ watcher: inout some DeviceWatcher & ~Copyable) throws {
    // What is typed while the command is stopped is not meant for it.
    screen.leave()
    let wasHandedOver = handover?.giveBack() == true
    raise(SIGSTOP)
    screen.begin()
    if wasHandedOver { try handover?.renew() }
    for (index, device) in devices.enumerated() {
      try device?.reopen()
      // What was pressed and released meanwhile is not known.
      try watcher.receive(.lost(lines: 0, held: KeySet(), at: monotonicNow()), from: index)
    }
  }
}

extension Frame {
  /// How many keys go down.
  var presses: Int { events.count { $0.type == EventType.key && $0.value == 1 } }
}

extension pollfd {
  /// To wait until there is something to read; for nothing if the descriptor is negative.
  init(reading descriptor: CInt) {
    self.init(fd: descriptor, events: Int16(POLLIN), revents: 0)
  }
}

/// Waits until one of the descriptors is ready, a signal comes, or it is time; `nil` for never.
func poll(_ descriptors: inout [pollfd], until due: Microseconds?) {
  // Rounded up: waking too early would mean to wake again and again.
  let timeout = due.map { CInt(clamping: max(0, ($0 - monotonicNow() + 999) / 1000)) } ?? -1
  _ = Glibc.poll(&descriptors, nfds_t(descriptors.count), timeout)
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
