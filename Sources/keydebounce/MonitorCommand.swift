import ArgumentParser
import Configuration
import Debounce
import EventDevices
import Recording
import Reports
import Status
import Terminal

struct MonitorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "monitor",
    abstract: "Show live what a device sends, and what keydebounce passes on.",
    discussion: """
      Shows a line for each key that goes down or up. A press has its gap: the time since the key came up. A release has its \
      hold: the time since the key went down. Beside it stands what keydebounce does: it passes the press or release on at \
      once, passes it on later, or removes it, and as what. “Short gap” marks a press that came soon after the release and passes. \
      “No drop-out” is said where a release seemed to be one, and was a bounce. Ctrl-C ends it, with a summary on standard error.

      monitor grabs nothing. If the daemon holds the device, root sees what the daemon does, and the daemon goes on debouncing. \
      If another program has grabbed the device, its keys do not come here; monitor then names the programs that have it \
      open, and says what to do.

      Everything that you type on the device is shown, passwords too.
      """)

  @Argument(
    help: .device("The device. Without it: the only one that keydebounce debounces, or a choice."),
    completion: NamedDevices.completion)
  var device: String?

  @OptionGroup var configuration: ConfigurationOption

  @Option(
    help: ArgumentHelp(
      "Show a recording instead of a device; “-” for standard input.", valueName: "file"),
    completion: .file())
  var from: String?

  @OptionGroup var plain: PlainOption

  @Flag(
    help: """
      Show other events than keys, too, such as the motion of a mouse. A step of a wheel that is removed is shown as if it \
      passed; the end says how many were removed.
      """)
  var all = false

  func validate() throws {
    if device != nil, from != nil {
      throw ValidationError("Name a device or a recording, not both.")
    }
  }

  func run() throws {
    let loaded = try configuration.load()
    if let from { return try show(recording: from, loaded) }
    let node = try NamedDevices.chosen(device) {
      Selection.automatic.takes($0, by: loaded.settings)
    }
    let (rules, source) = try loaded.rules(for: DeviceDescription(node))
    let start = monotonicNow()
    let view = try DeviceView(node.path)
    // The daemon's own settings decide on what it holds.
    report(
      "watching “\(node.identity.title)” (\(node.path))" + (view.isStream ? "" : ", \(source)"))
    report("keys that you type there are shown, passwords too; Ctrl-C ends it")
    view.reportState()
    var watch = DeviceWatch([view.device])
    // A pager reads what is typed.
    watch.discardsInput = TextOutput.standard.isTerminal
    var session = try MonitorSession(
      view.isStream ? EdgeComparison(deciding: rules.meanings) : EdgeComparison(rules),
      MonitorLines(on: plain.sheet, start: start, showsOthers: all))
    if case .gone = try watch.run(&session) { report(view.device.endInWords) }
    for line in session.comparison.tally.lines { report(line) }
  }

  private func show(recording file: String, _ loaded: LoadedSettings) throws {
    var reader = try InputFile(file).recording()
    // The head comes before the events, and determines which settings hold.
    var entry = try reader.next()
    let (rules, source) = try loaded.rules(for: DeviceDescription(reader.device.identity))
    report("“\(reader.device.identity.title)”, \(source)")
    var session = try MonitorSession(
      EdgeComparison(rules, reader.habits), MonitorLines(on: plain.sheet, showsOthers: all))
    while let present = entry {
      session.receive(present, from: 0)
      try session.draw()
      entry = try reader.next()
    }
    // Silence follows.
    try session.draw(upTo: .max)
    for line in reader.notes + session.comparison.tally.lines { report(line) }
  }
}

/// Compares, for `monitor`, the raw and the clean edges of a device or a recording, and draws them.
struct MonitorSession: DeviceWatcher {
  private(set) var comparison: EdgeComparison
  private var lines: MonitorLines
  private var isUnread = false

  init(_ comparison: EdgeComparison, _ lines: MonitorLines) throws {
    (self.comparison, self.lines) = (comparison, lines)
    if let header = lines.header { try write(header + "\n") }
  }

  mutating func receive(_ entry: RecordingParser.Entry, from device: Int) {
    // The first event counts as time 0, unless another moment does.
    if lines.start == nil, case .raw(let frame) = entry { lines.start = frame.time }
    comparison.process(entry)
  }

  mutating func advance(
    to now: Microseconds, on screen: inout LiveScreen
  ) throws -> DeviceWatch.Next {
    try draw(upTo: now)
    return isUnread ? .end : .wait(until: comparison.deadline)
  }

  /// Draws what has happened, with one write.
  ///
  /// - Parameter now: The present time; `nil` if the next event tells it.
  mutating func draw(upTo now: Microseconds? = nil) throws {
    if let now { comparison.advance(to: now) }
    let text = comparison.steps.compactMap { lines.line(for: $0) }.map { $0 + "\n" }.joined()
    comparison.removeSteps()
    if !text.isEmpty { try write(text) }
  }

