import Debounce
import EventDevices
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
public struct TopScreen {
  let model: TopModel
  let sheet: Sheet
  let colours: ColourDepth
  var frame: TopFrame

  /// The first row that is free.
  var row = 0

  private init(_ model: TopModel, sheet: Sheet, colours: ColourDepth) {
    (self.model, self.sheet, self.colours) = (model, sheet, colours)
    frame = TopFrame(
      Grid(columns: sheet.columns, rows: sheet.rows ?? 24, characters: sheet.characters))
  }

  /// The screen for a terminal of this size. What does not fit is left out, the least important first.
  public static func draw(
    _ model: TopModel, columns: Int, rows: Int, characters: Characters = .unicode,
    colours: ColourDepth = .sixteen
  ) -> TopFrame {
    let sheet = Sheet(
      columns: columns, rows: rows, hasColours: colours != .none, characters: characters)
    var screen = TopScreen(model, sheet: sheet, colours: colours)
    screen.draw()
    if colours == .none { screen.frame.grid.removeLooks() }
    return screen.frame
  }

  var columns: Int { frame.grid.columns }
  var rows: Int { frame.grid.rows }

  /// The row below the last that the panels may use: a message and the commands are below.
  var bottom: Int { max(0, rows - 2) }

  private mutating func draw() {
    drawHeading()
    if model.isHelpShown {
      drawHelp()
    } else {
      drawDevices()
      drawKeyboard()
      drawTable()
    }
    drawMessage()
    drawCommands()
  }
}

// MARK: - Above and below

extension TopScreen {
  private mutating func drawHeading() {
    let version = model.status.map { " \($0.version.printable)" } ?? ""
    var spans = [StyledText("keydebounce" + version, .bold)]
    if let status = model.status {
      if model.trouble != nil {
        let words = model.isGone ? " has ended" : " does not answer"
        spans.append(StyledText(words + ": this is what it last reported", .red))
      } else if status.configuration.problems.isEmpty {
        spans.append(StyledText(", running for \(inWords(seconds: status.uptime))"))
      } else {
        spans.append(StyledText("; the settings have errors, “keydebounce check” shows them", .red))
      }
    }
    // Of a time that is cut, the rest would be another one.
    if spans.reduce(0, { $0 + $1.width }) > columns - 2, model.trouble == nil { spans = [spans[0]] }
    frame.grid.put(spans, row: row, column: 1, width: columns - 2)
    row += 1
  }

  mutating func drawRule(_ title: String) {
    let line = sheet.isUnicode ? "─" : "-"
    let end = frame.grid.put(
      [
        StyledText(line + line, .faint), StyledText(" \(title) ", .bold),
      ], row: row, column: 1, width: columns - 2)
    let rest = String(repeating: line, count: max(0, columns - 1 - end))
    frame.grid.put([StyledText(rest, .faint)], row: row, column: end)
    row += 1
  }

  private mutating func drawMessage() {
    guard rows >= 2 else { return }
    let spans: [StyledText]
    if let message = model.message {
      spans = [StyledText(message.text, styles: message.isError ? [.red] : [.bold])]
    } else if let trouble = model.trouble {
      spans = [StyledText("Trying again: \(trouble)", .red)]
    } else if let blindness = model.live.blindness {
      spans = [StyledText(blindness, .faint)]
    } else if model.live.presses > 0 {
      let numbers =
        "\(model.live.presses.counted("press")), \(model.live.removed.grouped) removed"
      let words = "Since top began: \(numbers)"
      spans = [StyledText(words.columns <= columns - 2 ? words : numbers, .faint)]
    } else {
      return
    }
    frame.grid.put(spans, row: rows - 2, column: 1, width: columns - 2)
  }

  private mutating func drawCommands() {
    guard rows >= 1 else { return }
    var column = 1
    var commands: [(letter: Character, words: String)] = [("h", "help"), ("q", "quit")]
    if model.isRoot, !model.isFixed {
      commands =
        [("c", "calibrate"), ("p", "pause"), ("l", "leave"), ("r", "reload")] + commands
    }
    // How to get help, and out, is shown as long as there is room for anything.
    while commands.count > 2, commands.reduce(0, { $0 + $1.words.count + 4 }) > columns {
      commands.remove(at: commands.count - 3)
    }
    for (letter, words) in commands {
      let width = 2 + words.count
      guard column + width < columns else { break }
      frame.grid.put(
        [StyledText(String(letter), .bold, .cyan), StyledText(" " + words)], row: rows - 1,
        column: column)
      place(.command(letter), row: rows - 1, columns: column..<column + width)
      column += width + 2
    }
    let keys = "Tab and arrows select"
    if column + keys.count < columns {
      frame.grid.put(keys, .faint, row: rows - 1, column: columns - 1 - keys.count)
    }
  }

