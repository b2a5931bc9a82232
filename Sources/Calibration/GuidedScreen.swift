import Configuration
import Debounce
import Terminal

public struct GuidedScreen {
  public let session: GuidedSession
  private let title: String
  private let now: Microseconds
  /// The labels of keys in the system's layout where they differ from the names.
  private let labels: [KeyCode: String]

  public init(
    title: String, session: GuidedSession, now: Microseconds, labels: [KeyCode: String] = [:]
  ) {
    (self.title, self.session, self.now, self.labels) = (title, session, now, labels)
  }

  /// The key for a person, as in KEY_Y (Z).
  private func name(_ key: KeyCode) -> String { KeyNames.title(of: key, labels[key]) }

  /// The smallest terminal that the screen fits.
  public static let least = (columns: 40, rows: 24)

  /// How long each beat is lit, in microseconds.
  private static let flash: Microseconds = 130_000

  public func lines(on sheet: Sheet) -> [String] {
    var sheet = sheet
    // Longer lines are no easier to read.
    sheet.columns = min(sheet.columns, 100)
    let title = sheet.fitted([
      StyledText("keydebounce calibrate", .bold), StyledText(" "), StyledText(title, .faint),
    ])
    let parts = [
      title + [bar(session.fraction, "altogether", on: sheet)],
      sheet.fitted([StyledText(heading, .bold, .cyan)]), sheet.indented(task),
      prompt(on: sheet), progress(on: sheet), suspects(on: sheet),
    ]
    let room = max(0, (sheet.rows ?? Self.least.rows) - 2)
    var lines = Array(parts.filter { !$0.isEmpty }.joined(separator: [""]).prefix(room))
    // Empty lines keep the last line in its place.
    while lines.count < min(room, Self.least.rows - 2) { lines.append("") }
    let keys =
      sheet.isUnicode ? "→ skip   ← back   Ctrl-C end" : "Right: skip   Left: back   Ctrl-C: end"
    return lines + [sheet.line([StyledText(keys, .faint)])]
  }

  public var heading: String { words.heading }
  public var task: String { words.task }

  /// The heading, the task in full, the noun for what is counted, and why some of it is not counted.
  private var words: (heading: String, task: String, noun: String, reason: String) {
    let uncounted = session.progress.uncounted
    switch session.request {
    case .typing where session.rounds > 1:
      return (
        "Type again",
        "A worn key is seldom the only one. Type on for two minutes, which finds others, or skip it.",
        "stroke", ""
      )
    case .typing:
      return (
        "Type",
        """
        Type as you always do, for about two minutes: what is below, or whatever you like. That finds the keys that \
        deserve a closer look. Your strokes are counted, and not kept.
        """, "stroke", ""
      )
    case .taps(let key):
      return (
        "Tap \(name(key))\(session.isAgain ? " again" : ""), one tap a beat",
        session.isAgain
          ? "Another setting looks better for it, and more taps make that sure. If you skip it, the measurement is done."
          : "Press and let go once at each beat. Press as you usually do, and now and then softly, or at the key's edge.",
        "tap", "\(uncounted) too fast: one tap a beat"
      )
    case .holds(let key):
      let least = (Double(Labels.leastHold) / 1_000_000).decimal()
      return (
        "Hold \(name(key)) down",
        """
        Press it, keep it down for \((Int(session.effort.hold) / 1_000_000).counted("second")), let go, and press again, until the bar is full. \
        Do not press harder than you usually do.
        """, "hold", "\(uncounted) let go too soon: keep it down for \(least) seconds at least"
      )
    case .doubles(let key):
      let longest = Labels.longestDouble / 1000
      return (
        "Double taps of \(name(key)), as fast as you can",
        "Tap it twice, as fast as you can. Pause shortly, and tap it twice again. That shows how close your own taps come.",
        "double",
        "\(uncounted.counted("tap")) not counted: the second one must come within \(longest) ms"
      )
    case nil: return ("Done", "", "stroke", "")
    }
  }

