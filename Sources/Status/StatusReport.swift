import Debounce
import EventDevices
import Terminal

/// What `status` shows a person.
public struct StatusReport {
  public struct Options: Sendable {
    /// Whether healthy keys are shown, too.
    public var hasAllKeys: Bool
    /// Whether keyboards are drawn; `nil` where it makes sense: if there are colours.
    public var hasKeyboard: Bool?
    /// What stands on keys of this system's layout that type something else than their names say.
    public var labels: [KeyCode: String]
    /// What is known of devices that other programs have grabbed, by node.
    public var held: [String: HeldDevice]

    public init(
      hasAllKeys: Bool = false, hasKeyboard: Bool? = nil, held: [String: HeldDevice] = [:],
      labels: [KeyCode: String] = [:]
    ) {
      self.hasAllKeys = hasAllKeys
      self.hasKeyboard = hasKeyboard
      self.held = held
      self.labels = labels
    }
  }

  private let status: DaemonStatus
  private let options: Options
  private let sheet: Sheet

  public init(of status: DaemonStatus, options: Options = Options(), on sheet: Sheet) {
    (self.status, self.options, self.sheet) = (status, options, sheet)
  }

  /// The text, with a line break after each line.
  public var text: String {
    var parts = [daemon] + status.devices.map(device)
    if status.devices.isEmpty { parts.append(noDevices) }
    if !notes.isEmpty { parts.append(notes) }
    return parts.map { part in part.map { $0 + "\n" }.joined() }.joined(separator: "\n")
  }

  /// How many keys with a strategy of their own are named; more are only counted.
  private static let mostStrategies = 4

  /// By how many columns details are indented.
  private static let indent = 2
}

// MARK: - The daemon

extension StatusReport {
  private var daemon: [String] {
    let heading = [
      StyledText("keydebounce \(status.version.printable)", .bold),
      StyledText(", running for \(inWords(seconds: status.uptime)), process \(status.pid)"),
    ]
    let configuration = status.configuration
    let files = configuration.deviceFiles
    var lines = sheet.wrapped(heading)
    lines += entry(
      "settings",
      "\(configuration.path.printable), "
        + (files == 0 ? "no device file" : files.counted("device file")))
    guard !configuration.problems.isEmpty || !configuration.warnings.isEmpty else { return lines }
    if !configuration.problems.isEmpty {
      lines += entry(
        "",
        [
          StyledText(
            configuration.reloads == 0
              ? "have errors; keydebounce leaves the devices of broken files alone. Run “keydebounce check”:"
              : "have errors; keydebounce keeps the settings that it had before. Run “keydebounce check”:",
            .red)
        ])
      lines += configuration.problems.flatMap {
        entry("", [StyledText("error: \($0.printable)", .red)])
      }
    }
    lines += configuration.warnings.flatMap {
      entry("", [StyledText("warning: \($0.printable)", .yellow)])
    }
    return lines
  }

  /// What is shown where there is no device: what is so, and what to do.
  public static let noDevices = [
    "No device is debounced.",
    "keydebounce debounces a keyboard as soon as you plug it in; “keydebounce list” shows all devices, and why "
      + "keydebounce leaves some alone.",
  ]

  /// What is shown to those who may not see counts.
  public static let noCounts = "Only root and the group “keydebounce” see counts: try sudo."

  private var noDevices: [String] {
    sheet.wrapped([
      StyledText(Self.noDevices[0], .bold), StyledText(" " + Self.noDevices[1]),
    ])
  }

  /// The notes that stand once, below everything.
  private var notes: [String] {
    var notes: [String] = []
    if status.devices.contains(where: { $0.counts == nil }) {
      notes += sheet.wrapped([StyledText(Self.noCounts)])
    }
    let tables = status.devices.compactMap(\.counts).map(table(of:)).filter { !$0.isEmpty }
    if !tables.isEmpty {
      let titles = tables.map { $0.titles(on: sheet, indent: Self.indent) }
      var legend = ["Counts of keys survive unplugging and restarts."]
      if titles.contains(where: { $0.hasClasses }) { legend.insert(StatusKeyTable.legend, at: 0) }
      if titles.contains(where: { $0.hasHolds }) { legend.append(StatusKeyTable.legendOfHolds) }
      notes += sheet.wrapped([StyledText(legend.joined(separator: " "), .faint)])
    }
    return notes
  }

