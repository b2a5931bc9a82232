import Debounce
import Devices
import EventDevices
import Status
import TerminalText

/// The devices as a person reads them: one under the other, in as many lines as the terminal's width needs.
///
/// ```
/// DEVICE             IDS        KIND      NAME
/// /dev/input/event3  3434:0120  keyboard  Keychron K2
///   take: adaptive, by the defaults; now debounced
///   at usb-0000:00:14.0-2/input0, by-id/usb-Keychron_K2-event-kbd
/// /dev/input/event4  046d:c077  mouse     Logitech USB Optical Mouse
///   leave: no keyboard, and no device file is about it
/// ```
struct ListTable {
  /// From this width on, what is done with a device stands beside it and not below.
  private static let wide = 120
  private static let gap = 2

  private let terminal: Terminal
  private let characters: Characters
  private let columns: Int
  private let showsAll: Bool

  /// - Parameter columns: The width, if it is not the terminal's own.
  init(
    _ terminal: Terminal, showsAll: Bool = false, columns: Int? = nil,
    characters: Characters = .ofLocale
  ) {
    self.terminal = terminal
    self.characters = characters
    self.showsAll = showsAll
    // What is not read on a terminal is searched line by line.
    self.columns = columns ?? (terminal.isTerminal ? terminal.columns : 1 << 20)
  }

  /// The whole table.
  ///
  /// - Parameter isRunning: Whether the daemon has told what it does.
  func text(of devices: [ListedDevice], isRunning: Bool) -> String {
    let shown = devices.filter { showsAll || !$0.node.isClone && !$0.node.keys.isEmpty }
    let cells = shown.map(Self.cells)
    let widths = (0..<4).map { column in
      ([Self.titles] + cells).map { $0[column].columns }.max() ?? 0
    }
    var text = ""
    if !shown.isEmpty {
      var titles = row(Self.titles, widths)
      if hasRoomBeside(widths) { titles = titles.padded(to: indent(widths)) + "WHAT IS DONE" }
      text += terminal.styled(titles, .bold) + "\n"
    }
    for (device, cells) in zip(shown, cells) {
      text += lines(of: device, cells, widths)
    }
    for note in notes(devices, shown, isRunning) {
      text += terminal.styled(note, .faint) + "\n"
    }
    return characters.spell(text)
  }

  private static let titles = ["DEVICE", "IDS", "KIND", "NAME"]

  private static func cells(_ device: ListedDevice) -> [String] {
    [
      device.node.path, device.numbers,
      device.kinds.isEmpty ? "-" : device.kinds.joined(separator: ","), device.node.title,
    ]
  }

  /// The cells in one line. The last one is as long as it is.
  private func row(_ cells: [String], _ widths: [Int]) -> String {
    var line = ""
    for (cell, width) in zip(cells.dropLast(), widths) { line += cell.padded(to: width + Self.gap) }
    return line + (cells.last ?? "")
  }

  /// Where the name ends, and what is done begins if it stands beside it.
  private func indent(_ widths: [Int]) -> Int {
    widths.reduce(0) { $0 + $1 + Self.gap }
  }

  /// Whether what is done can stand beside the name: there must be room for some words.
  private func hasRoomBeside(_ widths: [Int]) -> Bool {
    columns >= Self.wide && columns - indent(widths) >= 40
  }

  private func lines(
    of device: ListedDevice, _ cells: [String], _ widths: [Int]
  ) -> String {
    let verdict = device.verdict + (device.state.map { "; now \($0.inWords)" } ?? "")
    let styles: [Style] = device.isTaken ? [.green] : [.faint]
    var details: [String] = []
    if showsAll || device.isTaken { details = self.details(of: device.node) }

    guard hasRoomBeside(widths) else {
      var text = row(cells, widths) + "\n"
      for line in verdict.wrapped(to: columns - 4).indented(by: 2) {
        text += painted(line, styles) + "\n"
      }
      for line in details.flatMap({ $0.wrapped(to: columns - 4).indented(by: 2) }) {
        text += painted(line, [.faint]) + "\n"
      }
      return text
    }
    var text = ""
    let indent = indent(widths)
    for (index, line) in verdict.wrapped(to: columns - indent).enumerated() {
      let left = index == 0 ? row(cells, widths) : ""
      text += left.padded(to: indent) + painted(line, styles) + "\n"
    }
    for line in details { text += painted("  " + line, [.faint]) + "\n" }
    return text
  }

  /// What tells the device from others like it.
  private func details(of node: DeviceNode) -> [String] {
    var places = node.phys.isEmpty ? [] : ["at \(node.phys.printable)"]
    // By what it is, not by where it is plugged in: that is told already.
    places += node.links.filter { showsAll || $0.contains("/by-id/") }.map(\.printable)
    if showsAll, let uniq = node.identity.uniq, !uniq.isEmpty {
      places.append("uniq \(uniq.printable)")
    }
    return places
  }

  /// What is said below the table.
  private func notes(
    _ devices: [ListedDevice], _ shown: [ListedDevice], _ isRunning: Bool
  ) -> [String] {
    guard !devices.isEmpty else {
      return ["no event device is there, or udev, which knows them, is not running"]
    }
    var notes: [String] = []
    let hidden = devices.count - shown.count
    if hidden > 0 {
      notes.append(
        "not shown: \(hidden) without keys or made by keydebounce itself; --all shows them")
    }
    if !isRunning {
      notes.append("no daemon answers: this is what would be done, not what is")
    }
    return notes
  }

  private func painted(_ text: String, _ styles: [Style]) -> String {
    styles.reduce(text) { terminal.styled($0, $1) }
  }
}

extension [String] {
  /// The lines with blanks before them; those after the first with two more, to show that they go on.
  fileprivate func indented(by blanks: Int) -> [String] {
    enumerated().map { String(repeating: " ", count: $0 == 0 ? blanks : blanks + 2) + $1 }
  }
}
