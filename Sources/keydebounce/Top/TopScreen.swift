import Configuration
import Debounce
import EventDevices
import Reports
import Status
import Terminal

/// Draws the screen of `keydebounce top`.
///
/// ```
///   keydebounce 0.2.0, running for 3 days 4 hours
///   > Keychron K2   debounced  …                    devices
///   ── Keychron K2 ─────────────────────────────
///   ╭───┬───┬───╮                                   the keyboard, where there is room
///     KEY     STROKES  CHATTER     KEY_E  adaptive
///   > KEY_E     3,870      297     removed ▁▃█      the key that is selected
///   a message
///   c calibrate  p pause  l leave …
/// ```
struct TopScreen {
  private let model: TopModel
  private let sheet: Sheet
  private var frame: TopFrame

  /// The first row that is free.
  private var row = 0

  /// The screen for a terminal of this size. What does not fit is left out, the least important first.
  static func draw(_ model: TopModel, on sheet: Sheet) -> TopFrame {
    let grid = Grid(columns: sheet.columns, rows: sheet.rows ?? 0, characters: sheet.characters)
    var screen = TopScreen(model: model, sheet: sheet, frame: TopFrame(grid: grid))
    screen.draw()
    if !sheet.hasColours { screen.frame.grid.removeStyles() }
    return screen.frame
  }

  private var columns: Int { frame.grid.columns }
  private var rows: Int { frame.grid.rows }

  /// The row below the last that the panels may use: a message and the commands are below.
  private var bottom: Int { max(0, rows - 2) }

  private mutating func draw() {
    frame.grid.put(heading, row: row, column: 1, width: columns - 2)
    row += 1
    if model.isHelpShown {
      drawHelp()
    } else {
      drawDevices()
      drawKeyboard()
      drawTable()
    }
    if let message {
      frame.grid.put([message], row: rows - 2, column: 1, width: columns - 2)
    }
    drawCommands()
  }
}

// MARK: - Above and below

extension TopScreen {
  private var heading: [StyledText] {
    let status = model.status
    let name = StyledText("keydebounce \(status.version.printable)", .bold)
    if let trouble = model.trouble {
      let words = trouble.isGone ? "has ended" : "does not answer"
      return [name, StyledText(" \(words): this is what it last reported", .red)]
    }
    let rest =
      status.configuration.problems.isEmpty
      ? StyledText(", running for \(inWords(seconds: status.uptime))")
      : StyledText("; the settings have errors, “keydebounce check” shows them", .red)
    // A time that is cut would read as another time.
    return name.width + rest.width > columns - 2 ? [name] : [name, rest]
  }

  private mutating func drawRule(_ title: String) {
    let line = sheet.isUnicode ? "─" : "-"
    let end = frame.grid.put(
      [StyledText(line + line, .faint), StyledText(" \(title) ", .bold)], row: row, column: 1,
      width: columns - 2)
    let rest = String(repeating: line, count: max(0, columns - 1 - end))
    frame.grid.put([StyledText(rest, .faint)], row: row, column: end)
    row += 1
  }

  private mutating func drawParagraph(_ text: String, column: Int = 1, margin: Int = 1) {
    for line in text.wrapped(to: max(10, columns - column - margin)) where row < bottom {
      frame.grid.put([StyledText(line)], row: row, column: column)
      row += 1
    }
  }

  private var message: StyledText? {
    if let message = model.message { return message }
    if let trouble = model.trouble { return StyledText("Trying again: \(trouble.text)", .red) }
    if let blindness = model.live.blindness { return StyledText(blindness, .faint) }
    guard model.live.presses > 0 else { return nil }
    let numbers = "\(model.live.presses.counted("press")), \(model.live.removed.grouped) removed"
    let words = "Since top began: \(numbers)"
    return StyledText(words.columns <= columns - 2 ? words : numbers, .faint)
  }