  private func table(of counts: DeviceCounts) -> StatusKeyTable {
    StatusKeyTable(
      counts.keys, usualHold: counts.usualHold, isComplete: options.hasAllKeys,
      labels: options.labels)
  }
}

// MARK: - Devices

extension StatusReport {
  private func device(_ device: DeviceStatus) -> [String] {
    var lines = sheet.wrapped([
      StyledText(device.device.title, .bold),
      StyledText(" (\(device.node.printable)): "),
      StyledText(device.stateInWords, styles: device.stateStyles),
    ])
    if device.state == .busy { lines += holders(of: device) }
    if let pause = device.pause { lines += entry("paused", pause.inWords) }
    lines += entry("strategy", strategy(of: device))
    lines += named(in: device)
    if !device.panicChord.isEmpty {
      lines += entry("panic", device.panicChord.map(\.printable).joined(separator: " + "))
    }
    if let counts = device.counts { lines += self.counts(counts, of: device) }
    return lines
  }

  /// Who may have grabbed the device, and what to do about it.
  private func holders(of device: DeviceStatus) -> [String] {
    guard let held = options.held[device.node] else {
      return entry("held by", "“sudo keydebounce status” names the program, and what to do")
    }
    return entry("held by", held.holders)
      + held.advice.enumerated().flatMap { index, line in
        let label = index == 0 ? "to do" : ""
        switch line {
        case .sentence(let text): return entry(label, text)
        // Not wrapped: it is to be copied.
        case .literal(let text):
          return [sheet.isPlain ? text : String(repeating: " ", count: Self.indent + 15) + text]
        }
      }
  }

  private func counts(_ counts: DeviceCounts, of device: DeviceStatus) -> [String] {
    var lines: [String] = []
    if counts.pressesIn == 0 {
      lines += entry("presses", "none since the daemon grabbed it")
    } else {
      lines += entry(
        "presses", "\(counts.pressesOut.grouped) passed on since the daemon grabbed it")
      lines += entry("chatter", chatter(in: counts))
    }
    for (label, count, rest) in [
      ("throttled", counts.throttled, ""),
      ("locked out", counts.lockedOut, " suppressed: another key of the group was down"),
      ("too soon", counts.tooSoon, " suppressed by bounce-keys"),
      ("too short", counts.tooShort, " suppressed by slow-keys"),
    ] where count > 0 {
      lines += entry(label, count.counted("stroke") + rest)
    }
    if counts.reversals > 0 {
      lines += entry("wheel", "\(counts.reversals.counted("step")) removed: backwards, or twice")
    }
    let meanings = Meaning.inWords(counts.counters)
    if !meanings.isEmpty {
      lines += entry("meant", meanings.joined(separator: ", "))
    }
    if counts.resynchronisations > 0 {
      let losses = counts.resynchronisations
      let times = losses == 1 ? "once" : "\(losses.grouped) times"
      lines += entry("lost", [StyledText("the kernel dropped events \(times)", .yellow)])
    }
    if counts.badKeys > 0 {
      lines += entry("bad keys", badKeys(in: counts, of: device))
    }
    if let hold = counts.usualHold {
      let since = counts.since.map { "; counted and learned since \($0)" } ?? ""
      lines += entry("usual hold", "\((hold / 2 + 250) / 500) ms\(since)")
    }
    if counts.typesLikeAMachine {
      lines += entry("machine", DeviceStatus.machineInWords)
    }
    if let delay = LatencyQuantiles(counts.latency) {
      lines += entry("delay", "half of all events \(delay.median), 99 % \(delay.high)")
    }
    return lines + keys(in: counts)
  }

