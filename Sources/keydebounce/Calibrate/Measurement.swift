import Calibration
import Debounce
import EventDevices
import Recording
import Terminal

/// The measurement of one device, or of a recording: receives what it sends until enough is known, and shows how far it is.
struct Measurement: DeviceWatcher, ~Copyable {
  /// The exercises through which the person is led; `nil` if they work as usual.
  private var session: GuidedSession?
  /// The tape of ordinary work, where nobody is led.
  private var work = Tape()
  /// Whether the person held the panic chord.
  private(set) var isPanic = false
  /// The daemon's counts meanwhile, if it shows the device.
  private(set) var counters = Counters()
  /// How often events were lost before they came here.
  private(set) var losses = 0

  /// The tape of what was measured.
  var tape: Tape { session?.tape ?? work }

  /// The device, as the person knows it.
  private let title: String
  /// The labels of keys whose names do not say them.
  private let labels: [KeyCode: String]
  private var steering: SteeringKeys
  private var lastFrame: Microseconds = 0
  /// The last announcement where the display does not move: the step, and how many quarters of it were done.
  private var announced: (step: Int, quarters: Int)?

  /// - Parameter chord: The keys that end the measurement when they are held together.
  init(
    _ session: GuidedSession?, title: String, chord: [KeyCode], labels: [KeyCode: String]
  ) {
    (self.session, self.title, self.labels) = (session, title, labels)
    steering = SteeringKeys(chord: chord)
  }

  mutating func receive(_ entry: RecordingParser.Entry, from device: Int) {
    switch entry {
    case .raw(let frame) where !frame.saysEventsWereLost: receive(frame)
    case .raw(let frame):
      losses += 1
      lose(until: frame.time)
    case .lost(let lines, _, let time):
      if lines > 0 { losses += 1 }
      lose(until: time)
    case .outcome(let outcome): counters.count(outcome)
    // Another recording of the device may follow.
    case .closed: work.interrupt()
    // Only raw frames show the switch.
    case .clean, .reset, .paused: break
    }
  }

  private mutating func receive(_ frame: Frame) {
    guard !isPanic else { return }
    lastFrame = frame.time
    guard let session else {
      // Ordinary work uses the arrow keys, too: only the panic chord is an order.
      isPanic = steering.receive(frame, asked: nil) == .panic
      return work.receive(frame, during: .typing)
    }
    switch steering.receive(frame, asked: session.request?.key) {
    case .skip: self.session?.skip()
    case .back: self.session?.back()
    case .panic: isPanic = true
    case nil: self.session?.receive(frame)
    }
  }

  mutating func advance(
    to now: Microseconds, on screen: inout LiveScreen
  ) -> DeviceWatch.Next {
    guard !isPanic else { return .end }
    session?.advance(to: now)
    if let session, session.request == nil { return .end }
    draw(now, on: &screen)
    return .wait(until: pause(at: now, on: screen.kind).map { now + $0 })
  }

  /// Drops what was begun: it is not known what happened from the last edge on.
  private mutating func lose(until time: Microseconds) {
    steering.forget()
    session?.lose(until: time)
    work.lose(until: time)
  }

  /// After how long the display changes though nothing is pressed; `nil` if it does not.
  private func pause(at now: Microseconds, on screen: LiveScreen.Kind) -> Microseconds? {
    let idle = now - lastFrame
    guard let session else { return idle < 1_000_000 ? 200_000 : nil }
    // The beat; it rests when the person has gone.
    if case .taps? = session.request, screen == .screen, idle < 60_000_000 { return 25_000 }
    return idle < 3_000_000 ? 100_000 : nil
  }
}

// MARK: - What the person sees

extension Measurement {
  private mutating func draw(_ now: Microseconds, on display: inout LiveScreen) {
    guard let session else {
      guard display.kind == .line else { return }
      let sheet = display.sheet
      let text = "listening: \(work.presses.counted("press"))"
      return display.show([
        sheet.line([StyledText(String(text.prefix(max(20, sheet.columns - 1))), .faint)])
      ])
    }
    let screen = GuidedScreen(title: title, session: session, now: now, labels: labels)
    if display.kind == .screen {
      display.show(screen.lines(on: display.sheet))
    } else if display.kind == .lines {
      announce(screen)
    }
  }

  /// Announces what to do next, and each quarter of it that is done.
  private mutating func announce(_ screen: GuidedScreen) {
    let session = screen.session
    let quarters = Int(session.progress.fraction * 4)
    guard announced?.step != session.steps else {
      guard let before = announced?.quarters, quarters > before else { return }
      announced?.quarters = quarters
      return report("\(quarters * 25) %")
    }
    if announced == nil {
      report("the key Right skips a step, Left goes back to the one before")
    }
    announced = (session.steps, quarters)
    guard session.request != nil else { return }
    report("\(screen.heading). \(screen.task)")
  }
}