  private mutating func drawCommands() {
    row = rows - 1
    var column = 1
    // Each begins with its letter.
    var commands = ["calibrate", "pause", "leave", "reload", "help", "quit"]
    // How to get help, and out, is shown as long as there is room for anything.
    while commands.count > 2, commands.reduce(0, { $0 + $1.count + 4 }) > columns {
      commands.remove(at: commands.count - 3)
    }
    for words in commands {
      let width = 2 + words.count
      guard column + width < columns else { break }
      frame.grid.put(
        [StyledText(String(words.prefix(1)), .bold, .cyan), StyledText(" " + words)], row: row,
        column: column)
      column += width + 2
    }
    let keys = "Tab and arrows select"
    if column + keys.count < columns {
      frame.grid.put([StyledText(keys, .faint)], row: row, column: columns - 1 - keys.count)
    }
  }
}

// MARK: - Lists

extension TopScreen {
  /// The part of a list for which there is room: around what is selected.
  private func window(of count: Int, around selected: Int?, room: Int) -> Range<Int> {
    let first = min(max(0, (selected ?? 0) - room / 2), count - room)
    return first..<first + room
  }

  /// Draws a row of a list, with a mark before the one that is selected.
  ///
  /// - Parameter isFocused: Whether the arrows move in the list.
  private mutating func drawRow(
    _ spans: [StyledText], isSelected: Bool, isFocused: Bool, width: Int
  ) {
    let mark =
      isSelected ? StyledText("> ", styles: isFocused ? [.bold, .cyan] : [.faint]) : .blank(2)
    frame.grid.put([mark] + spans, row: row, column: 1, width: width - 1)
    row += 1
  }

  private mutating func drawDevices() {
    let devices = model.devices
    guard !devices.isEmpty else {
      return drawParagraph(StatusReport.noDevices.joined(separator: " "))
    }
    frame.panels.append(.devices)
    let room = min(devices.count, rows >= 40 ? 8 : rows >= 20 ? 3 : 1, max(1, bottom - row))
    let shown = Array(devices[window(of: devices.count, around: model.deviceIndex, room: room)])
    for (device, spans) in zip(shown, table(of: shown).spans.dropFirst()) where row < bottom {
      // Where there is nothing else to move in, arrows move here.
      drawRow(
        spans, isSelected: device.node == model.device?.node,
        isFocused: model.focus == .devices || model.keys.isEmpty, width: columns - 1)
    }
  }

  private func table(of devices: [DeviceStatus]) -> [TableColumn] {
    let width = max(16, columns / 3)
    let name = devices.column("", .left, space: 0) { StyledText($0.device.title.cut(to: width)) }
    let state = devices.column("", .left) {
      StyledText(
        String($0.stateInWords.prefix { $0 != ";" }).cut(to: max(8, columns - 6 - width)),
        styles: $0.stateStyles)
    }
    let removed = devices.column(rank: 1) {
      StyledText("\($0.counts.chatter.total.grouped) removed")
    }
    let passed = devices.column(rank: 2) {
      StyledText("\($0.counts.pressesOut.grouped) passed on")
    }
    let strategy = devices.column("", .left, rank: 3) { StyledText($0.strategy.printable) }
    let node = devices.column("", .left, rank: 4) { StyledText($0.node.printable, .faint) }
    return [name, node, state, strategy, passed, removed].fitting(columns - 4)
  }