  private func keys(in counts: DeviceCounts) -> [String] {
    var lines: [String] = []
    let room = sheet.columns - Self.indent
    if !sheet.isPlain, options.hasKeyboard ?? sheet.hasColours,
      let drawing = KeyboardDrawing(of: counts.keys, columns: room, labels: options.labels),
      drawing.width <= room
    {
      lines += [""] + drawing.lines(on: sheet)
    }
    let table = table(of: counts)
    if !table.isEmpty { lines += [""] + table.lines(on: sheet, indent: Self.indent) }
    if let rest = table.rest {
      if table.isEmpty { lines.append("") }
      lines += sheet.wrapped(
        [StyledText(rest), StyledText("; --all shows them", .faint)], after: [.blank(Self.indent)])
    }
    return lines
  }

  private func strategy(of device: DeviceStatus) -> String {
    var text = device.strategy.printable
    text += ", from \(device.file?.printable ?? "the defaults")"
    if !device.keyStrategies.isEmpty, device.keyStrategies.count <= Self.mostStrategies {
      for key in device.keyStrategies {
        let words = Strategy.inWords(key.strategy.printable, threshold: key.threshold)
        text += "; \(key.name(options.labels)): \(words)" + (key.named == nil ? "" : ", named")
      }
    } else if device.ownKeys > 0 {
      text +=
        "; \(device.ownKeys.counted("key")) \(device.ownKeys == 1 ? "has its" : "have their") own"
    }
    return text
  }

  private func chatter(in counts: DeviceCounts) -> [StyledText] {
    guard counts.chatter.total > 0 else { return [StyledText("none")] }
    let rate =
      perThousand(counts.chatter.total, of: counts.pressesOut).map { ", \($0) of 1000" } ?? ""
    let words = Chatter.inWords { counts.counters[Removal.chatter($0)] }.map { count in
      String(count.map { $0 == " " ? Sheet.noBreak : $0 })
    }
    return [
      StyledText("\(counts.chatter.total.grouped) removed\(rate)", .bold),
      StyledText(": \(words.joined(separator: ", "))"),
    ]
  }

  /// Which keys are bad, what that costs them, and since when.
  private func badKeys(in counts: DeviceCounts, of device: DeviceStatus) -> String {
    let byEvidence = counts.keys.compactMap { key in
      key.habits.badFor.map { presses in
        let next = presses == 1 ? "next press" : "next \(presses.grouped) presses"
        let since = key.badSince.map { "; bad since \($0)" } ?? ""
        return "\(key.name(options.labels)) (releases delayed for its \(next)\(since))"
      }
    }
    let names = Set(device.keyStrategies.filter { $0.named != nil }.map(\.code))
    let byName = counts.keys.filter { $0.isBad && names.contains($0.code) }
      .map { "\($0.name(options.labels)) (releases delayed: the settings name it)" }
    let keys = byEvidence + byName
    return keys.isEmpty ? counts.badKeys.grouped : keys.joined(separator: ", ")
  }

  /// Which keys the settings name, and what each of them costs for that.
  private func named(in device: DeviceStatus) -> [String] {
    var rest = device.keyStrategies.filter { $0.named != nil }
    var lines: [String] = []
    while let first = rest.first, let cost = first.cost {
      let alike = rest.filter { $0.cost == cost }
      rest.removeAll { $0.cost == cost }
      let keys =
        alike.count <= Self.mostStrategies
        ? alike.map { $0.name(options.labels) }.joined(separator: ", ")
        : alike.count.counted("key")
      lines += entry(
        lines.isEmpty ? "named" : "", "\(keys): \(cost.sentences.joined(separator: "; "))")
    }
    return lines
  }

  private func entry(_ label: String, _ spans: [StyledText]) -> [String] {
    sheet.entry(label, spans)
  }

  private func entry(_ label: String, _ text: String) -> [String] {
    sheet.entry(label, text)
  }
}

/// A device that another program has grabbed: which programs it may be, and what to do so that both work.
///
/// The kernel tells nobody who has grabbed a device, but root sees who has it open.
public struct HeldDevice: Equatable, Sendable {
  /// A line of what to do.
  public enum Line: Equatable, Sendable {
    case sentence(String)
    /// To be written as it stands.
    case literal(String)
  }

  /// A program that has the device open.
  public struct Program: Equatable, Sendable {
    public var name: String
    public var process: Int32

    public init(name: String, process: Int32) {
      self.name = name
      self.process = process
    }
  }

