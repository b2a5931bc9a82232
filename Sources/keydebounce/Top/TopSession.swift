import Control
import Debounce
import EventDevices
import Glibc
import Recording
import Status
import SystemPackage
import Terminal

/// Runs the screen of `top`: waits for keys, signals and moments, and passes each to the model.
///
/// The terminal is as before when the value ends.
struct TopSession: ~Copyable {
  /// The shortest time between two drawings, in microseconds.
  private static let shortestPause: Microseconds = 50_000
  /// How often the daemon is asked for its status.
  private static let period: Microseconds = 1_000_000
  /// How soon after Escape something must follow that belongs to it.
  private static let escapeTime: Microseconds = 50_000

  private var model: TopModel
  /// The connection to the daemon; `nil` where it is gone.
  private var client: DaemonClient?
  private var screen = LiveScreen(.screen)
  private var decoder = InputDecoder()
  private let signals = StopSignals()
  private var frame: TopFrame

  private var isStale = true
  private var drawn: Microseconds = 0
  /// When the daemon is asked next. The first turn asks, and begins to watch, before anything is drawn: keys light up from the
  /// first screen on.
  private var nextStatus = monotonicNow()
  /// The daemon's stream of the device, by which keys light up; `nil` where the device cannot be watched.
  private var watched: DaemonStream?
  private var escapeEnd: Microseconds?

  /// - Parameter client: The connection over which the status came.
  init(_ model: TopModel, asking client: consuming DaemonClient) {
    // Writing to a terminal that is gone must not end the process before it has put things in order.
    signal(SIGPIPE, SIG_IGN)
    self.model = model
    self.client = consume client
    frame = TopScreen.draw(model, on: Sheet(columns: 0, rows: 0))
  }

  /// Shows the screen until the person quits, a signal asks to, or the terminal is gone.
  consuming func run() throws {
    waitForForeground()
    guard screen.begin() else { throw CommandError.noTerminal }
    while true {
      refresh()
      guard draw() else { return }
      let isTyped = wait()
      lightKeys()
      while let signal = signals.next() {
        switch signal {
        case SIGWINCH: isStale = true
        case SIGTSTP:
          guard suspend() else { return }
        default: return
        }
      }
      guard heed(isTyped) else { return }
    }
  }

  /// Whether there is something to read from the terminal.
  private mutating func wait() -> Bool {
    let due = [
      isStale ? drawn + Self.shortestPause : nil, nextStatus, model.live.due, escapeEnd,
    ].compactMap(\.self).min()
    var descriptors = [STDIN_FILENO, signals.descriptor, watched?.descriptor ?? -1]
      .map(pollfd.init(reading:))
    poll(&descriptors, until: due)
    return descriptors[0].revents != 0
  }

  private mutating func refresh() {
    let now = monotonicNow()
    if model.live.advance(to: now) { isStale = true }
    guard now >= nextStatus else { return }
    do {
      model.receive(try ask { client throws(ControlError) in try client.status() })
      watchDevice()
    } catch .unreachable(.canceled) {
      // A signal came, and is heeded next.
    } catch {
      model.trouble = (text: "\(error)", isGone: error == .notRunning || error == .ended)
    }
    nextStatus = monotonicNow() + Self.period
    isStale = true
  }

  private mutating func lightKeys() {
    let now = monotonicNow()
    while let entry = watched?.read() {
      isStale = true
      if case .closed = entry {
        watched = nil
        model.live = LiveKeys()
        // A daemon that was taken over may end each recording at once.
        nextStatus = monotonicNow() + 200_000
      } else {
        model.live.receive(entry, at: now)
      }
    }
  }

  private mutating func draw() -> Bool {
    let now = monotonicNow()
    guard isStale, now >= drawn + Self.shortestPause || drawn == 0 else { return true }
    frame = TopScreen.draw(model, on: screen.sheet)
    (isStale, drawn) = (false, now)
    return screen.paint(frame.grid)
  }

  private mutating func heed(_ isTyped: Bool) -> Bool {
    var inputs: [Input] = []
    if isTyped {
      guard let bytes = screen.read() else { return false }
      inputs = decoder.receive(bytes)
      escapeEnd = decoder.isWaiting ? monotonicNow() + Self.escapeTime : nil
    } else if let end = escapeEnd, monotonicNow() >= end {
      inputs = decoder.finish()
      escapeEnd = nil
    }
    let node = model.device?.node
    defer { if model.device?.node != node { watchDevice() } }
    for input in inputs {
      isStale = true
      guard let action = model.receive(input, on: frame) else { continue }
      guard perform(action) else { return false }
    }
    return true
  }