  mutating func place(_ target: TopFrame.Target, row: Int, columns: Range<Int>) {
    frame.places.append(TopFrame.Place(target: target, row: row, columns: columns))
  }

  /// How a line begins whose thing is selected; `isFocused` if the arrows move it.
  func marker(isSelected: Bool, isFocused: Bool) -> StyledText {
    guard isSelected else { return StyledText("  ") }
    return StyledText("> ", styles: isFocused ? [.bold, .cyan] : [.faint])
  }
}

// MARK: - Devices

extension TopScreen {
  private mutating func drawDevices() {
    guard model.status != nil else {
      if model.trouble == nil { drawParagraph("Asking the daemon …") }
      return
    }
    let devices = model.devices
    guard !devices.isEmpty else {
      return drawParagraph(StatusReport.noDevices.joined(separator: " "))
    }
    frame.panels.append(.devices)
    let selected = devices.firstIndex { $0.node == model.device?.node } ?? 0
    let room = min(devices.count, rows >= 40 ? 8 : rows >= 20 ? 3 : 1, max(1, bottom - row))
    let first = min(max(0, selected - room / 2), devices.count - room)
    let shown = Array(devices[first..<first + room])
    for (device, spans) in zip(shown, deviceTable(shown).spans.dropFirst()) where row < bottom {
      let isSelected = device.node == model.device?.node
      // Where there is nothing else to move in, arrows move here.
      let isFocused = model.focus == .devices || model.keys.isEmpty
      let mark = marker(isSelected: isSelected, isFocused: isFocused)
      frame.grid.put([mark] + spans, row: row, column: 1, width: columns - 2)
      place(.device(device.node), row: row, columns: 0..<columns)
      row += 1
    }
  }

  private func deviceTable(_ devices: [DeviceStatus]) -> [TableColumn] {
    func column(
      _ alignment: TableColumn.Alignment = .left, space: Int = 2,
      _ cell: (DeviceStatus) -> StyledText
    ) -> TableColumn {
      TableColumn("", alignment: alignment, space: space, cells: devices.map(cell))
    }
    let name = column(space: 0) { device in
      let isSelected = device.node == model.device?.node
      return StyledText(
        device.device.title.cut(to: max(16, columns / 3)), styles: isSelected ? [.bold] : [])
    }
    let state = column {
      StyledText(
        String($0.stateInWords.prefix { $0 != ";" }).cut(to: max(8, columns - 22)),
        styles: $0.stateStyles)
    }
    let removed = column(.right) {
      StyledText($0.counts.map { "\($0.chatter.total.grouped) removed" } ?? "")
    }
    let passed = column(.right) {
      StyledText($0.counts.map { "\($0.pressesOut.grouped) passed on" } ?? "")
    }
    let strategy = column { StyledText($0.strategy.printable) }
    let node = column { StyledText($0.node.printable, .faint) }
    // The first is left out last where there is no room: a number that is cut would be another one.
    let numbers = devices.contains { $0.counts != nil } ? [passed, removed] : []
    let tables = [
      [name, node, state, strategy] + numbers, [name, state, strategy] + numbers,
      [name, state] + numbers, [name, state] + numbers.suffix(1),
    ]
    return tables.first { $0.width + 4 <= columns } ?? [name, state]
  }

  mutating func drawParagraph(_ text: String) {
    for line in text.wrapped(to: max(10, columns - 2)) where row < bottom {
      frame.grid.put(line, row: row, column: 1)
      row += 1
    }
  }
}

extension String {
  /// The text, with “…” for what would take more columns.
  fileprivate func cut(to width: Int) -> String {
    guard columns > width else { return self }
    var text = self
    while text.columns >= width, !text.isEmpty { text.removeLast() }
    return text + "…"
  }
}

/// A drawn screen, and where on it what can be clicked is.
public struct TopFrame: Sendable {
  /// What a place on the screen belongs to.
  public enum Target: Equatable, Sendable {
    case device(String)
    /// A key of the drawing.
    case key(KeyCode)
    /// A row of the table.
    case tableRow(KeyCode)
    /// A command at the bottom, by its letter.
    case command(Character)
  }

