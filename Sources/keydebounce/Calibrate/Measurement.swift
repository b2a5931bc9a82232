import Calibration
import Configuration
import Debounce
import Devices
import EventDevices
import Glibc
import KeyLabels
import TerminalText

/// The measurement of one device: receives what it sends until enough is known, and shows how far it is.
struct Measurement: DeviceWatcher, ~Copyable {
  /// How the device is measured.
  enum Method {
    /// The person does what is asked for.
    case guided(GuidedSession)
    /// The person works as usual.
    case passive(Observer)
  }

  private(set) var method: Method
  /// Whether the person held the panic chord.
  private(set) var isPanic = false

  private let title: String
  private let labels = LayoutLabels.ofSystem(in: .ofLocale)
  private var steering: SteeringKeys
  private var display: LiveDisplay
  private var lastFrame: Microseconds = 0
  /// What was announced last where the display does not move: the request, and the quarters of it that were done.
  private var announced: (request: GuidedSession.Request, quarters: Int)?

  /// - Parameters:
  ///   - title: The device, as the person knows it.
  ///   - chord: The keys that end the measurement when they are held together.
  ///   - isPlain: Whether nothing is to move, for a screen reader.
  init(_ method: Method, title: String, chord: [KeyCode], isPlain: Bool) {
    self.method = method
    self.title = title
    steering = SteeringKeys(chord: chord)
    let isGuided = if case .guided = method { true } else { false }
    display = LiveDisplay(
      wantsScreen: isGuided, least: (columns: GuidedScreen.columns, rows: GuidedScreen.rows),
      isPlain: isPlain)
  }

  mutating func receive(_ frame: borrowing Frame, from device: Int) {
    guard !isPanic else { return }
    lastFrame = frame.time
    switch method {
    case .guided(var session):
      switch steering.receive(frame, asked: session.request.key) {
      case .skip: session.skip()
      case .back: session.back()
      case .panic: isPanic = true
      case nil: session.receive(frame)
      }
      method = .guided(session)
    case .passive(var observer):
      // Ordinary work moves the cursor: no other order counts.
      isPanic = steering.receive(frame, asked: nil) == .panic
      observer.receive(frame, during: .typing)
      method = .passive(observer)
    }
  }

  mutating func resynchronise(held: KeySet, others: borrowing Frame) {
    interrupt()
  }

  mutating func advance(to now: Microseconds) -> DeviceWatch.Next {
    guard !isPanic else { return .end }
    switch method {
    case .guided(var session):
      session.advance(to: now)
      method = .guided(session)
      if session.request == .done { return .end }
    case .passive(var observer):
      observer.advance(to: now)
      method = .passive(observer)
    }
    draw(now)
    return .wait(until: pause(at: now).map { now + $0 })
  }

  mutating func suspend() {
    display.hide()
  }

  mutating func resume(at now: Microseconds) {
    interrupt()
  }

  mutating func resize() {
    display.redraw()
  }

  /// Takes the display away: what is written now belongs below it.
  mutating func hide() {
    display.hide()
  }

  /// Drops what was begun: it is not known what happened meanwhile.
  private mutating func interrupt() {
    steering.forget()
    switch method {
    case .guided(var session):
      session.interrupt()
      method = .guided(session)
    case .passive(var observer):
      observer.interrupt()
      method = .passive(observer)
    }
  }

  /// After how long the display changes though nothing is pressed; `nil` if it does not.
  private func pause(at now: Microseconds) -> Microseconds? {
    let idle = now - lastFrame
    switch method {
    case .guided(let session):
      // The beat; it rests when the person has gone.
      if case .tap = session.request, display.kind == .screen, idle < 60_000_000 { return 25_000 }
      return idle < 3_000_000 ? 100_000 : nil
    case .passive:
      return idle < 1_000_000 ? 200_000 : nil
    }
  }
}

// MARK: - What the person sees

extension Measurement {
  private mutating func draw(_ now: Microseconds) {
    switch method {
    case .guided(let session):
      let screen = GuidedScreen(title: title, session: session, now: now, labels: labels)
      if display.kind == .screen {
        display.show(screen.lines(on: display.sheet))
      } else {
        announce(screen)
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

  /// Announces what to do next, and each quarter of it that is done.
  private mutating func announce(_ screen: GuidedScreen) {
    let session = screen.session
    let quarters = Int(session.progress.fraction * 4)
    guard announced?.request != session.request else {
      guard let before = announced?.quarters, quarters > before else { return }
      announced?.quarters = quarters
      return display.announce("\(quarters * 25) %")
    }
    if announced == nil {
      display.announce("the key Right skips a step, Left goes back to the one before")
    }
    announced = (session.request, quarters)
    guard session.request != .done else { return }
    display.announce("\(screen.heading). \(screen.task)")
  }
}

extension GuidedSession.Request {
  /// The key that is asked for.
  fileprivate var key: KeyCode? {
    switch self {
    case .tap(let key, _), .hold(let key, _), .doubleTap(let key): key
    case .type, .done: nil
    }
  }
}