  public var name: String
  /// The name of its clone; `nil` if it has none.
  public var cloneName: String?
  public var keydID: KeydID
  public var programs: [Program]

  public init(name: String, cloneName: String?, keydID: KeydID, programs: [Program]) {
    (self.name, self.cloneName, self.keydID, self.programs) = (name, cloneName, keydID, programs)
  }

  /// Who has it open, in words.
  public var holders: String {
    let texts = programs.map { "\($0.name.printable) (process \($0.process))" }
    return switch texts.count {
    case 0: "you cannot see which program has it open; root can"
    case 1: "\(texts[0]) has it open"
    default: "these have it open: \(texts.joined(separator: ", "))"
    }
  }
}

// MARK: - What to do

extension HeldDevice {
  /// The programs for which it is known what to write.
  private enum Remapper {
    case keyd
    case kanata

    /// - Parameter program: A process's name; Debian calls keyd “keyd.rvaiya”.
    init?(program: String) {
      switch program.split(whereSeparator: { !$0.isLetter && !$0.isNumber }).first {
      case "keyd": self = .keyd
      case "kanata": self = .kanata
      default: return nil
      }
    }
  }

  /// How to make the other program read what keydebounce passes on.
  public var advice: [Line] {
    if let remapper = programs.lazy.compactMap({ Remapper(program: $0.name) }).first {
      return naming + lines(for: remapper)
    }
    // Another keydebounce, or one that has not handed the device over.
    guard !programs.contains(where: { $0.name == "keydebounce" }) else { return [] }
    return [
      .sentence(
        "Only one program can grab a device. Stop the other, or have it read keydebounce's clone of the device: see "
          + "keydebounce-remappers(7).")
    ]
  }

  /// The name by which others can tell the clone from the device.
  private var nameOfClone: String {
    if let cloneName, cloneName != name { cloneName } else { "\(name) (debounced)" }
  }

  /// What gives the clone such a name, unless it has one.
  private var naming: [Line] {
    if let cloneName, cloneName != name { return [] }
    return [
      .sentence("In /etc/keydebounce/keydebounce.toml, write below [defaults]:"),
      .literal("clone-name = \"%s (debounced)\""),
      .sentence("Then run “sudo systemctl restart keydebounce”."),
    ]
  }

  private func lines(for remapper: Remapper) -> [Line] {
    switch remapper {
    case .keyd:
      [
        .sentence("In each file in /etc/keyd for this device, write first below [ids]:"),
        .literal("-\(keydID)"),
        .sentence(
          "Then run “sudo keyd reload”: keyd grabs keydebounce's clone, and not this device."),
      ]
    case .kanata:
      [
        .sentence("In kanata's file, write into (defcfg …), in the place of linux-dev:"),
        .literal("linux-dev-names-include (\"\(nameOfClone.printable)\")"),
        // It ends otherwise if it is started while the clone is not there.
        .literal("linux-continue-if-no-devs-found yes"),
        .sentence("Then restart kanata: it grabs keydebounce's clone, and not this device."),
      ]
    }
  }
}

/// The keys of a device, the worst first.
struct StatusKeyTable {
  /// How many keys are shown unless all are wanted.
  static let shortCount = 12

  private let shown: [KeyStatus]
  /// How long keys of the device are usually held, in microseconds; `nil` if that is not to be shown.
  private let usualHold: Microseconds?
  private let labels: [KeyCode: String]
  /// What is not shown, in words.
  let rest: String?

  /// - Parameter usualHold: How long keys of the device are usually held, in microseconds; `nil` if that is not known.
  init(
    _ keys: [KeyStatus], usualHold: Microseconds? = nil, isComplete: Bool,
    labels: [KeyCode: String] = [:]
  ) {
    self.labels = labels
    self.usualHold = isComplete ? usualHold : nil
    let sorted = keys.worstFirst
    let suspects = sorted.filter { $0.chatter.total > 0 || $0.nearMisses > 0 }
    shown = isComplete ? sorted : Array(suspects.prefix(Self.shortCount))
    let further = isComplete ? 0 : suspects.count - shown.count
    let healthy = isComplete ? 0 : sorted.count - suspects.count
    rest =
      switch (further, healthy) {
      case (0, 0): nil
      case (0, _):
        shown.isEmpty ? healthy.counted("healthy key") : "… and \(healthy.counted("healthy key"))"
      case (_, 0): "… and \(further) more"
      default: "… and \(further) more, and \(healthy.counted("healthy key"))"
      }
  }

