import Debounce
import EventDevices
import Terminal

/// What `status` shows a person.
public struct StatusReport {
  /// What is to be shown.
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
    self.status = status
    self.options = options
    self.sheet = sheet
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
              ? "have errors, and the devices that broken files are about are left alone. Run “keydebounce check”:"
              : "cannot be used as they are now; those from before still hold. Run “keydebounce check”:",
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

  private var noDevices: [String] {
    sheet.wrapped([
      StyledText("No device is debounced.", .bold),
      StyledText(
        " Keyboards are taken as soon as they are plugged in; “keydebounce list” shows what is done with "
          + "each device, and why."),
    ])
  }

  /// The notes that stand once, below everything.
  private var notes: [String] {
    var notes: [String] = []
    if status.devices.contains(where: { $0.counts == nil }) {
      notes += sheet.wrapped([
        StyledText("What was counted is shown to root and the group “keydebounce”: try sudo.")
      ])
    }
    if status.devices.contains(where: { hasTable($0) }) {
      let hasHolds = options.hasAllKeys && status.devices.contains { $0.counts?.usualHold != nil }
      let legend = StatusKeyTable.legend + (hasHolds ? StatusKeyTable.legendOfHolds : "")
      notes += sheet.wrapped([StyledText(legend, .faint)])
    }
    return notes
  }

  private func hasTable(_ device: DeviceStatus) -> Bool {
    guard let keys = device.keys else { return false }
    return !StatusKeyTable(keys, isComplete: options.hasAllKeys).isEmpty
  }
}

// MARK: - Devices

extension StatusReport {
  private func device(_ device: DeviceStatus) -> [String] {
    let name = device.name.printable
    var lines = sheet.wrapped([
      StyledText(name.allSatisfy { $0 == " " } ? "(no name)" : name, .bold),
      StyledText(" (\(device.node.printable)): "),
      StyledText(device.state.inWords, styles: device.state.styles),
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
      lines += entry("presses", "none since the daemon took it")
    } else {
      lines += entry("presses", "\(counts.pressesOut.grouped) passed on since the daemon took it")
      lines += entry("chatter", chatter(in: counts))
    }
    if counts.throttled > 0 {
      lines += entry("throttled", counts.throttled.counted("stroke"))
    }
    if counts.lockedOut > 0 {
      lines += entry(
        "locked out", "\(counts.lockedOut.counted("stroke")) by other keys of their group")
    }
    if counts.tooSoon > 0 {
      lines += entry(
        "too soon", "\(counts.tooSoon.counted("stroke")) after the one before, for bounce-keys")
    }
    if counts.tooShort > 0 {
      lines += entry("too short", "\(counts.tooShort.counted("stroke")), for slow-keys")
    }
    if counts.reversals > 0 {
      lines += entry("wheel", "\(counts.reversals.counted("step")) left out, backwards or twice")
    }
    let meanings = Meaning.inWords(counts.counters)
    if !meanings.isEmpty {
      lines += entry("taken for", meanings.joined(separator: ", "))
    }
    if counts.resynchronisations > 0 {
      lines += entry(
        "lost",
        [StyledText("events before they came here, \(times(counts.resynchronisations))", .yellow)])
    }
    if counts.bridging > 0 {
      lines += entry("bad keys", badKeys(in: counts, of: device))
    }
    if let hold = counts.usualHold {
      let since = counts.since.map { "; counted and learned since \($0)" } ?? ""
      lines += entry("usual hold", "\((hold + 500) / 1000) ms\(since)")
    }
    if counts.typesLikeAMachine {
      lines += entry("machine", DeviceStatus.machineInWords)
    }
    if let delay = LatencyQuantiles(counts.latency) {
      lines += entry("delay", "half \(delay.median), 99 % \(delay.high)")
    }
    return lines + keys(counts.keys, usualHold: counts.usualHold)
  }

  private func keys(_ keys: [KeyStatus], usualHold: Microseconds?) -> [String] {
    var lines: [String] = []
    let room = sheet.columns - Self.indent
    if !sheet.isPlain, options.hasKeyboard ?? sheet.hasColours,
      let drawing = KeyboardDrawing(of: keys, columns: room, labels: options.labels),
      drawing.width <= room
    {
      lines += [""] + drawing.lines(on: sheet)
    }
    let table = StatusKeyTable(
      keys, usualHold: usualHold, isComplete: options.hasAllKeys, labels: options.labels)
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
    text += device.file.map { ", as \($0.printable) says" } ?? ", as the defaults say"
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
    guard counts.chatter > 0 else { return [StyledText("none")] }
    let rate = perThousand(counts.chatter, of: counts.pressesOut).map { ", \($0) of 1000" } ?? ""
    let words = Chatter.inWords { counts.counters[Removal($0)] }.map { count in
      String(count.map { $0 == " " ? Sheet.noBreak : $0 })
    }
    return [
      StyledText("\(counts.chatter.grouped) removed\(rate)", .bold),
      StyledText(": \(words.joined(separator: ", "))"),
    ]
  }

  /// Which keys are bad, for how long, and since when.
  private func badKeys(in counts: DeviceCounts, of device: DeviceStatus) -> String {
    let byEvidence = counts.keys.compactMap { key in
      key.badFor.map { presses in
        "\(key.key.printable) for \(presses.counted("press")) more"
          + (key.badSince.map { " (since \($0))" } ?? "")
      }
    }
    let names = Set(device.keyStrategies.filter { $0.named != nil }.map(\.code))
    let byName = counts.keys.filter { $0.isBridging && names.contains($0.code) }
      .map { "\($0.key.printable), which the settings name" }
    let keys = byEvidence + byName
    return counts.bridging.grouped + (keys.isEmpty ? "" : ": " + keys.joined(separator: "; "))
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

  private func times(_ count: UInt64) -> String {
    count == 1 ? "once" : "\(count.grouped) times"
  }

  private func entry(_ label: String, _ spans: [StyledText]) -> [String] {
    sheet.entry(label, spans)
  }

  private func entry(_ label: String, _ text: String) -> [String] {
    sheet.entry(label, text)
  }
}
