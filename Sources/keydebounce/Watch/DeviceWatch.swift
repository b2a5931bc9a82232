import Debounce
import EventDevices
import Glibc
import Recording
import Status
import SystemPackage
import Terminal

/// Receives the events of the devices that are watched.
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

/// Reads devices without grabbing them until the watcher has seen enough, a signal asks to stop, or they are gone.
///
/// It keeps what is typed away from the terminal. On Ctrl-Z it gives the terminal back until the command goes on.
///
/// Owns the devices and the screen; both are given back when ``run(_:)`` returns.
struct DeviceWatch: ~Copyable {
  /// The watcher's wish after it has received all events.
  enum Next {
    /// The moment by which the time must be reported again; `nil` if only events matter.
    case wait(until: Microseconds?)
    case end
  }

  /// Why the watch has ended.
  enum End: Equatable {
    /// The watcher has seen enough.
    case finished
    /// By this signal.
    case stopped(CInt)
    /// No device is left.
    case gone
  }

  /// The devices; `nil` in the place of one that is gone.
  private var devices: [(any WatchedDevice)?]
  private let signals = StopSignals()
  private var screen: LiveScreen

  /// Whether what is typed into the terminal is thrown away. Where the output goes to a pager, the pager reads it.
  var discardsInput = true

  /// From here on signals to stop no longer end the process, so that what has been begun can be finished.
  ///
  /// - Parameter screen: What the watcher draws on.
  init(_ devices: [any WatchedDevice], on screen: consuming LiveScreen = LiveScreen()) {
    self.devices = devices
    self.screen = screen
    self.screen.begin()
    // A pipe without a reader does not end the process either: the terminal must be given back.
    signal(SIGPIPE, SIG_IGN)
  }

  consuming func run(_ watcher: inout some DeviceWatcher & ~Copyable) throws -> End {
    while true {
      let next = try advance(&watcher)
      if case .end = next { return .finished }
      guard devices.contains(where: { $0 != nil }) else { return .gone }
      guard wait(for: next) else { return .stopped(SIGHUP) }
      while let signal = signals.next() {
        switch signal {
        case SIGWINCH: screen.forget()
        case SIGTSTP: try pause(&watcher)
        default:
          // Events that came before the signal count.
          _ = try advance(&watcher)
          return .stopped(signal)
        }
      }
    }
  }

  /// Passes all that the devices have sent, and then the time, to the watcher. Devices that are gone are closed.
  private mutating func advance(
    _ watcher: inout some DeviceWatcher & ~Copyable
  ) throws -> Next {
    // The time is taken first: what is read afterwards may be older, but nothing older remains unread.
    let now = monotonicNow()
    for (index, device) in devices.enumerated() {
      guard let device else { continue }
      while let entry = device.read() {
        if case .closed = entry {
          devices[index] = nil
          break
        }
        try watcher.receive(entry, from: index)
      }
    }
    return try watcher.advance(to: now, on: &screen)
  }

  /// - Returns: Whether the terminal is still there. One that is not the process's own goes without a signal.
  private mutating func wait(for next: Next) -> Bool {
    let due: Microseconds? = if case .wait(let moment) = next { moment } else { nil }
    var descriptors = [signals.descriptor] + devices.compactMap { $0?.descriptor }
    let isTyped = discardsInput && screen.isReading
    if isTyped { descriptors.append(screen.input) }
    var waiting = descriptors.map(pollfd.init(reading:))
    poll(&waiting, until: due)
    // Read instead of flushed: tcflush(3) would also drop a Ctrl-C that the terminal has not handled yet.
    return !isTyped || waiting.last?.revents == 0 || screen.read() != nil
  }

  /// Stops the process as Ctrl-Z does elsewhere, and sets everything up again when it goes on.
  private mutating func pause(_ watcher: inout some DeviceWatcher & ~Copyable) throws {
    // Keys that are typed while it is stopped are not meant for it.
    screen.leave()
    raise(SIGSTOP)
    screen.begin()
    for (index, device) in devices.enumerated() {
      try device?.reopen()
      // Nobody knows which keys moved meanwhile.
      try watcher.receive(.lost(lines: 0, held: KeySet(), at: monotonicNow()), from: index)
    }
  }
}

extension Frame {
  var presses: Int { events.count { $0.type == EventType.key && $0.value == 1 } }
}
