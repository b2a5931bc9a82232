import Bus
import Debounce
import EventDevices
import Glibc
import Status
import Terminal

/// Runs the screen of `top`: waits for keys, signals and moments, and passes each to the model.
///
/// The terminal is as before when the value ends.
struct TopSession: ~Copyable {
  /// The shortest time between two drawings, in microseconds.
  private static let shortestPause: Microseconds = 50_000
  /// What was counted on each day is asked for less often: that is more.
  private static let periodOfDays: Microseconds = 30_000_000
  /// How soon after Escape something must follow that belongs to it.
  private static let escapeTime: Microseconds = 50_000

  private var model: TopModel
  /// The connection to the daemon; `nil` where it is gone, or nobody is asked.
  private var client: DaemonClient?
  private var screen = LiveScreen(.screen, hasMouse: true)
  private var decoder = InputDecoder()
  private let signals = StopSignals()
  private let colours: ColourDepth
  private var frame: TopFrame

  private var isStale = true
  private var drawn: Microseconds = 0
  /// When the daemon is asked; `nil` if nobody is.
  private var schedule: StatusSchedule?
  private var nextDays: Microseconds = 0
  /// What lights keys up; `nil` where the device cannot be watched.
  private var watched: DaemonStream?
  private var escapeEnd: Microseconds?

  /// - Parameters:
  ///   - model: With a status.
  ///   - client: Over which announcements are received; `nil` if the status is from a file.
  init(_ model: TopModel, asking client: consuming DaemonClient?) {
    // Not even a terminal that is gone ends it before it has put things in order.
    signal(SIGPIPE, SIG_IGN)
    func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
    self.model = model
    self.client = client
    colours = ColourDepth(
      hasColours: TextOutput.standard.hasColours, type: variable("TERM"),
      trueColour: variable("COLORTERM"))
    frame = TopScreen.draw(model, columns: 0, rows: 0)
    schedule = model.isFixed ? nil : StatusSchedule(isRoot: model.isRoot, at: monotonicNow())
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
        case SIGTSTP: suspend()
        default: return
        }
      }
      guard heed(isTyped) else { return }
    }
  }

  /// Whether there is something to read from the terminal.
  private mutating func wait() -> Bool {
    let announcements = takeChanges()
    let due = [
      isStale ? drawn + Self.shortestPause : nil, schedule?.due, model.live.due, escapeEnd,
    ].compactMap(\.self).min()
    var descriptors = [STDIN_FILENO, signals.descriptor, watched?.descriptor ?? -1]
      .map(pollfd.init(reading:))
    if let announcements { descriptors.append(announcements) }
    poll(&descriptors, until: due)
    return descriptors[0].revents != 0
  }

  private mutating func refresh() {
    let now = monotonicNow()
    if model.live.advance(to: now) { isStale = true }
    guard let due = schedule?.due, now >= due else { return }
    do {
      let status = try ask { client throws(ControlError) in try client.status() }
      model.receive(status)
      schedule?.receive(status, at: monotonicNow())
      showDevice()
    } catch {
      model.receive(trouble: "\(error)", isGone: error == .notRunning)
      schedule?.receiveNothing(at: monotonicNow())
    }
    isStale = true
  }

  private mutating func lightKeys() {
    guard let watched else { return }
    guard let sights = watched.sights() else {
      self.watched = nil
      model.live = LiveKeys()
      schedule?.somethingHappened()
      isStale = true
      return
    }
    guard !sights.isEmpty else { return }
    let now = monotonicNow()
    for sight in sights { model.live.receive(sight, at: now) }
    schedule?.keyMoved()
    isStale = true
  }

  /// Draws what has changed, if it is time.
  private mutating func draw() -> Bool {
    let now = monotonicNow()
    guard isStale, now >= drawn + Self.shortestPause || drawn == 0 else { return true }
    let (columns, rows) = screen.size
    frame = TopScreen.draw(
      model, columns: columns, rows: rows, characters: .ofLocale, colours: colours)
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
    defer { if model.device?.node != node { showDevice() } }
    for input in inputs {
      isStale = true
      // What is clicked is what is shown, and a key may follow another before that is drawn.
      guard let action = model.receive(input, on: frame) else { continue }
      guard perform(action) else { return false }
    }
    return true
  }

  private mutating func perform(_ action: TopModel.Action) -> Bool {
    do {
      switch action {
      case .quit: return false
      case .calibrate(let node, let key):
        return call(["calibrate", node] + (key.map { ["--key", $0] } ?? []))
      case .leave(let node): return call(["leave", node])
      case .reload:
        let problems = try ask { client throws(ControlError) in try client.reload() }
        model.message =
          if let problem = problems.first {
            TopModel.Message(text: "Not reloaded: \(problem.printable)", isError: true)
          } else {
            TopModel.Message(text: "The daemon has reloaded its settings.")
          }
      case .pause(let node, let isPaused):
        try ask { client throws(ControlError) in
          if isPaused { try client.pause(node) } else { try client.resume(node) }
        }
        model.message = TopModel.Message(
          text: isPaused ? "Paused: everything passes, chatter too." : "Debounced again.")
        schedule?.somethingHappened()
      }
    } catch {
      model.message = TopModel.Message(text: "\(error)", isError: true)
    }
    return true
  }
}