  /// The table of keys, the worst first, and beside it or below it the key that is selected.
  private mutating func drawTable() {
    guard model.device != nil, row < bottom else { return }
    let keys = model.keys
    guard !keys.isEmpty else { return drawParagraph("No key was pressed yet.") }
    frame.panels.append(.table)
    let isBeside = columns >= Self.columnsForTwo
    let width = isBeside ? min(columns - Self.leastPanel - 2, 78) : columns - 1
    let height = isBeside ? bottom - row : min(bottom - row, max(4, (bottom - row) / 2))
    let top = row
    let room = max(0, min(keys.count, height - 1))
    let selected = keys.firstIndex { $0.code == model.key?.code }
    let shown = Array(keys[window(of: keys.count, around: selected, room: room)])
    for (index, spans) in table(of: shown, width: width - 3).spans.enumerated() {
      let code = index > 0 ? shown[index - 1].code : nil
      drawRow(
        spans, isSelected: code != nil && code == model.key?.code,
        isFocused: frame.focus(of: model) == .table, width: width)
    }
    if isBeside {
      row = top
      drawKey(column: width + 2, width: columns - width - 2)
    } else {
      row += 1
      drawKey(column: 1, width: columns - 2)
    }
  }

  /// How wide the screen must be for the table and the key beside each other.
  private static let columnsForTwo = 76

  private func table(of keys: [KeyStatus], width: Int) -> [TableColumn] {
    // The ranks are the places in this list.
    let groups: [[TableColumn]] = [
      [keys.names(model.labels, space: 0) { _ in [] }], [keys.strokes, keys.chatter],
      [keys.rates(sheet.isUnicode ? "‰" : "/1000", space: 1)], keys.classes(\.letter),
      [keys.nearMisses("near"), keys.medianGaps],
    ]
    return groups.enumerated().flatMap { rank, group in group.map { $0.ranked(rank) } }
      .fitting(width)
  }
}

extension String {
  /// The text, with “…” for what would take more columns.
  fileprivate func cut(to width: Int) -> String {
    guard columns > width else { return self }
    var room = width - 1
    let start = prefix { character in
      room -= String(character).columns
      return room >= 0
    }
    return "\(start)…"
  }
}

// MARK: - The keyboard

/// Signs at both sides of a label.
private struct Signs {
  let left, right: String
  let styles: [Style]

  static let selected = Signs(left: "[", right: "]", styles: [.bold, .cyan])
  static let lit = Signs(left: "{", right: "}", styles: [.bold, .reverse, .cyan])
  static let alarmed = Signs(left: "!", right: "!", styles: [.bold, .reverse, .magenta])
}

extension TopScreen {
  /// How many rows the table needs below the keyboard.
  private static let rowsForTable = 5

  /// The keyboard, where there is room for it and for the table.
  private mutating func drawKeyboard() {
    guard let device = model.device, let index = model.deviceIndex else { return }
    let count = model.devices.count > 1 ? ", \(index + 1) of \(model.devices.count)" : ""
    if bottom - row > 2 { drawRule(device.device.title + count) }
    guard
      let drawing = KeyboardDrawing(of: device.keys, columns: columns - 4, labels: model.labels),
      drawing.width + 4 <= columns
    else { return }
    let lines = drawing.spans(on: sheet)
    guard row + lines.count + Self.rowsForTable <= bottom else { return }
    frame.panels.append(.keyboard)
    let places = drawing.places(on: sheet)
    for (index, line) in lines.enumerated() {
      frame.grid.put(line, row: row)
      for place in places where place.line == index { drawKey(place) }
      row += 1
    }
  }

  private mutating func drawKey(_ place: KeyboardDrawing.Place) {
    let code = place.key.code
    frame.keys.append((code, row, place.columns.lowerBound + place.columns.upperBound - 1))
    let inside = place.columns.dropFirst().dropLast()
    // The lines show that a key is selected, and what is within them that it is pressed, or something of it was removed.
    if code == model.key?.code { put(.selected, columns: place.columns) }
    guard model.live.isLit(code) || model.live.isAlarmed(code) else { return }
    let signs: Signs = model.live.isAlarmed(code) ? .alarmed : .lit
    // Where the label leaves no room, the signs take the lines.
    put(signs, columns: place.key.label.columns + 2 <= inside.count ? inside : place.columns)
    frame.grid.restyle(row: row, columns: inside, as: signs.styles)
  }