  private mutating func write(_ text: String) throws {
    do {
      try TextOutput.standard.write(text)
    } catch {
      guard error.isUnread else { throw error }
      isUnread = true
    }
  }
}

/// How `monitor` draws what happens: one line for each raw edge, and one for each that is passed on later.
///
/// ```
///      TIME  KEY               DEVICE SENT         PASSED ON
///     1.204  KEY_E             ▼ gap    104.2 ms   ▼ press
///     1.212  KEY_E             ▲ hold     8.0 ms   … waits, 55.0 ms at most
///     1.220  KEY_E             ▼ gap      8.0 ms   ✗ press bounce
///     1.301  KEY_E             ▲ hold    81.1 ms   … waits, 25.0 ms at most
///     1.326  KEY_E                                 ▲ release +25.0 ms
/// ```
struct MonitorLines {
  /// A press after a shorter gap than this is pointed out even if it is passed on: few fingers are so fast. (The default
  /// strategy looks twice at gaps below 40 ms, or less where the key is tapped fast, and below 60 ms of bad keys.)
  private static let shortGap: Microseconds = 50_000

  private let sheet: Sheet
  private let marks: Marks
  private let keyWidth: Int
  private let rawWidth: Int
  private let showsOthers: Bool
  /// The moment that counts as time 0; `nil` until it is known.
  var start: Microseconds?

  /// - Parameter showsOthers: Whether events that are not of keys have lines.
  init(on sheet: Sheet, start: Microseconds? = nil, showsOthers: Bool = false) {
    (self.sheet, self.start, self.showsOthers) = (sheet, start, showsOthers)
    marks = sheet.isPlain ? .words : sheet.isUnicode ? .unicode : .ascii
    // The longest name that a usual keyboard has, KEY_KPLEFTPAREN, and more where there is room.
    keyWidth = sheet.columns >= 100 ? 28 : 16
    rawWidth = marks.press.columns + 16
  }

  /// Whether each line says all of itself, because it is read aloud, or there is no room for columns.
  private var areSentences: Bool { sheet.isPlain || sheet.columns < 76 }

  /// The titles of the columns; `nil` where lines are sentences.
  var header: String? {
    guard !areSentences else { return nil }
    let titles = [
      "TIME".aligned(to: 9), "KEY".padded(to: keyWidth), "DEVICE SENT".padded(to: rawWidth),
      "PASSED ON",
    ]
    return sheet.line([StyledText(titles.joined(separator: "  "), .bold)])
  }

  /// The line for a step; `nil` if it has none.
  func line(for step: EdgeComparison.Step) -> String? {
    switch step {
    case .edge(let edge): line(for: edge)
    case .lost(let time):
      line(time, "", "events were lost", "keys set to what is down", .magenta, from: .key)
    case .other(let event, let time):
      showsOthers
        ? line(time, event.title, "  \(event.value)", marks.other, .faint, from: .sent) : nil
    }
  }

  private func line(for edge: EdgeComparison.Edge) -> String? {
    let (outcome, sent) = (edge.outcome, sent(edge))
    let delay = "+\(inWords(outcome.time - outcome.edge))"
    func line(_ text: String, _ style: Style? = .faint, from first: Column = .passed) -> String {
      let time = sent.isEmpty ? outcome.time : outcome.edge
      return self.line(time, name(of: outcome.key), sent, text, style, from: first)
    }
    /// Chatter stands out; what was suppressed on purpose does not look like it.
    func removed(_ removal: Removal, _ rest: String = "") -> String {
      let style = if case .chatter = removal { Style.red } else { Style.blue }
      return line("\(marks.removed) \(removal.words)\(rest)", style, from: .key)
    }
    return switch outcome.kind {
    // When the edge comes:
    case .passed where edge.hasMeanings: line("\(marks.other) clean")
    case .passed where outcome.isPress && edge.interval ?? .max < Self.shortGap:
      line(passed(outcome) + "    short gap", .yellow, from: .sent)
    case .passed: line(passed(outcome), nil)
    case .waits(let until): line("\(marks.waits) waits, \(inWords(until - outcome.edge)) at most")
    case .withdrawn(let removal, _), .suppressed(let removal, _): removed(removal)
    case .duplicate where edge.isFirst && !outcome.isPress: line("\(marks.other) was down before")
    case .duplicate: line("\(marks.other) no change")
    case .repeated: nil

    // Later:
    case .emitted where edge.hasMeanings, .corrected where edge.hasMeanings:
      line("\(marks.other) clean \(delay)")
    case .emitted, .corrected:
      line(passed(outcome) + (outcome.time == outcome.edge ? "" : " \(delay)"), .cyan)
    case .postponed(let until):
      line("\(marks.waits) waits on, \(inWords(until - outcome.time)) at most")
    // After a loss it is not known whether the edge was meant. What proves meant is emitted next.
    case .vanished(nil), .restored: nil
    case .vanished(let removal?): removed(removal)
    case .reclassified(let removal): removed(removal, ", no \(Removal.dropOut.words)")
    case .continued: line("\(marks.other) the same stroke goes on")
    case .meant(let meaning, let key):
      line("\(marks.meant) \(meaning.words): \(KeyNames.name(of: key))", .cyan)
    case .learned: line("bad key: its releases wait", .yellow)
    case .forgot: line("good again: no more waiting", .yellow)
    }
  }