  struct Place {
    var target: Target
    var row: Int
    var columns: Range<Int>
  }

  public var grid: Grid
  /// What can be moved in.
  public internal(set) var panels: [TopModel.Focus] = []
  /// How many keys the table shows.
  var tableRows = 0
  var places: [Place] = []

  init(_ grid: Grid) {
    self.grid = grid
  }

  /// In what arrows move: what was chosen, or if that is not shown, what is.
  func focus(of model: TopModel) -> TopModel.Focus {
    panels.contains(model.focus) ? model.focus : panels.last ?? model.focus
  }

  /// What is at a place, which counts from 0.
  func target(row: Int, column: Int) -> Target? {
    places.first { $0.row == row && $0.columns.contains(column) }?.target
  }

  /// The key of the drawing that is next to another.
  func neighbour(of code: KeyCode, _ direction: TopModel.Direction) -> KeyCode? {
    guard let here = keys.first(where: { $0.code == code }) else { return nil }
    let middle = here.columns.lowerBound + here.columns.upperBound
    /// How far a key's middle is from here, sideways.
    func distance(_ columns: Range<Int>) -> Int {
      abs(columns.lowerBound + columns.upperBound - middle)
    }
    switch direction {
    case .left:
      return keys.last { $0.row == here.row && $0.columns.lowerBound < here.columns.lowerBound }?
        .code
    case .right:
      return keys.first { $0.row == here.row && $0.columns.lowerBound > here.columns.lowerBound }?
        .code
    case .up, .down:
      let rows = keys.map(\.row).filter { direction == .up ? $0 < here.row : $0 > here.row }
      guard let row = direction == .up ? rows.max() : rows.min() else { return nil }
      return keys.filter { $0.row == row }.min { distance($0.columns) < distance($1.columns) }?.code
    }
  }

  /// The first key of the drawing, unless the key itself is in it.
  func firstKey(unless code: KeyCode) -> KeyCode? {
    keys.contains { $0.code == code } ? nil : keys.first?.code
  }

  /// The keys of the drawing from left to right, row by row.
  private var keys: [(code: KeyCode, row: Int, columns: Range<Int>)] {
    places.compactMap { place in
      guard case .key(let code) = place.target else { return nil }
      return (code, place.row, place.columns)
    }
  }
}

/// The table of keys, the worst first, and beside it or below it the key that is selected.
extension TopScreen {
  mutating func drawTable() {
    guard let device = model.device, row < bottom else { return }
    guard device.counts != nil else {
      return drawParagraph(StatusReport.noCounts)
    }
    let keys = model.keys
    guard !keys.isEmpty else { return drawParagraph("No key was pressed yet.") }
    frame.panels.append(.table)
    let isBeside = columns >= Self.columnsForTwo
    let width = isBeside ? min(columns - KeyPanel.leastWidth - 2, 78) : columns - 1
    let height = isBeside ? bottom - row : min(bottom - row, max(4, (bottom - row) / 2))
    let top = row
    drawKeys(keys, height: height, width: width)
    let panel =
      isBeside
      ? KeyPanel(row: top, column: width + 2, width: columns - width - 2, height: height)
      : KeyPanel(row: row + 1, column: 1, width: columns - 2, height: bottom - row - 1)
    draw(panel)
  }

  /// How wide the screen must be for the table and the key beside each other.
  private static let columnsForTwo = 76

  private mutating func drawKeys(_ keys: [KeyStatus], height: Int, width: Int) {
    let room = max(0, min(keys.count, height - 1))
    let selected = keys.firstIndex { $0.code == model.key?.code } ?? 0
    let first = min(max(0, selected - room / 2), keys.count - room)
    let shown = Array(keys[first..<first + room])
    frame.tableRows = room
    let lines = table(shown, width: width - 3).spans
    for (index, spans) in lines.enumerated() {
      let key = index > 0 ? shown[index - 1] : nil
      let isSelected = key != nil && key?.code == model.key?.code
      let isFocused = frame.focus(of: model) == .table
      let mark = marker(isSelected: isSelected, isFocused: isFocused)
      frame.grid.put([mark] + spans, row: row, column: 1, width: width - 1)
      if let key { place(.tableRow(key.code), row: row, columns: 0..<width) }
      row += 1
    }
  }