  /// The text to type, or the key to press.
  private func prompt(on sheet: Sheet) -> [String] {
    guard let key = session.request?.key else {
      guard session.request == .typing else { return [] }
      return Self.sentences(after: session.progress.done).flatMap { sheet.indented($0, .bold) }
    }
    var line: [StyledText] = [.blank(2), StyledText(" \(name(key)) ", .reverse, .bold)]
    if case .taps? = session.request {
      let isOn = now % session.effort.beat < Self.flash
      let dot = sheet.isUnicode ? (isOn ? "●" : "○") : (isOn ? "#" : ".")
      line += [
        .blank(3),
        StyledText(isOn ? "\(dot) now" : dot, styles: isOn ? [.bold, .green] : [.faint]),
      ]
    }
    return [sheet.line(line)]
  }

  private func progress(on sheet: Sheet) -> [String] {
    let progress = session.progress
    let seconds = (progress.timeRemaining + 999_999) / 1_000_000
    let done =
      session.request?.key == nil
      ? "\(progress.done.counted(words.noun)), \(seconds) s left"
      : "\(progress.done) of \((progress.done + progress.remaining).counted(words.noun))"
    var lines = [bar(progress.fraction, done, on: sheet)]
    if progress.uncounted > 0 { lines += sheet.indented(words.reason, .yellow) }
    if progress.faults > 0 {
      let verdict =
        progress.certainty >= 1
        ? "certainly worn" : "worn with \(Int(progress.certainty * 100)) % certainty"
      lines.append(
        sheet.line([
          .blank(2), StyledText("\(progress.faults.counted("fault")): ", .red),
          StyledText(verdict),
        ]))
    }
    return lines
  }

  private func bar(_ share: Double, _ words: String, on sheet: Sheet) -> String {
    let width = max(4, min(40, sheet.columns - 36))
    let filled = sheet.bar(share, columns: width)
    let rest = String(repeating: sheet.isUnicode ? "·" : ".", count: max(0, width - filled.columns))
    return sheet.line([
      .blank(2), StyledText(filled, .green), StyledText(rest, .faint), .blank(1),
      StyledText("\(Int((share * 100).rounded())) %".aligned(to: 5)), .blank(2), StyledText(words),
    ])
  }

  private func suspects(on sheet: Sheet) -> [String] {
    var suspects = session.suspects.map { name($0) + (session.worn.contains($0) ? " (worn)" : "") }
    var title = "closer look  "
    if suspects.isEmpty {
      (title, suspects) = ("suspects so far  ", session.suspectsSoFar.prefix(12).map(name))
    }
    guard !suspects.isEmpty else { return [] }
    // A key and “(worn)” behind it stay on one line.
    let words = suspects.map { $0.replacing(" ", with: "\(Sheet.noBreak)") }
    return sheet.wrapped(
      [StyledText(words.joined(separator: ", "))],
      after: [.blank(2), StyledText(title, .yellow)])
  }

  /// Sentences to type, in which every letter occurs. Others follow after some strokes.
  private static func sentences(after strokes: Int) -> [String] {
    let texts = [
      "The quick brown fox jumps over the lazy dog, and does it again.",
      "Pack my box with five dozen liquor jugs; we sell them cheap.",
      "Jackdaws love my big sphinx of quartz. They see it every week.",
      "Bright vixens jump; dozy fowl quack. A committee will assess it.",
      "How quickly daft jumping zebras vex! All spoons keep well here.",
      "Sphinx of black quartz, judge my vow: 10 + 23 = 33, 45 - 6 = 39, 78.",
    ]
    return (0..<3).map { texts[(strokes / 60 + $0) % texts.count] }
  }
}

extension Sheet {
  /// The spans on one line, with their blanks, where there is room; else broken between words.
  fileprivate func fitted(_ spans: [StyledText]) -> [String] {
    spans.width <= columns ? [line(spans)] : wrapped(spans)
  }

  fileprivate func indented(_ text: String, _ styles: Style...) -> [String] {
    wrapped([StyledText(text, styles: styles)], after: [.blank(2)])
  }
}