  private mutating func perform(_ action: TopModel.Action) -> Bool {
    do {
      switch action {
      case .quit: return false
      case .call(let arguments): return call(arguments)
      case .reload:
        let problem = try ask { client throws(ControlError) in try client.reload() }.first
        model.message =
          if let problem {
            StyledText("Not reloaded: \(problem.printable)", .red)
          } else {
            StyledText("The daemon has reloaded its settings.", .bold)
          }
      case .pause(let node, let isPaused):
        try ask { client throws(ControlError) in
          if isPaused { try client.pause(node) } else { try client.resume(node) }
        }
        model.message = StyledText(
          isPaused ? "Paused: everything passes, chatter too." : "Debounced again.", .bold)
        nextStatus = monotonicNow()
      }
    } catch ControlError.unreachable(.canceled) {
      // A signal came before the answer. The next status shows what the daemon has done.
      nextStatus = monotonicNow()
    } catch {
      model.message = StyledText("\(error)", .red)
    }
    return true
  }
}

// MARK: - The daemon

extension TopSession {
  /// Asks the daemon over the connection that is there, or over a new one. After a failure the next question makes a new one.
  private mutating func ask<Answer>(
    _ question: (inout DaemonClient) throws(ControlError) -> Answer
  ) throws(ControlError) -> Answer {
    // Ctrl-C must not wait until a daemon that is late has answered.
    let stop = signals.descriptor
    var client: DaemonClient
    if let open = self.client.take() {
      client = open
      client.interruption = stop
    } else {
      client = try DaemonClient(toCall: .status, interruptedBy: stop)
    }
    let answer = try question(&client)
    self.client = consume client
    return answer
  }

  private mutating func watchDevice() {
    guard let node = model.device?.node, watched?.path != node else { return }
    watched = nil
    do {
      let stop = signals.descriptor
      watched = try DaemonClient.watch(node, interruptedBy: stop).map {
        socket throws(ControlError) in
        try DaemonStream(node, socket, interruptedBy: stop)
      }
      model.live = LiveKeys()
    } catch .unreachable(.canceled) {
      // A signal came, and is heeded next.
    } catch {
      model.live = LiveKeys(blindness: "Keys do not light up: \(error)")
    }
  }
}

// MARK: - The terminal meanwhile

extension TopSession {
  /// Has another subcommand use the terminal.
  private mutating func call(_ arguments: [String]) -> Bool {
    screen.leave()
    // This process reads nothing meanwhile.
    watched = nil
    do {
      try runInForeground(arguments)
    } catch {
      report("error: \(error)")
    }
    // Ctrl-C at the keyboard was meant for the command. SIGTERM and SIGHUP are meant for top, too.
    while let signal = signals.next() {
      if signal == SIGTERM || signal == SIGHUP { return false }
    }
    report("Enter goes back to the screen")
    while true {
      var descriptors = [STDIN_FILENO, signals.descriptor].map(pollfd.init(reading:))
      poll(&descriptors, until: nil)
      while let signal = signals.next() {
        switch signal {
        // The screen would cover what the command has shown. It is drawn for the new size when it comes back.
        case SIGWINCH: break
        case SIGTSTP: return suspend()
        default: return false
        }
      }
      if descriptors[0].revents != 0 { return screen.read()?.isEmpty == false && resume() }
    }
  }

  /// Stops the process as Ctrl-Z does elsewhere. The terminal is the shell's meanwhile.
  ///
  /// - Returns: Whether the screen can go on.
  private mutating func suspend() -> Bool {
    screen.leave()
    watched = nil
    raise(SIGSTOP)
    waitForForeground()
    return resume()
  }

  /// Stops the process as long as the terminal is another's.
  private func waitForForeground() {
    while screen.isAnothers { raise(SIGSTOP) }
  }

  private mutating func resume() -> Bool {
    (isStale, drawn) = (true, 0)
    nextStatus = monotonicNow()
    return screen.begin()
  }
}

/// Runs another subcommand of this program in the same terminal, and waits for its end. Ctrl-C and Ctrl-Z are for it; if it
/// is stopped, so is this process until it goes on.
///
/// - Throws: `Errno` if it cannot be started.
private func runInForeground(_ arguments: [String]) throws(Errno) {
  var attributes = posix_spawnattr_t()
  posix_spawnattr_init(&attributes)
  // This process has signals blocked that end the other, and ignores SIGPIPE.
  var none = sigset_t()
  sigemptyset(&none)
  var usual = none
  sigaddset(&usual, SIGPIPE)
  posix_spawnattr_setsigmask(&attributes, &none)
  posix_spawnattr_setsigdefault(&attributes, &usual)
  posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
  let words = (["keydebounce"] + arguments).map { strdup($0) }
  defer {
    for word in words { free(word) }
    posix_spawnattr_destroy(&attributes)
  }
  var child = pid_t()
  let failure = posix_spawn(&child, "/proc/self/exe", nil, &attributes, words + [nil], environ)
  guard failure == 0 else { throw Errno(rawValue: failure) }
  var status: CInt = 0
  while true {
    let ended = waitpid(child, &status, WUNTRACED)
    if ended < 0, errno == EINTR { continue }
    // As WIFSTOPPED has it.
    guard ended == child, status & 0xff == 0x7f else { return }
    raise(SIGSTOP)
    kill(child, SIGCONT)
  }
}