  /// With as many columns as there is room for.
  private func table(_ keys: [KeyStatus], width: Int) -> [TableColumn] {
    let all = KeyColumns(of: keys, labels: model.labels, on: sheet)
    let groups: [[TableColumn]] = [
      [all.name(space: 0, styles: { $0.code == model.key?.code ? [.bold] : $0.styles })],
      [all.strokes, all.chatter], [all.rate(sheet.isUnicode ? "‰" : "/1000", space: 1)],
      all.classes(\.letter), [all.nearMisses("near"), all.gap], [all.gaps],
    ]
    var table = groups[0]
    for group in groups.dropFirst() {
      let wider = table + group
      if wider.width > width { break }
      table = wider
    }
    return table
  }
}

/// The keyboard, where there is room for it and for the table.
extension TopScreen {
  /// How many rows the table needs below it.
  private static let rowsForTable = 5

  mutating func drawKeyboard() {
    guard let device = model.device else { return }
    let index = model.devices.firstIndex { $0.node == device.node } ?? 0
    let count = model.devices.count > 1 ? ", \(index + 1) of \(model.devices.count)" : ""
    if bottom - row > 2 { drawRule(device.device.title + count) }
    guard let keys = device.keys,
      let drawing = KeyboardDrawing(
        of: keys, columns: columns - 4, labels: model.labels),
      drawing.width + 4 <= columns
    else { return }
    let lines = drawing.spans(on: sheet)
    guard row + lines.count + Self.rowsForTable <= bottom else { return }
    frame.panels.append(.keyboard)
    for (index, line) in lines.enumerated() { frame.grid.put(line, row: row + index) }
    drawLegend(row: row + lines.count - 1, after: lines[lines.count - 1])
    let healths = Dictionary(keys.map { ($0.code, $0) }) { first, _ in first }
    for place in drawing.places(on: sheet) {
      let code = place.key.code
      self.place(
        .key(code), row: row + place.line,
        columns: place.columns.lowerBound..<place.columns.upperBound - 1)
      shade(place, healths[code])
      mark(place)
    }
    row += lines.count
  }

  /// With many colours, a key is the redder the more of its strokes chatter.
  private mutating func shade(_ place: KeyboardDrawing.Place, _ key: KeyStatus?) {
    guard colours == .many, let key, let shade = Self.shade(of: key) else { return }
    let inside = place.columns.lowerBound + 1..<place.columns.upperBound - 1
    frame.grid.restyle(row: row + place.line, columns: inside) { look in
      look = Look()
      look.isBold = ShownWear(of: key) == .worn
      look.foreground = 16
      look.background = shade
    }
  }

  /// Yellow to red, of the palette of 256.
  private static let shades: [(rate: Double, colour: UInt8)] = [
    (0.05, 196), (0.02, 202), (0.01, 208), (0.003, 214), (0.001, 220), (0, 228),
  ]

  private static func shade(of key: KeyStatus) -> UInt8? {
    guard key.counts.chatter.total > 0 else { return nil }
    return shades.first { key.rate >= $0.rate }?.colour
  }

  /// Signs at both sides of a label.
  private struct Signs {
    let left: String
    let right: String
    let styles: [Style]

    static let selected = Signs(left: "[", right: "]", styles: [.bold, .cyan])
    static let lit = Signs(left: "{", right: "}", styles: [.bold, .reverse, .cyan])
    static let alarmed = Signs(left: "!", right: "!", styles: [.bold, .reverse, .magenta])
  }

  /// Shows that a key is selected, by its lines; and that it is pressed or something of it was removed, within them.
  private mutating func mark(_ place: KeyboardDrawing.Place) {
    let code = place.key.code
    if code == model.key?.code { put(.selected, row: row + place.line, columns: place.columns) }
    guard model.live.isLit(code) || model.live.isAlarmed(code) else { return }
    let signs: Signs = model.live.isAlarmed(code) ? .alarmed : .lit
    let inside = place.columns.dropFirst().dropLast()
    // Where the label leaves no room, the signs take the lines.
    let isWide = place.key.label.columns + 2 <= inside.count
    put(signs, row: row + place.line, columns: isWide ? inside : place.columns)
    frame.grid.restyle(row: row + place.line, columns: inside) { $0 = Look(signs.styles) }
  }

  private mutating func put(_ signs: Signs, row: Int, columns: Range<Int>) {
    let (left, right) = (columns.lowerBound, columns.upperBound - 1)
    frame.grid.put([StyledText(signs.left, styles: signs.styles)], row: row, column: left)
    frame.grid.put([StyledText(signs.right, styles: signs.styles)], row: row, column: right)
  }

