import Control
import Debounce
import EventDevices
import Files
import Glibc
import Recording
import SystemPackage

/// Watches one device until it is told to stop: reads, compares, draws.
struct MonitorSession: ~Copyable {
  /// Why it has ended.
  enum End {
    case stopped
    case gone
    /// Nobody reads what is written.
    case unread
  }

  private(set) var comparison: EdgeComparison
  private let lines: MonitorLines
  private let output: Terminal
  private var isUnread = false

  init(_ rules: Rules, _ lines: MonitorLines, _ output: Terminal) {
    comparison = EdgeComparison(rules)
    self.lines = lines
    self.output = output
  }

  /// Watches the device until something ends it.
  ///
  /// - Parameters:
  ///   - source: The device, opened and not grabbed.
  ///   - loan: What the daemon may have lent. It is given back before the function returns.
  mutating func watch(
    _ source: consuming Source, _ loan: consuming BorrowedDevice
  ) throws -> End {
    // A reader that goes away must not end the process: the keyboard is to be given back.
    signal(SIGPIPE, SIG_IGN)
    let signals = StopSignals(and: [SIGTSTP])
    var keyboard = SilentTerminal()
    let path = source.path
    try write(lines.header + "\n")
    while true {
      // Events that came before now must be read before now is told of.
      let now = monotonicNow()
      guard drain(&source) else {
        try draw()
        return .gone
      }
      comparison.advance(to: now)
      try draw()
      if isUnread { return .unread }
      try loan.renew(now: now)

      var descriptors = [
        pollfd(fd: source.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(
          fd: keyboard.isSilent && output.isTerminal ? STDIN_FILENO : -1, events: Int16(POLLIN),
          revents: 0),
      ]
      let timeout = timeout(upTo: loan.renewal)
      guard poll(&descriptors, nfds_t(descriptors.count), timeout) >= 0 || errno == EINTR else {
        throw FileError(operation: "wait for", path: path, reason: Errno(rawValue: errno))
      }
      if descriptors[2].revents != 0 { keyboard.discardInput() }
      while let signal = signals.next() {
        guard signal == SIGTSTP else {
          _ = drain(&source)
          try draw()
          return .stopped
        }
        // What is typed while the command is stopped is not meant for it.
        keyboard.restore()
        let wasLent = loan.giveBack()
        raise(SIGSTOP)
        keyboard.silence()
        if wasLent { try loan.borrowAgain() }
        source = try Source(path: path)
        comparison.begin(held: KeySet(), at: monotonicNow())
      }
    }
  }

  /// Takes what the source has sent.
  ///
  /// - Returns: Whether the device is still there.
  private mutating func drain(_ source: inout Source) -> Bool {
    while true {
      switch source.read() {
      case .frame: comparison.process(source.frame)
      case .resynchronised(let held): comparison.resynchronise(held: held, others: source.frame)
      case .nothing: return true
      case .gone: return false
      }
    }
  }

  /// How long to wait at most, in milliseconds.
  private func timeout(upTo renewal: Microseconds?) -> CInt {
    guard let next = [comparison.deadline, renewal].compactMap(\.self).min() else { return -1 }
    // Rounded up: waking too early would mean to wake again and again.
    return CInt(clamping: max(0, (next - monotonicNow() + 999) / 1000))
  }
}

// MARK: - Drawing

extension MonitorSession {
  /// Draws what has been noted, with one write.
  private mutating func draw() throws {
    let text = comparison.steps.compactMap { lines.line(for: $0) }.map { $0 + "\n" }.joined()
    comparison.removeSteps()
    if !text.isEmpty { try write(text) }
  }

  private mutating func write(_ text: String) throws {
    do {
      try output.write(text)
    } catch let error as FileError where error.reason == .brokenPipe || error.reason == .ioError {
      isUnread = true
    }
  }
}
