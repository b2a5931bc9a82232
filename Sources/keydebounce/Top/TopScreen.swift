import Debounce
import EventDevices
import Terminal
import Status

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
    var spans = [StyledText("keydebounce", .bold)]
    if let status = model.status {
      spans[0].text += " \(status.version.printable)"
      spans.append(StyledText(", running for \(inWords(seconds: status.uptime))"))
      if !status.configuration.problems.isEmpty {
        spans.append(StyledText("; the settings have errors, “keydebounce check” shows them", .red))
      }
    }
    frame.grid.put(spans, row: row, column: 1)
    row += 1
  }

  /// A line with a title.
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
      spans = [
        StyledText(
          "Since you look: \(model.live.presses.counted("press")), \(model.live.removed.grouped) removed",
          .faint)
      ]
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
      return drawParagraph(
        "No device is debounced. Keyboards are taken as soon as they are plugged in; “keydebounce list” shows "
          + "what is done with each device, and why.")
    }
    frame.panels.append(.devices)
    let selected = devices.firstIndex { $0.node == model.device?.node } ?? 0
    let room = min(devices.count, rows >= 40 ? 8 : rows >= 20 ? 3 : 1, max(1, bottom - row))
    let first = min(max(0, selected - room / 2), devices.count - room)
    let shown = Array(devices[first..<first + room])
    for (device, spans) in zip(shown, deviceTable(shown).spans.dropFirst()) where row < bottom {
      let isSelected = device.node == model.device?.node
      let mark = marker(isSelected: isSelected, isFocused: model.focus == .devices)
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
    var table = [
      column(space: 0) { device in
        let name = device.name.printable
        let isSelected = device.node == model.device?.node
        return StyledText(
          name.allSatisfy { $0 == " " } ? "(no name)" : name.cut(to: max(16, columns / 3)),
          styles: isSelected ? [.bold] : [])
      },
      column {
        $0.pause == nil || $0.state != .debounced
          ? StyledText($0.state.inFewWords, styles: $0.state.styles) : StyledText("paused", .yellow)
      },
      column { StyledText($0.strategy.printable) },
    ]
    if devices.contains(where: { $0.counts != nil }) {
      table += [
        column(.right) { StyledText($0.counts.map { "\($0.pressesOut.grouped) passed on" } ?? "") },
        column(.right) { StyledText($0.counts.map { "\($0.chatter.grouped) removed" } ?? "") },
      ]
    }
    if table.width + 24 < columns {
      table.insert(column { StyledText($0.node.printable, .faint) }, at: 1)
    }
    return table
  }

  /// Text in lines.
  mutating func drawParagraph(_ text: String) {
    for line in text.wrapped(to: max(10, columns - 2)) where row < bottom {
      frame.grid.put(line, row: row, column: 1)
      row += 1
    }
  }
}

extension DeviceStatus.State {
  /// The state where there is little room.
  fileprivate var inFewWords: String {
    switch self {
    case .starting: "getting ready"
    case .waiting: "waiting for keys to come up"
    case .busy: "grabbed by another program"
    case .debounced: "debounced"
    case .lent: "lent"
    case .leaving: "being given back"
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