  private mutating func put(_ signs: Signs, columns: Range<Int>) {
    for (sign, column) in [(signs.left, columns.lowerBound), (signs.right, columns.upperBound - 1)]
    {
      frame.grid.put([StyledText(sign, styles: signs.styles)], row: row, column: column)
    }
  }
}

// MARK: - The key that is selected

extension TopScreen {
  private static let labelWidth = 8
  /// The least width of the panel. Each class of a histogram is then two columns wide.
  private static let leastPanel = labelWidth + 2 * IntervalHistogram.classCount

  /// Shows the key that is selected closely, from this row down.
  private mutating func drawKey(column: Int, width: Int) {
    let height = bottom - row
    guard height > 0, width >= 10, let key = model.key else { return }
    // The two histograms, a blank line between them, and the scale.
    let least = height >= 6 ? 4 : 0
    var lines = Array(lines(about: key, width: width).prefix(height - least))
    if least > 0 {
      lines += histograms(
        of: key, height: min(6, max(1, (height - lines.count - 2) / 2)), width: width)
    }
    for (index, spans) in lines.prefix(height).enumerated() {
      frame.grid.put(spans, row: row + index, column: column, width: width)
    }
  }

  /// What the table does not say of the key, the most important first, as far as the lines are not too wide.
  private func lines(about key: KeyStatus, width: Int) -> [[StyledText]] {
    let chatter = key.counts.chatter
    let classes = Chatter.allCases.filter { chatter[$0] > 0 }
      .map { "\($0.letter) \(chatter[$0].grouped)" }
    let facts: [(label: String, text: String?)] = [
      ("chatter", classes.isEmpty ? "none" : classes.joined(separator: "  ")),
      ("strategy", strategy(of: key)),
      ("bad", key.habits.badFor.map { "releases delayed for \($0.counted("press")) more" }),
    ]
    let rate = classes.isEmpty ? nil : perThousand(chatter.total, of: UInt64(key.strokes))
    let wear = ShownWear(of: key).look.words + (rate.map { ", \($0) of 1000" } ?? "")
    let title = [
      StyledText(key.name(model.labels), .bold), StyledText("  \(wear)", styles: key.styles),
    ]
    return [title]
      + facts.compactMap { label, text in
        let head = StyledText(label.padded(to: Self.labelWidth + 1), .faint)
        guard let text, head.width + text.columns <= width else { return nil }
        return [head, StyledText(text)]
      }
  }

  private func strategy(of key: KeyStatus) -> String? {
    guard let device = model.device else { return nil }
    let own = device.keyStrategies.first { $0.code == key.code }
    let threshold = own == nil ? device.threshold : own?.threshold
    return (own?.strategy ?? device.strategy).printable
      + (threshold.map { " \($0.textInMilliseconds) ms" } ?? "") + (own == nil ? "" : ", its own")
  }

  /// The gaps of what was removed and of what was passed on, and a scale.
  private func histograms(of key: KeyStatus, height: Int, width: Int) -> [[StyledText]] {
    let step = max(1, min(4, (width - Self.labelWidth) / IntervalHistogram.classCount))
    return bars("removed", key.removedGaps.values, .red, height: height, step: step)
      + [[StyledText]()]
      + bars("passed", key.gaps.values, .green, height: height, step: step)
      + [labelled("ms", StyledText(scale(step: step), .faint))]
  }

  private func labelled(_ label: String, _ span: StyledText) -> [StyledText] {
    [StyledText(label.padded(to: Self.labelWidth), .faint), span]
  }

