import Calibration
import Configuration
import Control
import Debounce
import EventDevices
import Files
import Glibc
import SystemPackage
import TerminalText

/// Listens to one device until enough is known or it is told to stop, and shows the person how far it is.
struct CalibrationSession: ~Copyable {
  /// Why it has ended.
  enum End {
    /// All that was asked for was done.
    case done
    /// By this signal.
    case stopped(CInt)
    /// The person held the panic chord.
    case panic
    /// The device was unplugged.
    case gone
  }

  /// What is done with what the device sends.
  enum Task {
    case guided(GuidedSession)
    case passive(Observer)
  }

  private(set) var task: Task
  private let title: String
  private var steering: SteeringKeys
  private var display: LiveDisplay
  private var order: SteeringKeys.Order?
  private var isLent = false
  private var lastFrame: Microseconds = 0
  /// What was said last, where nothing moves: the request, and how far it was.
  private var said: (request: GuidedSession.Request, quarters: Int)?

  init(_ task: Task, title: String, chord: [KeyCode]) {
    self.task = task
    self.title = title
    steering = SteeringKeys(chord: chord)
    let isGuided = if case .guided = task { true } else { false }
    display = LiveDisplay(
      wantsScreen: isGuided, least: (columns: GuidedScreen.columns, rows: GuidedScreen.rows))
  }

  /// Listens to the device until something ends it.
  ///
  /// - Parameters:
  ///   - source: The device, opened and not grabbed.
  ///   - loan: What the daemon may have lent. It is given back before the function returns.
  mutating func listen(
    to source: consuming Source, _ loan: consuming BorrowedDevice
  ) throws -> End {
    // A terminal that goes away must not end the process: the keyboard is to be given back.
    signal(SIGPIPE, SIG_IGN)
    let signals = StopSignals(and: [SIGTSTP, SIGWINCH])
    defer { signals.unblock([SIGTSTP, SIGWINCH]) }
    var keyboard = SilentTerminal()
    defer { display.hide() }
    let path = source.path
    isLent = loan.isLent
    while true {
      // Events that came before now must be heard before now is told of.
      let now = monotonicNow()
      guard drain(&source) else { return .gone }
      if order == .panic { return .panic }
      advance(to: now)
      if case .guided(let session) = task, session.request == .done { return .done }
      draw(now)
      try loan.renew(now: now)

      var descriptors = [
        pollfd(fd: source.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: keyboard.isSilent ? STDIN_FILENO : -1, events: Int16(POLLIN), revents: 0),
      ]
      let timeout = timeout(now, upTo: loan.renewal)
      guard poll(&descriptors, nfds_t(descriptors.count), timeout) >= 0 || errno == EINTR else {
        throw FileError(operation: "wait for", path: path, reason: Errno(rawValue: errno))
      }
      if descriptors[2].revents != 0 { keyboard.discardInput() }
      while let signal = signals.next() {
        switch signal {
        case SIGWINCH: display.redraw()
        case SIGTSTP:
          // What is typed while the command is stopped is not meant for it.
          display.hide()
          keyboard.restore()
          let wasLent = loan.giveBack()
          raise(SIGSTOP)
          keyboard.silence()
          if wasLent { try loan.borrowAgain() }
          source = try Source(path: path)
          interrupt()
        default:
          _ = drain(&source)
          advance(to: monotonicNow())
          return .stopped(signal)
        }
      }
    }
  }

  /// Takes what the source has sent.
  ///
  /// - Returns: Whether the device is still there.
  private mutating func drain(_ source: inout Source) -> Bool {
    while true {
      switch source.read() {
      case .frame:
        hear(source.frame)
        if order == .panic { return true }
      case .resynchronised: interrupt()
      case .nothing: return true
      case .gone: return false
      }
    }
  }

  private mutating func hear(_ frame: borrowing Frame) {
    lastFrame = frame.time
    switch task {
    case .guided(var session):
      order = steering.hear(frame, asked: session.request.key)
      switch order {
      case .skip: session.skip()
      case .back: session.back()
      case .panic, nil: session.hear(frame)
      }
      task = .guided(session)
    case .passive(var observer):
      let order = steering.hear(frame, asked: nil)
      // Whoever works on moves the cursor.
      self.order = order == .panic ? .panic : nil
      observer.hear(frame, during: .typing)
      task = .passive(observer)
    }
  }

  private mutating func advance(to now: Microseconds) {
    switch task {
    case .guided(var session):
      session.advance(to: now)
      task = .guided(session)
    case .passive(var observer):
      observer.advance(to: now)
      task = .passive(observer)
    }
  }

  private mutating func interrupt() {
    steering.forget()
    switch task {
    case .guided(var session):
      session.interrupt()
      task = .guided(session)
    case .passive(var observer):
      observer.interrupt()
      task = .passive(observer)
    }
  }

  /// How long to wait at most, in milliseconds.
  private func timeout(_ now: Microseconds, upTo renewal: Microseconds?) -> CInt {
    var pause: Microseconds?
    switch task {
    case .guided(let session):
      if case .tap = session.request, display.kind == .screen, now - lastFrame < 60_000_000 {
        // The beat; it rests when the person has gone.
        pause = 25_000
      } else {
        // After a pause nothing goes on.
        pause = now - lastFrame < 3_000_000 ? 100_000 : nil
      }
    case .passive:
      pause = now - lastFrame < 1_000_000 ? 200_000 : nil
    }
    let next = [pause, renewal.map { $0 - now }].compactMap(\.self).min()
    // Rounded up: waking too early would mean to wake again and again.
    return next.map { CInt(clamping: max(0, ($0 + 999) / 1000)) } ?? -1
  }
}

// MARK: - What the person sees

extension CalibrationSession {
  private mutating func draw(_ now: Microseconds) {
    switch task {
    case .guided(let session):
      let screen = GuidedScreen(title: title, session: session, now: now, isLent: isLent)
      if display.kind == .screen {
        display.show(screen.lines(on: display.sheet))
      } else {
        say(screen)
      }
    case .passive(let observer):
      guard display.kind == .line else { return }
      let suspects = Analysis(observer).suspects().prefix(5).map { KeyNames.name(of: $0) }
      var text = "listening: \(observer.typedStrokes.counted("stroke"))"
      if !suspects.isEmpty { text += "; suspects: \(suspects.joined(separator: ", "))" }
      let sheet = display.sheet
      display.show([
        sheet.line([StyledText(String(text.prefix(max(20, sheet.columns - 1))), .faint)])
      ])
    }
  }

  /// Says what to do next, and now and then how far it is.
  private mutating func say(_ screen: GuidedScreen) {
    let session = screen.session
    let quarters = Int(session.progress.fraction * 4)
    guard said?.request != session.request else {
      guard let before = said?.quarters, quarters > before else { return }
      said?.quarters = quarters
      return display.say("\(quarters * 25) %")
    }
    if said == nil { display.say("the key Right skips a step, Left goes back to the one before") }
    said = (session.request, quarters)
    guard session.request != .done else { return }
    display.say("\(screen.heading). \(screen.task)")
  }
}

extension GuidedSession.Request {
  /// The key that is asked for.
  var key: KeyCode? {
    switch self {
    case .tap(let key, _), .hold(let key, _), .doubleTap(let key): key
    case .type, .done: nil
    }
  }
}
