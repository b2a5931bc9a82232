import Debounce
import EventDevices
import Terminal

/// The devices as a person reads them: one under the other, in as many lines as the terminal's width needs.
///
/// ```
/// DEVICE             IDS        KIND      NAME
/// /dev/input/event3  3434:0120  keyboard  Keychron K2
///   take: adaptive, by the defaults; now debounced
///   at usb-0000:00:14.0-2/input0, by-id/usb-Keychron_K2-event-kbd
/// /dev/input/event4  046d:c077  mouse     Logitech USB Optical Mouse
///   leave: no keyboard, and no device file is about it; “sudo keydebounce take event4” takes it
/// ```
struct ListTable {
  /// From this width on, what is done with a device stands beside it and not below.
  private static let wide = 120

  private let sheet: Sheet
  private let showsAll: Bool

  init(on sheet: Sheet, showsAll: Bool = false) {
    self.sheet = sheet
    self.showsAll = showsAll
  }

  /// The whole table.
  ///
  /// - Parameter isRunning: Whether the daemon has answered.
  func text(of devices: [ListedDevice], isRunning: Bool) -> String {
    let shown = devices.filter { showsAll || !$0.node.isClone && !$0.node.keys.isEmpty }
    let cells = [Self.titles] + shown.map(Self.cells)
    let widths = Self.titles.indices.map { column in cells.map { $0[column].columns }.max() ?? 0 }
    let rows = cells.map { row in zip(row, widths).map { $0.padded(to: $1 + 2) }.joined() }
    let width = widths.reduce(0) { $0 + $1 + 2 }
    // There must be room for some words.
    let isWide = sheet.columns >= Self.wide && sheet.columns - width >= 40

    if sheet.isPlain { return plain(shown, devices, isRunning) }
    var lines: [String] = []
    if !shown.isEmpty {
      lines.append(sheet.line([StyledText(rows[0] + (isWide ? "WHAT IS DONE" : ""), .bold)]))
    }
    for (device, row) in zip(shown, rows.dropFirst()) {
      let action = [StyledText(device.action, device.isTaken ? .green : .faint)]
      if isWide {
        lines += sheet.wrapped(action, after: [StyledText(row)])
      } else {
        lines.append(sheet.line([StyledText(row)]))
        lines += sheet.wrapped(action, after: [.blank(2)], hang: 2)
      }
      guard showsAll || device.isTaken else { continue }
      for place in places(of: device.node) {
        lines += sheet.wrapped([StyledText(place, .faint)], after: [.blank(2)], hang: 2)
      }
    }
    lines += notes(devices, shown, isRunning).map { sheet.line([StyledText($0, .faint)]) }
    return lines.map { $0 + "\n" }.joined()
  }

  /// A fact a line.
  private func plain(
    _ shown: [ListedDevice], _ devices: [ListedDevice], _ isRunning: Bool
  ) -> String {
    let lines = shown.flatMap { device -> [String] in
      let numbers = device.kinds.isEmpty ? "" : "kind: \(device.kinds.joined(separator: ", "))"
      let places = showsAll || device.isTaken ? self.places(of: device.node) : []
      return ["\(device.node.title), \(device.node.path)", "numbers: \(device.numbers)", numbers]
        + [device.action] + places
    }
    return (lines + notes(devices, shown, isRunning)).filter { !$0.isEmpty }
      .map { sheet.line([StyledText($0)]) + "\n" }.joined()
  }

  private static let titles = ["DEVICE", "IDS", "KIND", "NAME"]

  private static func cells(_ device: ListedDevice) -> [String] {
    [
      device.node.path, device.numbers,
      device.kinds.isEmpty ? "-" : device.kinds.joined(separator: ","), device.node.title,
    ]
  }

  /// What distinguishes the device from others like it.
  private func places(of node: DeviceNode) -> [String] {
    var places = node.phys.isEmpty ? [] : ["at \(node.phys.printable)"]
    // By what it is, not by where it is plugged in: that is in the table already.
    places += node.links.filter { showsAll || $0.contains("/by-id/") }.map(\.printable)
    if showsAll, let uniq = node.identity.uniq, !uniq.isEmpty {
      places.append("uniq \(uniq.printable)")
    }
    if node.seat != Seat.first { places.append("seat \(node.seat.printable)") }
    return places
  }

  /// What is said below the table.
  private func notes(
    _ devices: [ListedDevice], _ shown: [ListedDevice], _ isRunning: Bool
  ) -> [String] {
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
}