  private func bars(
    _ label: String, _ counts: [UInt32], _ style: Style, height: Int, step: Int
  ) -> [[StyledText]] {
    guard counts.contains(where: { $0 > 0 }) else {
      return [labelled(label, StyledText("none", .faint))]
    }
    // Most gaps are longer than all the classes that matter: the last is cut off.
    let highest = Double(counts.dropLast().max() ?? 0)
    let levels = counts.map { count -> Int in
      let share = highest > 0 ? Double(count) / highest : 1
      return count == 0 ? 0 : min(8 * height, max(1, Int((share * Double(8 * height)).rounded())))
    }
    return (0..<height).reversed().map { row in
      let text = levels.map { String(repeating: block($0 - 8 * row), count: step) }.joined()
      return labelled(row == 0 ? label : "", StyledText(text, style))
    }
  }

  /// The lower bounds of classes in milliseconds, where there is room.
  private func scale(step: Int) -> String {
    var text = ""
    for (index, low) in ([0] + IntervalHistogram.bounds).enumerated()
    where text.isEmpty || text.count < step * index {
      text = text.padded(to: step * index) + String(low / 1000)
    }
    return text
  }

  /// A character that is filled up to this many eighths.
  private func block(_ eighths: Int) -> Character {
    guard eighths > 0 else { return " " }
    guard sheet.isUnicode else { return eighths >= 4 ? "#" : "." }
    return Array("▁▂▃▄▅▆▇█")[min(eighths, 8) - 1]
  }
}

// MARK: - Help

extension TopScreen {
  private mutating func drawHelp() {
    drawRule("Help")
    for (letters, words) in Self.help where row < bottom {
      frame.grid.put([StyledText(letters, .bold)], row: row, column: 2)
      drawParagraph(words, column: 16, margin: 2)
    }
  }

  private static let help = [
    ("Tab", "goes on to the devices, the keyboard or the table"),
    ("arrows", "select there"),
    ("c", "measures the selected key, with “keydebounce calibrate”"),
    ("p", "pauses the device, or debounces it again"),
    ("l", "stops debouncing the device, with “keydebounce leave”, which asks"),
    ("r", "makes the daemon reload its settings"),
    ("q", "quits; so does Ctrl-C. Ctrl-Z stops top until “fg”"),
    ("", ""),
    ("chatter", "was removed: A press bounces, B release bounces, C drop-outs"),
    ("‰, /1000", "chatter in 1000 strokes"),
    ("near", "near misses: strokes passed on after a gap hardly longer than chatter's"),
    ("gap", "the median gap of what was removed, in ms"),
    ("*E*", "worn: so much chatter cannot be chance"),
    ("+E+", "some chatter was removed"),
    ("[E]", "is selected"),
    ("{E}", "is pressed, or was a moment ago"),
    ("!E!", "something of it was removed just now"),
    ("", ""),
    ("", "top stores nothing of this. Any key goes back."),
  ]
}

// MARK: - What is drawn

/// A drawn screen of `top`, and the places on it to which arrows lead.
struct TopFrame {
  var grid: Grid
  /// The panels in which arrows can move, in the order of Tab.
  var panels: [TopModel.Focus] = []
  /// The keys of the drawing. Their middles are in half columns, so that they are whole numbers.
  var keys: [(code: KeyCode, row: Int, middle: Int)] = []

  /// The panel in which arrows move: the chosen one, or another if that is not shown.
  func focus(of model: TopModel) -> TopModel.Focus {
    panels.contains(model.focus) ? model.focus : panels.last ?? model.focus
  }

  /// The key of the drawing to which an arrow leads from another; the first if that is not in the drawing.
  func neighbour(of code: KeyCode, _ arrow: Input) -> KeyCode? {
    guard let here = keys.first(where: { $0.code == code }) else { return keys.first?.code }
    return keys.filter {
      switch arrow {
      case .left: $0.row == here.row && $0.middle < here.middle
      case .right: $0.row == here.row && $0.middle > here.middle
      case .up: $0.row < here.row
      default: $0.row > here.row
      }
    }.min {
      (abs($0.row - here.row), abs($0.middle - here.middle))
        < (abs($1.row - here.row), abs($1.middle - here.middle))
    }?.code
  }
}
