import ArgumentParser
import Calibration
import Configuration
import Debounce
import EventDevices
import Glibc
import Terminal

/// The calibration of a device that is plugged in.
struct LiveCalibration {
  let device: String?
  let isPassive: Bool
  /// Keys to be looked at closely, whatever the typing shows.
  let keys: [KeyCode]
  /// Where the configuration is.
  let places: ConfigurationPlaces
  /// Whether nothing is to move, for a screen reader.
  let isPlain: Bool

  /// What is found; `nil` if nothing was measured, or the person wants nothing.
  func findings() throws -> CalibrationFindings? {
    let settings = try LoadedSettings(readingFrom: places).settings
    let chooser = DeviceChooser(settings: settings)
    guard let node = try device.map({ try chooser.device(named: $0) }) ?? chooser.pressedDevice()
    else { return nil }
    let description = DeviceDescription(node)
    let chord = Settings.panicChord(
      try settings.device(for: description)?.panicChord ?? settings.panicChord, on: node.keys)
    let stream = isPassive ? try DaemonStream.open(node.path) : nil
    var session: GuidedSession?
    if !isPassive {
      session = GuidedSession()
      for key in keys { session?.add(key) }
    }
    var watch: DeviceWatch
    var isHandedOver = false
    report("listening to “\(node.title)” (\(node.path)); Ctrl-C ends it")
    if let stream {
      watch = DeviceWatch()
      watch.add(stream)
      report("the daemon holds the device and debounces it meanwhile")
    } else {
      let source = try Source(path: node.path)
      let device = try HandedOverDevice(node.path)
      isHandedOver = device.isHandedOver
      device.reportState()
      watch = DeviceWatch(device)
      watch.add(source)
    }

    var measurement = Measurement(
      session, title: "\(node.title) (\(node.path))", chord: chord, isPlain: isPlain)
    let end = try watch.run(&measurement)
    measurement.hide()
    if isHandedOver { report("the device is the daemon's again") }
    guard !measurement.isPanic else {
      report("ended by the panic chord; nothing was written")
      throw ExitCode(ExitStatus.panicChord.rawValue)
    }
    var mayAsk = true
    switch end {
    case .gone: report("the device was unplugged")
    case .stopped(SIGINT), .finished: break
    case .stopped(SIGTERM): mayAsk = false
    case .stopped: return nil
    }
    var tape = measurement.tape
    tape.interrupt()
    guard tape.presses > 0 || isPassive else { return nil }
    return CalibrationFindings(
      of: tape, device: description, method: isPassive ? .passive : .guided, places: places,
      mayAsk: mayAsk)
  }
}

/// Where a command draws what changes while it runs: a screen of its own, a line that is rewritten, or plain lines.
///
/// The terminal shows what it did before when the value ends.
struct LiveDisplay: ~Copyable {
  enum Kind {
    /// The whole screen, if it is large enough.
    case screen
    /// One line.
    case line
    /// Nothing that moves: a file, or a terminal without such commands.
    case plain
  }

  private let terminal: Terminal
  let kind: Kind
  private var isShown = false
  private var shown: [String] = []

  /// - Parameters:
  ///   - wantsScreen: Whether there is enough to show for a whole screen.
  ///   - least: How large the screen must be for that.
  ///   - isPlain: Whether nothing is to move, for a screen reader.
  init(wantsScreen: Bool, least: (columns: Int, rows: Int), isPlain: Bool) {
    let output = Terminal.standardOutput
    terminal = output.isTerminal ? output : .standardError
    let isLarge = terminal.columns >= least.columns && (terminal.rows ?? 0) >= least.rows
    kind =
      !terminal.isTerminal || terminal.isDumb || isPlain
      ? .plain : !wantsScreen ? .line : isLarge ? .screen : .plain
  }

  deinit {
    Self.hide(kind, terminal, isShown)
  }

  /// What it is laid out for, as large as it is now.
  var sheet: Sheet { Sheet(for: terminal) }

  /// Shows lines in place of those before.
  mutating func show(_ lines: [String]) {
    guard kind != .plain, !isShown || lines != shown else { return }
    var text = ""
    if kind == .screen {
      if !isShown { text += "\u{1b}[?1049h\u{1b}[?25l\u{1b}[2J" }
      text += "\u{1b}[H" + lines.map { "\u{1b}[2K" + $0 }.joined(separator: "\r\n") + "\u{1b}[J"
    } else {
      text += "\r\u{1b}[2K" + (lines.first ?? "")
    }
    isShown = true
    shown = lines
    try? terminal.write(text)
  }

  /// Writes a line that stays, where nothing moves.
  func announce(_ text: String) {
    guard kind == .plain else { return }
    report(text)
  }

  /// Everything must be redrawn: the terminal has another size.
  mutating func redraw() {
    guard isShown else { return }
    shown = []
    if kind == .screen { try? terminal.write("\u{1b}[2J") }
  }

  /// Makes the terminal show what it showed before.
  mutating func hide() {
    Self.hide(kind, terminal, isShown)
    isShown = false
    shown = []
  }

  private static func hide(_ kind: Kind, _ terminal: Terminal, _ isShown: Bool) {
    guard isShown else { return }
    try? terminal.write(kind == .screen ? "\u{1b}[?25h\u{1b}[?1049l" : "\r\u{1b}[K")
  }
}
