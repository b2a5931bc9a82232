import Configuration
import Debounce
import Terminal

public struct GuidedScreen {
  public let title: String
  public let session: GuidedSession
  public let now: Microseconds

  /// What stands on keys in the system's layout, where their names do not say that.
  private let labels: [KeyCode: String]

  public init(
    title: String, session: GuidedSession, now: Microseconds, labels: [KeyCode: String] = [:]
  ) {
    self.title = title
    self.session = session
    self.now = now
    self.labels = labels
  }

  /// The key for a person, as in KEY_Y (Z).
  private func name(_ key: KeyCode) -> String { KeyNames.title(of: key, labels[key]) }

  /// The smallest terminal that it fits.
  public static let columns = 40
  public static let rows = 24

  /// How long the beat is shown, in microseconds.
  private static let flash: Microseconds = 130_000

  public func lines(on sheet: Sheet) -> [String] {
    var sheet = sheet
    // Longer lines are no easier to read.
    sheet.columns = min(sheet.columns, 100)
    let progress = session.progress
    var lines: [String] = []
    func add(_ spans: StyledText...) { lines.append(sheet.line(spans)) }
    func add(wrapped text: String, _ styles: Style...) {
      lines += sheet.wrapped([StyledText(text, styles: styles)], after: [.blank(2)])
    }

    /// On one line where there is room.
    func add(fitting spans: [StyledText]) {
      let width = spans.reduce(0) { $0 + $1.width }
      lines += width <= sheet.columns ? [sheet.line(spans)] : sheet.wrapped(spans)
    }

    add(fitting: [
      StyledText("keydebounce calibrate", .bold), StyledText(" "), StyledText(title, .faint),
    ])
    lines.append(bar(session.fraction, "altogether", sheet))
    add()
    add(fitting: [StyledText(heading, .bold, .cyan)])
    add()
    add(wrapped: task)
    add()
    switch session.request {
    case .type:
      for line in Self.sentences(after: progress.done) { add(wrapped: line, .bold) }
    case .tap(let key, let beat):
      let isOn = now % beat < Self.flash
      let dot = sheet.isUnicode ? (isOn ? "●" : "○") : (isOn ? "#" : ".")
      add(
        .blank(2), StyledText(" \(name(key)) ", .reverse, .bold), .blank(3),
        StyledText(isOn ? "\(dot) now" : dot, styles: isOn ? [.bold, .green] : [.faint]))
    case .hold(let key, _), .doubleTap(let key):
      add(.blank(2), StyledText(" \(name(key)) ", .reverse, .bold))
    case .done: break
    }
    add()
    lines.append(bar(progress.fraction, counted(progress), sheet))
    if progress.uncounted > 0 {
      add(wrapped: reason(notCounting: progress.uncounted), .yellow)
    }
    if progress.faults > 0 {
      add(
        .blank(2),
        StyledText("\(progress.faults.counted("fault")): ", .red),
        StyledText(
          progress.certainty >= 1
            ? "certainly worn" : "worn with \(Int(progress.certainty * 100)) % certainty"))
    }
    add()
    lines += suspects(on: sheet)
    let foot = [
      StyledText(
        sheet.isUnicode ? "→ skip   ← back   Ctrl-C end" : "Right: skip   Left: back   Ctrl-C: end",
        .faint)
    ]
    let room = max(0, (sheet.rows ?? Self.rows) - 1)
    lines = Array(lines.prefix(max(0, room - 1)))
    // The last line stays in its place, so that nothing jumps.
    while lines.count < min(room, Self.rows - 1) - 1 { lines.append("") }
    lines.append(sheet.line(foot))
    return lines
  }

  public var heading: String {
    switch session.request {
    case .type: session.rounds > 1 ? "Type again" : "Type"
    case .tap(let key, _): "Tap \(name(key)), one tap a beat"
    case .hold(let key, _): "Hold \(name(key)) down"
    case .doubleTap(let key): "Double taps of \(name(key)), as fast as you can"
    case .done: "Done"
    }
  }

  public var task: String {
    switch session.request {
    case .type where session.rounds > 1:
      "A worn key is seldom the only one. Type on for two minutes, which finds others, or skip it."
    case .type:
      """
      Type as you always do, for about two minutes: what is below, or whatever you like. That finds the keys that \
      deserve a closer look. Your strokes are counted, and not kept.
      """
    case .tap:
      "Press and let go once at each beat. Press as you usually do, and now and then softly, or at the key's edge."
    case .hold(_, let length):
      """
      Press it, keep it down for \((Int(length) / 1_000_000).counted("second")), let go, and press again, until the bar is full. \
      Do not press harder than you usually do.
      """
    case .doubleTap:
      "Tap it twice, as fast as you can. Pause shortly, and tap it twice again. That shows how close your own taps come."
    case .done: ""
    }
  }

  private func counted(_ progress: GuidedSession.Progress) -> String {
    let whole = progress.done + progress.remaining
    switch session.request {
    case .type:
      let seconds = Int((progress.timeRemaining + 999_999) / 1_000_000)
      return "\(progress.done.counted("stroke")), \(seconds) s left"
    case .tap: return "\(progress.done) of \(whole.counted("tap"))"
    case .hold: return "\(progress.done) of \(whole.counted("hold"))"
    case .doubleTap: return "\(progress.done) of \(whole.counted("double"))"
    case .done: return ""
    }
  }

  /// Why what the person did does not count.
  private func reason(notCounting count: Int) -> String {
    switch session.request {
    case .hold:
      let least = Double(Labels.leastHold) / 1_000_000
      return "\(count) let go too soon: keep it down for \(least.decimal()) seconds at least"
    case .doubleTap:
      return
        "\(count) not counted: the second tap must come within \(Labels.longestDouble / 1000) ms"
    default: return "\(count) too fast: one tap a beat"
    }
  }

  private func bar(_ share: Double, _ words: String, _ sheet: Sheet) -> String {
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
    return sheet.wrapped(
      [StyledText(suspects.joined(separator: ", "))],
      after: [.blank(2), StyledText(title, .yellow)])
  }

  /// Sentences to type, in which every letter occurs. They change after some strokes.
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