  /// What the signs mean that are not the keyboard's own.
  private mutating func drawLegend(row: Int, after legend: [StyledText]) {
    let start = legend.reduce(0) { $0 + $1.width } + 1
    let all: [(Signs, String)] =
      [(.selected, "selected")]
      + (model.live.isWatching ? [(.lit, "pressed"), (.alarmed, "removed")] : [])
    var spans: [StyledText] = []
    for (signs, words) in all {
      spans.append(StyledText(signs.left + words + signs.right, styles: signs.styles))
      spans.append(.blank(1))
    }
    guard start + spans.reduce(-1, { $0 + $1.width }) <= columns else { return }
    frame.grid.put(spans, row: row, column: start)
  }
}

/// Where the key that is selected is shown closely.
struct KeyPanel {
  var row: Int
  var column: Int
  var width: Int
  var height: Int

  /// So that each class of a histogram is two columns wide.
  static let leastWidth = labelWidth + 2 * IntervalHistogram.classCount
  static let labelWidth = 8
}

extension TopScreen {
  /// A line of the panel, and how soon it is left out where there is no room: the highest first.
  private struct Line {
    var rank: Int
    var spans: [StyledText]
  }

  mutating func draw(_ panel: KeyPanel) {
    guard panel.height > 0, panel.width >= 10, let key = model.key else { return }
    // The two histograms, the threshold and the scale.
    let least = panel.height >= 6 ? 4 : 0
    var lines = lines(about: key, width: panel.width)
    while lines.count > panel.height - least,
      let worst = lines.indices.max(by: { lines[$0].rank < lines[$1].rank })
    { lines.remove(at: worst) }
    var drawn = lines.map(\.spans)
    if least > 0 {
      let height = min(6, max(1, (panel.height - lines.count - 2) / 2))
      drawn += histograms(of: key, height: height, width: panel.width)
    }
    for (index, spans) in drawn.prefix(panel.height).enumerated() {
      frame.grid.put(spans, row: panel.row + index, column: panel.column, width: panel.width)
    }
  }

  private func lines(about key: KeyStatus, width: Int) -> [Line] {
    let chatter = key.counts.chatter.total
    let strategy = strategy(of: key)
    let words = ShownWear(of: key).words
    var lines = [
      Line(
        rank: 0,
        spans: [
          StyledText(key.name(model.labels), .bold), StyledText("  \(words)", styles: key.styles),
        ])
    ]
    /// Without the parts for which there is no room.
    func add(_ label: String, rank: Int, _ parts: String...) {
      var text = parts[0]
      for part in parts.dropFirst() where !part.isEmpty {
        let longer = "\(text), \(part)"
        if KeyPanel.labelWidth + 1 + longer.columns <= width { text = longer }
      }
      let label = StyledText(label.padded(to: KeyPanel.labelWidth + 1), .faint)
      guard label.width + text.columns <= width else { return }
      lines.append(Line(rank: rank, spans: [label, StyledText(text)]))
    }
    add(
      "strategy", rank: 2,
      strategy.name.printable + (strategy.threshold.map { " \($0.inMilliseconds)" } ?? ""),
      strategy.isOwn ? "its own" : "")
    add("strokes", rank: 3, "\(key.strokes.grouped) passed on")
    let rate = perThousand(chatter, of: UInt64(key.strokes)).map { "\($0) of 1000" } ?? ""
    add("removed", rank: 1, chatter > 0 ? chatter.grouped : "none", chatter > 0 ? rate : "")
    if let lately = model.removedLately(of: key.code) {
      add(
        "", rank: 4, "today \(lately.today.grouped)", "in seven days \(lately.week.grouped)")
    }
    let classes = Chatter.allCases.filter { key.counts.chatter[$0] > 0 }
      .map { "\($0.letter) \(key.counts.chatter[$0].grouped)" }
    if !classes.isEmpty { add("", rank: 5, classes.joined(separator: "  ")) }
    if let presses = key.habits.badFor {
      add("bad", rank: 6, "releases delayed for \(presses.counted("press")) more")
    }
    return lines
  }

  private func strategy(
    of key: KeyStatus
  ) -> (name: String, threshold: Microseconds?, isOwn: Bool) {
    guard let device = model.device else { return ("", nil, false) }
    guard let own = device.keyStrategies.first(where: { $0.code == key.code }) else {
      return (device.strategy, device.threshold, false)
    }
    return (own.strategy, own.threshold, true)
  }