  var isEmpty: Bool { shown.isEmpty }

  /// The table, with as many columns as there is room for.
  func lines(on sheet: Sheet, indent: Int) -> [String] {
    if sheet.isPlain { return sheet.table(table(.words, on: sheet, indent: 0)) }
    return sheet.table(table(details(on: sheet, indent: indent), on: sheet, indent: indent))
  }

  private func details(on sheet: Sheet, indent: Int) -> Details {
    if sheet.isPlain { return .words }
    return Details.all.first { table($0, on: sheet, indent: indent).width <= sheet.columns }
      ?? Details.all[Details.all.count - 1]
  }

  /// Which of its titles the legend explains.
  func titles(on sheet: Sheet, indent: Int) -> (hasClasses: Bool, hasHolds: Bool) {
    let details = details(on: sheet, indent: indent)
    return (details.hasClasses, details.hasHolds && usualHold != nil)
  }

  /// What the titles mean.
  static let legend = """
    \(Chatter.allCases.map { "\($0.letter) \($0.noun)s" }.joined(separator: ", ")); near misses: strokes \
    passed on after a gap hardly longer than chatter's; gap: the median gap of what was removed, in ms.
    """

  static let legendOfHolds = "Held: how long you usually hold the key, in ms."
}

/// How much a table shows.
private struct Details {
  var hasWords = false
  var hasSparkline = false
  var hasClasses = true
  /// The shortest bar, in columns; the longest takes what room there is.
  var bar = 0
  var hasHolds = false

  /// All that can be said in words.
  static let words = Details(hasWords: true, hasHolds: true)

  /// The most first. How long keys are held is left out before anything that a table of the worst keys has.
  static let all: [Details] = [
    Details(hasWords: true, hasSparkline: true, bar: 12), Details(hasSparkline: true, bar: 8),
    Details(bar: 4), Details(), Details(hasClasses: false),
  ].flatMap { details in
    var more = details
    more.hasHolds = details.hasClasses
    return [more, details]
  }
}

extension StatusKeyTable {
  private func table(_ details: Details, on sheet: Sheet, indent: Int) -> [TableColumn] {
    let all = KeyColumns(of: shown, labels: labels, on: sheet)
    var columns = [
      all.name(space: indent) { ShownWear(of: $0) == .worn ? [.bold] : [] }, all.strokes,
      all.chatter,
      all.rate("of 1000"),
    ]
    let place = columns.count
    if details.hasClasses {
      columns += all.classes { chatter in
        let words = sheet.isPlain ? "\(chatter.noun)s" : "\(chatter.letter): \(chatter.noun)s"
        return details.hasWords ? words : chatter.letter
      }
      if shown.contains(where: { $0.suppressed > 0 }) {
        columns.append(all.column("suppressed") { .count($0.suppressed) })
      }
      columns += [all.nearMisses(details.hasWords ? "near misses" : "near"), all.gap]
      if let usualHold, details.hasHolds {
        columns.append(
          all.column("held") {
            StyledText((max(0, usualHold / 2 + $0.habits.offset / 2 + 250) / 500).grouped)
          })
      }
    }
    if details.hasSparkline { columns.append(all.gaps) }
    if details.hasClasses, shown.contains(where: \.isBad) {
      columns.append(all.column("", .left) { StyledText($0.isBad ? "bad" : "") })
    }
    if details.bar > 0 {
      let room = sheet.columns - columns.width - 1
      columns.insert(bars(all, columns: min(max(room, details.bar), 24), on: sheet), at: place)
    }
    return columns
  }

  /// The rates as bars, the highest the longest.
  private func bars(_ all: KeyColumns, columns: Int, on sheet: Sheet) -> TableColumn {
    let highest = shown.map(\.rate).max() ?? 0
    return all.column(String(repeating: " ", count: columns), .left, space: 1) { key in
      StyledText(
        sheet.bar(highest > 0 ? key.rate / highest : 0, columns: columns), styles: key.styles)
    }
  }
}