  /// The raw edge in words; empty if it has a line already.
  private func sent(_ edge: EdgeComparison.Edge) -> String {
    let isPress = edge.outcome.isPress
    let glyph = isPress ? marks.press : marks.release
    switch edge.outcome.kind {
    case .passed, .waits, .withdrawn, .suppressed, .duplicate:
      if let interval = edge.interval {
        return "\(glyph) \(isPress ? "gap " : "hold") \(inWords(interval).aligned(to: 9))"
      }
      return sheet.isPlain ? glyph : "\(glyph) \(isPress ? "press" : "release")"
    default: return ""
    }
  }

  private func passed(_ edge: Outcome) -> String {
    edge.isPress ? marks.passedPress : marks.passedRelease
  }
}

// MARK: - Columns

extension MonitorLines {
  private enum Column: Int {
    case key, sent, passed
  }

  /// - Parameter first: The first column that has the style.
  private func line(
    _ time: Microseconds, _ key: String, _ sent: String, _ passed: String, _ style: Style? = nil,
    from first: Column = .passed
  ) -> String {
    let styles = style.map { [$0] } ?? []
    if areSentences {
      let parts = ["\(seconds(time)) s", key, sent, passed].map { part in
        part.split(separator: " ").joined(separator: " ")
      }
      let text = parts.filter { !$0.isEmpty }.joined(separator: ", ")
      return sheet.wrapped([StyledText(text, styles: styles)], hang: 2).joined(separator: "\n")
    }
    let cells = [
      (Column.key, key.padded(to: keyWidth)), (.sent, sent.padded(to: rawWidth)), (.passed, passed),
    ]
    return sheet.line(
      [StyledText(seconds(time).aligned(to: 9), .faint)]
        + cells.flatMap { column, text in
          [.blank(2), StyledText(text, styles: column.rawValue >= first.rawValue ? styles : [])]
        })
  }

  private func name(of key: KeyCode) -> String {
    let name = KeyNames.name(of: key)
    return name.count > keyWidth ? name.prefix(keyWidth - marks.waits.count) + marks.waits : name
  }

  private func seconds(_ time: Microseconds) -> String {
    let time = time - (start ?? 0)
    let milliseconds = abs(time) / 1000
    return "\(time < 0 ? "-" : "")\(milliseconds / 1000)."
      + String(milliseconds % 1000).aligned(to: 3, with: "0")
  }

  /// Milliseconds with one place, or seconds if there are many; the unit takes two columns.
  private func inWords(_ length: Microseconds) -> String {
    let (tenths, unit) =
      length < 9_999_950 ? ((length + 50) / 100, "ms") : ((length + 50_000) / 100_000, "s ")
    return "\(tenths / 10).\(abs(tenths % 10)) \(unit)"
  }
}

private struct Marks {
  let press, release, waits, removed, other, meant: String
  /// What stands for an edge that is passed on.
  let passedPress, passedRelease: String

  static let unicode = Marks(
    press: "▼", release: "▲", waits: "…", removed: "✗", other: "·", meant: "▶",
    passedPress: "▼ press", passedRelease: "▲ release")
  static let ascii = Marks(
    press: "down", release: "up  ", waits: "...", removed: "x", other: "-", meant: ">",
    passedPress: "press", passedRelease: "release")
  static let words = Marks(
    press: "press", release: "release", waits: "", removed: "removed as", other: "",
    meant: "means", passedPress: "passed on", passedRelease: "release passed on")
}

extension Event {
  /// The axis, or else the event's type, as the kernel's headers call it, and its code.
  fileprivate var title: String {
    if type == EventType.relative, let name = AxisNames.name(of: code) { return name }
    let types: [UInt16: String] = [
      0x02: "REL", 0x03: "ABS", 0x04: "MSC", 0x05: "SW", 0x11: "LED", 0x12: "SND", 0x14: "REP",
      0x15: "FF", 0x16: "PWR",
    ]
    return "\(types[type] ?? "type \(type)") \(code)"
  }
}

extension EdgeTally {
  var lines: [String] {
    var lines = [counters.summary]
    let worst = mostRemoved.prefix(5).map {
      "\(KeyNames.name(of: $0.key)) (\($0.removed) of \($0.presses))"
    }
    if !worst.isEmpty { lines.append("removed most: " + worst.joined(separator: ", ")) }
    if losses > 0 { lines.append("events were lost \(losses.times)") }
    return lines
  }
}