// MARK: - The daemon

extension TopSession {
  /// Asks the daemon. The connection stays, also where it refuses or has ended: the bus announces what becomes of it. A new one is
  /// made where ``takeChanges()`` has found it gone.
  private mutating func ask<Answer>(
    _ question: (borrowing DaemonClient) throws(ControlError) -> Answer
  ) throws(ControlError) -> Answer {
    if client == nil { client = try DaemonClient.listening() }
    guard let client = client.take() else { preconditionFailure("just made") }
    let answer: Result<Answer, ControlError>
    do {
      answer = .success(try question(client))
    } catch {
      answer = .failure(error)
    }
    self.client = consume client
    return try answer.get()
  }

  /// Takes what the daemon has announced, or that it cannot announce anything any more.
  ///
  /// - Returns: What to wait for, because it may announce more; `nil` if there is nothing.
  private mutating func takeChanges() -> pollfd? {
    guard let client = client.take() else { return nil }
    let hasChanged = client.takeChanges()
    if hasChanged != false { schedule?.somethingHappened() }
    guard hasChanged != nil else { return nil }
    let announcements = client.poll
    self.client = consume client
    return announcements
  }

  /// Asks for what only belongs to the device that is shown.
  private mutating func showDevice() {
    guard !model.isFixed, let device = model.device else { return }
    isStale = true
    let (node, now) = (device.node, monotonicNow())
    if device.counts != nil, now >= nextDays || model.counted == nil {
      let days = try? ask { client throws(ControlError) in try client.history(of: node) }
      model.counted = days.map { ($0, Day(unixTime: time(nil))) }
      nextDays = now + Self.periodOfDays
    }
    guard watched?.path != node else { return }
    watched = nil
    guard model.isRoot else {
      model.live = LiveKeys(blindness: "Only root sees keys light up.")
      return
    }
    do {
      watched = try ask { client throws(ControlError) in try client.watch(node) }
        .map { DaemonStream(node, $0) }
      model.live = LiveKeys(isWatching: watched != nil)
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
    // The daemon may hand the device over to the command, and this process reads nothing meanwhile.
    watched = nil
    do {
      try ChildProcess.runInForeground(arguments)
    } catch {
      report("error: \(error)")
    }
    // What the person stopped at the keyboard was the command. Who asks for the end otherwise means this one, too.
    while let signal = signals.next() {
      if signal == SIGTERM || signal == SIGHUP { return false }
    }
    report("Enter goes back to the screen")
    var descriptors = [STDIN_FILENO, signals.descriptor].map(pollfd.init(reading:))
    repeat { poll(&descriptors, until: nil) } while descriptors.allSatisfy { $0.revents == 0 }
    return (descriptors[0].revents == 0 || screen.read()?.isEmpty == false) && resume()
  }

  /// Stops the process as Ctrl-Z does elsewhere. The terminal is the shell's meanwhile.
  private mutating func suspend() {
    screen.leave()
    watched = nil
    raise(SIGSTOP)
    waitForForeground()
    _ = resume()
  }

  /// Stops the process as long as the terminal is another's.
  private func waitForForeground() {
    while screen.isAnothers { raise(SIGSTOP) }
  }

  private mutating func resume() -> Bool {
    (isStale, drawn) = (true, 0)
    schedule?.somethingHappened()
    return screen.begin()
  }
}