  // MARK: Gaps

  /// The gaps of what was removed and of what was passed on, the threshold between, and a scale.
  private func histograms(of key: KeyStatus, height: Int, width: Int) -> [[StyledText]] {
    let step = max(1, min(4, (width - KeyPanel.labelWidth) / IntervalHistogram.classCount))
    return bars("removed", key.removedGaps.values, [.red], height: height, step: step)
      + [threshold(of: key, step: step)]
      + bars("passed", key.gaps.values, [.green], height: height, step: step)
      + [scale(step: step)]
  }

  /// A mark at the threshold; empty if the strategy does not judge by gaps.
  private func threshold(of key: KeyStatus, step: Int) -> [StyledText] {
    let strategy = strategy(of: key)
    guard let threshold = strategy.threshold, threshold > 0,
      StrategyKind(rawValue: strategy.name)?.packaged.judgesByGaps == true
    else { return [] }
    let column = Self.column(of: threshold, step: step)
    let mark = sheet.isUnicode ? "▲" : "^"
    let text = "threshold \(threshold.inMilliseconds)"
    // Where there is no room at the right, the number stands at the left.
    let isLeft = column + 2 + text.count > step * IntervalHistogram.classCount
    let words = isLeft ? "\(text) \(mark)" : "\(mark) \(text)"
    let blanks = KeyPanel.labelWidth + column - (isLeft ? text.count + 1 : 0)
    return [StyledText(String(repeating: " ", count: max(0, blanks)) + words, .bold)]
  }

  private static func column(of gap: Microseconds, step: Int) -> Int {
    let bounds = [0] + IntervalHistogram.bounds
    guard let index = bounds.lastIndex(where: { $0 <= gap }), index + 1 < bounds.count else {
      return step * IntervalHistogram.classCount - 1
    }
    let (low, high) = (bounds[index], bounds[index + 1])
    return step * index + Int(Microseconds(step) * (gap - low) / (high - low))
  }

  private func bars(
    _ label: String, _ counts: [UInt32], _ styles: [Style], height: Int, step: Int
  ) -> [[StyledText]] {
    // Most gaps are longer than all the classes that matter: the last is cut off.
    let highest = Double(counts.dropLast().max() ?? 0)
    guard counts.contains(where: { $0 > 0 }) else {
      return [[StyledText(label.padded(to: KeyPanel.labelWidth) + "none", .faint)]]
    }
    let levels = counts.map { count -> Int in
      guard count > 0 else { return 0 }
      guard highest > 0 else { return 8 * height }
      return min(8 * height, max(1, Int((Double(count) / highest * Double(8 * height)).rounded())))
    }
    return (0..<height).reversed().map { row in
      let text = levels.map { String(repeating: block($0 - 8 * row), count: step) }.joined()
      let label = row == 0 ? label : ""
      return [
        StyledText(label.padded(to: KeyPanel.labelWidth), .faint), StyledText(text, styles: styles),
      ]
    }
  }

  private func scale(step: Int) -> [StyledText] {
    var text = ""
    for (index, low) in ([0] + IntervalHistogram.bounds).enumerated() {
      guard text.isEmpty || text.count < step * index else { continue }
      text = text.padded(to: step * index) + String(low / 1000)
    }
    return [StyledText("ms".padded(to: KeyPanel.labelWidth), .faint), StyledText(text, .faint)]
  }

  /// A character that is filled up to this many eighths.
  private func block(_ eighths: Int) -> Character {
    guard eighths > 0 else { return " " }
    guard sheet.isUnicode else { return eighths >= 4 ? "#" : "." }
    return Array("▁▂▃▄▅▆▇█")[min(eighths, 8) - 1]
  }
}

extension TopScreen {
  mutating func drawHelp() {
    drawRule("Help")
    for (letters, words) in Self.help {
      let lines = words.wrapped(to: max(10, columns - 18))
      for (index, line) in lines.enumerated() where row < bottom {
        if index == 0 { frame.grid.put(letters, .bold, row: row, column: 2) }
        frame.grid.put(line, row: row, column: 16)
        row += 1
      }
    }
  }

  private static let help = [
    ("Tab", "goes on to the devices, the keyboard or the table"),
    ("arrows", "select there; so does the mouse"),
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