/// The columns of a table of keys, of which `status` and `top` show as many as there is room for.
public struct KeyColumns {
  private let keys: [KeyStatus]
  private let labels: [KeyCode: String]
  private let sheet: Sheet

  public init(of keys: [KeyStatus], labels: [KeyCode: String], on sheet: Sheet) {
    (self.keys, self.labels, self.sheet) = (keys, labels, sheet)
  }

  public func column(
    _ title: String, _ alignment: TableColumn.Alignment = .right, space: Int = 2,
    cell: (KeyStatus) -> StyledText
  ) -> TableColumn {
    TableColumn(title, alignment: alignment, space: space, cells: keys.map(cell))
  }

  public func name(space: Int, styles: (KeyStatus) -> [Style]) -> TableColumn {
    column("key", .left, space: space) { StyledText($0.name(labels), styles: styles($0)) }
  }

  public var strokes: TableColumn { column("strokes") { StyledText($0.strokes.grouped) } }

  public var chatter: TableColumn {
    column("chatter") { .count($0.chatter.total, styles: $0.styles) }
  }

  public func rate(_ title: String, space: Int = 2) -> TableColumn {
    column(title, space: space) { key in
      let rate = perThousand(key.chatter.total, of: UInt64(key.strokes))
      return StyledText(key.chatter.total == 0 ? "" : rate ?? "–", styles: key.styles)
    }
  }

  public func classes(_ title: (Chatter) -> String) -> [TableColumn] {
    Chatter.allCases.map { chatter in
      let title = title(chatter)
      return column(title, space: title.count > 1 || chatter == .pressBounce ? 2 : 1) {
        .count($0.counts.chatter[chatter])
      }
    }
  }

  public func nearMisses(_ title: String) -> TableColumn {
    column(title) { .count($0.nearMisses) }
  }

  public var gap: TableColumn {
    column("gap") { StyledText($0.counts.removedGaps.median ?? "") }
  }

  public var gaps: TableColumn {
    column("gaps 0 … 150+ ms", .left) {
      StyledText(sheet.sparkline($0.counts.removedGaps.values))
    }
  }
}

extension StyledText {
  /// A number; nothing in the place of 0, so that the others stand out.
  static func count(_ number: some BinaryInteger, styles: [Style] = []) -> StyledText {
    StyledText(number == 0 ? "" : number.grouped, styles: styles)
  }
}

extension KeyStatus {
  /// The key's name, and what stands on it if that is something else: KEY_Y (Z).
  public func name(_ labels: [KeyCode: String]) -> String {
    key.printable + labels.note(on: code)
  }
}

extension KeyStrategy {
  func name(_ labels: [KeyCode: String]) -> String { key.printable + labels.note(on: code) }
}

extension [KeyCode: String] {
  /// What stands on a key, to be added to its name; empty where that is known from the name.
  fileprivate func note(on code: KeyCode) -> String {
    self[code].map { " (\($0.printable))" } ?? ""
  }
}

extension [KeyStatus] {
  public var worstFirst: [KeyStatus] {
    sorted {
      ($1.chatter.total, $1.nearMisses, $0.code) < ($0.chatter.total, $0.nearMisses, $1.code)
    }
  }
}

extension KeyStatus {
  public var rate: Double {
    counts.strokes > 0 ? Double(counts.chatter.total) / Double(counts.strokes) : 0
  }

  public var styles: [Style] { ShownWear(of: self).styles }
}

extension IntervalHistogram {
  /// The median in milliseconds, as if intervals were spread evenly within each class; `nil` if nothing was counted. The last
  /// class has no end: >150.
  public var median: String? {
    let half = Double(total) / 2
    var below = 0.0
    for (index, count) in values.enumerated() where count > 0 {
      if below + Double(count) >= half {
        let low = index == 0 ? 0 : Double(Self.bounds[index - 1]) / 1000
        guard index < Self.bounds.count else { return ">\(low.short)" }
        let width = Double(Self.bounds[index]) / 1000 - low
        return (low + width * (half - below) / Double(count)).short
      }
      below += Double(count)
    }
    return nil
  }
}
