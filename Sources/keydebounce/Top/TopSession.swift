import Bus
import Debounce
import EventDevices
import Glibc
import Terminal
import Status

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
  private var source: StatusSource
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

  /// - Throws: What keeps the status from being had: there is nothing to show then.
  init(_ source: consuming StatusSource, on output: TextOutput) throws {
    // Not even a terminal that is gone ends it before it has put things in order.
    signal(SIGPIPE, SIG_IGN)
    func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
    let colours = ColourDepth(
      hasColours: output.hasColours, type: variable("TERM"), trueColour: variable("COLORTERM"))
    var model = TopModel(isRoot: geteuid() == 0, isFixed: source.isFixed)
    model.receive(try source.status())
    if !source.isFixed { model.labels = LayoutLabels.ofSystem(in: .ofLocale) }
    self.init(model, from: source, in: colours)
  }

  // By itself, because Swift 6.2 does not compile an initialiser that throws when part of the value is there already.
  private init(_ model: TopModel, from source: consuming StatusSource, in colours: ColourDepth) {
    self.model = model
    self.colours = colours
    frame = TopScreen.draw(model, columns: 0, rows: 0)
    schedule = source.isFixed ? nil : StatusSchedule(isRoot: model.isRoot, at: monotonicNow())
    self.source = source
  }

  /// Shows the screen until the person quits, a signal asks to, or the terminal is gone.
  mutating func run() throws {
    waitForForeground()
    guard screen.begin() else { throw NoScreen.noTerminal }
    while true {
      refresh(at: monotonicNow())
      guard draw(at: monotonicNow()) else { return }
      let typed = wait()
      lightKeys()
      while let signal = signals.next() {
        switch signal {
        case SIGWINCH: isStale = true
        case SIGTSTP: suspend()
        default: return
        }
      }
      guard try heed(typed) else { return }
    }
  }

  /// Whether there is something to read from the terminal.
  private mutating func wait() -> Bool {
    if source.takeChanges() { schedule?.somethingHappened() }
    let now = monotonicNow()
    let due = [
      isStale ? drawn + Self.shortestPause : nil, schedule?.due, model.live.due, escapeEnd,
    ].compactMap { $0 }.min()
    // Rounded up: waking too early would mean to wake again and again.
    let timeout = due.map { CInt(clamping: max(0, ($0 - now + 999) / 1000)) } ?? -1
    // One that is negative is left out.
    var descriptors = [STDIN_FILENO, signals.descriptor, watched?.descriptor ?? -1]
      .map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    descriptors.append(source.announcements)
    return poll(&descriptors, nfds_t(descriptors.count), timeout) > 0 && descriptors[0].revents != 0
  }

  private mutating func refresh(at now: Microseconds) {
    if model.advance(to: now) { isStale = true }
    guard let due = schedule?.due, now >= due else { return }
    do {
      let status = try source.status()
      model.receive(status)
      schedule?.receive(status, at: monotonicNow())
      showDevice()
    } catch {
      let isGone = if case ControlError.notRunning = error { true } else { false }
      model.receive(trouble: "\(error)", isGone: isGone)
      schedule?.receiveNothing(at: monotonicNow())
    }
    isStale = true
  }

  /// Asks for what only belongs to the device that is shown.
  private mutating func showDevice() {
    guard !source.isFixed else { return }
    refreshDays(at: monotonicNow())
    watch()
    isStale = true
  }

  private mutating func refreshDays(at now: Microseconds) {
    guard let node = model.device?.node, model.device?.counts != nil,
      now >= nextDays || model.days == nil
    else { return }
    model.receive(source.days(of: node), today: Day(unixTime: time(nil)))
    nextDays = now + Self.periodOfDays
  }

  /// Watches the device that is shown, where this person may.
  private mutating func watch() {
    guard let node = model.device?.node, watched?.path != node else { return }
    watched = nil
    guard model.isRoot else { return model.stopWatching(because: "Only root sees keys light up.") }
    do {
      watched = try source.watch(node)
      if watched != nil { return model.beginWatching() }
      model.stopWatching(because: nil)
    } catch {
      model.stopWatching(because: "Keys do not light up: \(error)")
    }
  }

  private mutating func lightKeys() {
    let now = monotonicNow()
    guard let watched else { return }
    guard let sights = watched.sights() else {
      self.watched = nil
      model.stopWatching(because: nil)
      schedule?.somethingHappened()
      isStale = true
      return
    }
    guard !sights.isEmpty else { return }
    for sight in sights { model.receive(sight, at: now) }
    schedule?.keyMoved()
    isStale = true
  }

  /// Draws what has changed, if it is time.
  private mutating func draw(at now: Microseconds) -> Bool {
    guard isStale, now >= drawn + Self.shortestPause || drawn == 0 else { return true }
    let (columns, rows) = screen.size
    frame = TopScreen.draw(
      model, columns: columns, rows: rows, characters: .ofLocale, colours: colours)
    (isStale, drawn) = (false, now)
    return screen.paint(frame.grid)
  }

  private mutating func heed(_ isTyped: Bool) throws -> Bool {
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
      guard try perform(action) else { return false }
    }
    return true
  }

  private mutating func perform(_ action: TopModel.Action) throws -> Bool {
    switch action {
    case .quit: return false
    case .reload:
      do {
        let problems = try source.reload()
        model.message =
          problems.first.map {
            TopModel.Message("Not reloaded: \($0.printable)", isError: true)
          } ?? TopModel.Message("The daemon has reloaded its settings.")
      } catch {
        model.message = TopModel.Message("\(error)", isError: true)
      }
      return true
    case .calibrate(let node, let key):
      return try call(["calibrate", node] + (key.map { ["--key", $0] } ?? []))
    case .leave(let node): return try call(["leave", node])
    case .pause(let node, let isPaused):
      do {
        try source.pause(node, isPaused)
        model.message = TopModel.Message(
          isPaused ? "Paused: everything passes, chatter too." : "Debounced again.")
        schedule?.somethingHappened()
      } catch {
        model.message = TopModel.Message("\(error)", isError: true)
      }
      return true
    }
  }
}

// MARK: - The terminal meanwhile

extension TopSession {
  /// Has another subcommand use the terminal.
  private mutating func call(_ arguments: [String]) throws -> Bool {
    screen.leave()
    // The daemon may hand the device over to the command, and this process reads nothing meanwhile.
    watched = nil
    do {
      try ForegroundCommand.run(arguments)
    } catch {
      report("error: \(error)")
    }
    // What the person stopped at the keyboard was the command. Who asks for the end otherwise means this one, too.
    while let signal = signals.next() {
      if signal == SIGTERM || signal == SIGHUP { return false }
    }
    report("Enter goes back to the screen")
    let isThere = waitForEnter()
    return isThere && resume()
  }

  /// Waits for a line, or a signal.
  private mutating func waitForEnter() -> Bool {
    var descriptors = [STDIN_FILENO, signals.descriptor]
      .map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    while poll(&descriptors, nfds_t(descriptors.count), -1) < 0, errno == EINTR {}
    return descriptors[0].revents == 0 || screen.read()?.isEmpty == false
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
