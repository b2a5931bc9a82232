import Configuration
import Debounce
import EventDevices
import Status
import Terminal

/// The report of `status`.
public struct StatusReport {
  private let status: DaemonStatus
  private let hasAllKeys: Bool
  private let hasKeyboard: Bool?
  private let held: [String: HeldDevice]
  private let labels: [KeyCode: String]
  private let sheet: Sheet

  /// - Parameters:
  ///   - hasAllKeys: Whether healthy keys are shown, too.
  ///   - hasKeyboard: Whether keyboards are drawn; `nil` where it makes sense: if there are colours.
  ///   - held: What is known of devices that other programs have grabbed, by node.
  ///   - labels: What stands on keys of this system's layout that type something else than their names say.
  public init(
    of status: DaemonStatus, hasAllKeys: Bool = false, hasKeyboard: Bool? = nil,
    held: [String: HeldDevice] = [:], labels: [KeyCode: String] = [:], on sheet: Sheet
  ) {
    (self.status, self.hasAllKeys, self.hasKeyboard) = (status, hasAllKeys, hasKeyboard)
    (self.held, self.labels, self.sheet) = (held, labels, sheet)
  }

  /// The text, with a line break after each line.
  public var text: String {
    var parts = [daemon] + status.devices.map(device)
    if status.devices.isEmpty {
      let text = Self.noDevices
      parts.append(sheet.wrapped([StyledText(text[0], .bold), StyledText(" " + text[1])]))
    }
    if !notes.isEmpty { parts.append(notes) }
    return parts.map { part in part.map { $0 + "\n" }.joined() }.joined(separator: "\n")
  }

  /// How many keys with a strategy of their own are named; more are only counted.
  private static let mostStrategies = 4

  /// The text where there is no device: the state, and what to do.
  public static let noDevices = [
    "No device is debounced.",
    "keydebounce debounces a keyboard as soon as you plug it in; “keydebounce list” shows all devices, and why "
      + "keydebounce leaves some alone.",
  ]
}

// MARK: - The daemon

extension StatusReport {
  private var daemon: [String] {
    let configuration = status.configuration
    let files = configuration.deviceFiles
    var lines = sheet.wrapped([
      StyledText("keydebounce \(status.version.printable)", .bold),
      StyledText(", running for \(inWords(seconds: status.uptime)), process \(status.pid)"),
    ])
    lines += sheet.entry(
      "settings",
      "\(configuration.path.printable), "
        + (files == 0 ? "no device file" : files.counted("device file")))
    if !configuration.problems.isEmpty {
      let consequence =
        configuration.reloads == 0
        ? "does without files that it cannot read, and leaves the devices of broken files alone"
        : "keeps the settings that it had before"
      let text = "have errors; keydebounce \(consequence). Run “keydebounce check”:"
      lines += sheet.entry("", [StyledText(text, .red)])
    }
    let problems = configuration.problems.map { StyledText("error: \($0.printable)", .red) }
    let warnings = configuration.warnings.map { StyledText("warning: \($0.printable)", .yellow) }
    return lines + (problems + warnings).flatMap { sheet.entry("", [$0]) }
  }

  /// The notes that stand once, below everything.
  private var notes: [String] {
    let tables = status.devices.map { table(of: $0.counts) }.filter { !$0.isEmpty }
    guard !tables.isEmpty else { return [] }
    let legend = tables.contains { $0.hasClasses } ? StatusKeyTable.legend(on: sheet) + " " : ""
    return sheet.wrapped([
      StyledText(legend + "Counts of keys survive unplugging and restarts.", .faint)
    ])
  }

  private func table(of counts: DeviceCounts) -> StatusKeyTable {
    StatusKeyTable(counts.keys, isComplete: hasAllKeys, labels: labels, on: sheet)
  }
}

// MARK: - Devices

extension StatusReport {
  private func device(_ device: DeviceStatus) -> [String] {
    var lines = sheet.heading(
      device.device, device.node, StyledText(device.stateInWords, styles: device.stateStyles))
    if device.state == .busy { lines += holders(of: device) }
    if let pause = device.pause {
      let rest = pause.remaining.map { "for \(inWords(seconds: $0)) more" }
      let end = rest ?? "until “keydebounce resume”"
      lines += sheet.entry("paused", "everything passes, chatter too, \(end)")
    }
    lines += sheet.entry("strategy", strategy(of: device))
    lines += named(in: device)
    if !device.panicChord.isEmpty {
      lines += sheet.entry("panic", device.panicChord.map(\.printable).joined(separator: " + "))
    }
    return lines + counts(device.counts, of: device) + keys(in: device.counts)
  }

  /// Programs that may have grabbed the device, and the remedy.
  private func holders(of device: DeviceStatus) -> [String] {
    guard let held = held[device.node] else {
      return sheet.entry("held by", "“sudo keydebounce status” names the program, and what to do")
    }
    return sheet.entry("held by", held.holders)
      + held.advice.enumerated().flatMap { index, line in
        guard line.hasPrefix(" ") else { return sheet.entry(index == 0 ? "to do" : "", line) }
        // A line that people copy is not wrapped.
        return [sheet.isPlain ? String(line.dropFirst(4)) : line.aligned(to: line.columns + 13)]
      }
  }

  private func strategy(of device: DeviceStatus) -> String {
    let threshold = device.threshold.flatMap { $0 == Strategy.packagedThreshold ? nil : $0 }
    var text = device.strategy.printable
    text += threshold.map { ", threshold \($0.textInMilliseconds) ms" } ?? ""
    text += ", from \(device.file?.printable ?? "the defaults")"
    if !device.keyStrategies.isEmpty, device.keyStrategies.count <= Self.mostStrategies {
      for key in device.keyStrategies {
        text += "; \(key.name(labels)): \(key.strategy.printable)"
        text += key.threshold.map { ", threshold \($0.textInMilliseconds) ms" } ?? ""
        text += key.named == nil ? "" : ", named"
      }
    } else if device.ownKeys > 0 {
      text +=
        "; \(device.ownKeys.counted("key")) \(device.ownKeys == 1 ? "has its" : "have their") own"
    }
    return text
  }

  /// Which keys the settings name, and what each of them costs for that.
  private func named(in device: DeviceStatus) -> [String] {
    var rest = device.keyStrategies.filter { $0.named != nil }
    var lines: [String] = []
    while let cost = rest.first?.cost {
      let alike = rest.filter { $0.cost == cost }
      rest.removeAll { $0.cost == cost }
      let keys =
        alike.count <= Self.mostStrategies
        ? alike.map { $0.name(labels) }.joined(separator: ", ")
        : alike.count.counted("key")
      lines += sheet.entry(
        lines.isEmpty ? "named" : "", "\(keys): \(cost.sentences.joined(separator: "; "))")
    }
    return lines
  }

  private func counts(_ counts: DeviceCounts, of device: DeviceStatus) -> [String] {
    var lines: [String] = []
    func add(_ label: String, _ text: String, _ styles: Style...) {
      lines += sheet.entry(label, [StyledText(text, styles: styles)])
    }
    if counts.pressesIn == 0 {
      add("presses", "none since the daemon grabbed it")
    } else {
      add("presses", "\(counts.pressesOut.grouped) passed on since the daemon grabbed it")
      lines += sheet.entry("chatter", chatter(in: counts))
    }
    for (removal, cause) in [
      (Removal.throttled, ""), (.lockedOut, " suppressed: another key of the group was down"),
      (.tooSoon, " suppressed by bounce-keys"), (.tooShort, " suppressed by slow-keys"),
    ] where counts.counters[removal] > 0 {
      add(removal.words, counts.counters[removal].counted("stroke") + cause)
    }
    if counts.reversals > 0 {
      add("wheel", "\(counts.reversals.counted("step")) removed: backwards, or twice")
    }
    let meanings = Meaning.inWords(counts.counters)
    if !meanings.isEmpty { add("meant", meanings.joined(separator: ", ")) }
    if counts.resynchronisations > 0 {
      add("lost", "the kernel dropped events \(counts.resynchronisations.times)", .yellow)
    }
    if counts.badKeys > 0 { add("bad keys", badKeys(in: counts, of: device)) }
    if let hold = counts.usualHold {
      let since = counts.since.map { "; counted and learned since \($0)" } ?? ""
      // Halved first: the number may come from a file, and be so large that adding to it would overflow.
      add("usual hold", "\((hold / 2 + 250) / 500) ms\(since)")
    }
    if counts.typesLikeAMachine {
      add("machine", "types like a machine: a scanner, a macro or a text expander")
    }
    if let delay = LatencyQuantiles(counts.latency) {
      add("delay", "half of all events \(delay.median), 99 % \(delay.high)")
    }
    return lines
  }

  private func chatter(in counts: DeviceCounts) -> [StyledText] {
    guard counts.chatter.total > 0 else { return [StyledText("none")] }
    let rate =
      perThousand(counts.chatter.total, of: counts.pressesOut).map { ", \($0) of 1000" } ?? ""
    let words = Chatter.inWords { counts.chatter[$0] }.map { count in
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
        return "\(key.name(labels)) (releases delayed for its \(next)\(since))"
      }
    }
    let names = Set(device.keyStrategies.filter { $0.named != nil }.map(\.code))
    let byName = counts.keys.filter { $0.isBad && names.contains($0.code) }
      .map { "\($0.name(labels)) (releases delayed: the settings name it)" }
    let keys = byEvidence + byName
    return keys.isEmpty ? counts.badKeys.grouped : keys.joined(separator: ", ")
  }

  private func keys(in counts: DeviceCounts) -> [String] {
    var lines: [String] = []
    let room = sheet.columns - KeyboardDrawing.indent
    if !sheet.isPlain, hasKeyboard ?? sheet.hasColours,
      let drawing = KeyboardDrawing(of: counts.keys, columns: room, labels: labels),
      drawing.width <= room
    {
      lines += [""] + drawing.spans(on: sheet).map(sheet.line)
    }
    let table = table(of: counts)
    if !table.isEmpty { lines += [""] + table.lines }
    if let rest = table.rest { lines += sheet.rest(rest, isAlone: table.isEmpty) }
    return lines
  }
}

/// How long frames took through the daemon, as precisely as the classes of its histogram allow.
struct LatencyQuantiles {
  /// How long half of the frames took at most, such as “under 0.26 ms”.
  let median: String
  /// How long 99 of 100 took at most.
  let high: String

  /// - Returns: `nil` if nothing was measured yet.
  init?(_ classes: [UInt64]) {
    let total = classes.reduce(0.0) { $0 + Double($1) }
    guard total > 0 else { return nil }
    func bound(_ share: Double) -> String {
      var below = 0.0
      let index = classes.firstIndex { count in
        below += Double(count)
        return below >= share * total
      }
      guard let index, index < classes.count - 1 else {
        return "over \(Self.milliseconds(powerOfTwo: classes.count - 2))"
      }
      return "under \(Self.milliseconds(powerOfTwo: index))"
    }
    (median, high) = (bound(0.5), bound(0.99))
  }

  /// 2ⁿ µs, rounded up to two digits.
  private static func milliseconds(powerOfTwo exponent: Int) -> String {
    let number = exponent < 0 ? 0 : Double(1 << min(exponent, 60)) / 1000
    let places = number < 0.1 ? 3 : number < 1 ? 2 : number < 10 ? 1 : 0
    let scale = [1.0, 10, 100, 1000][places]
    return ((number * scale).rounded(.up) / scale).decimal(places) + " ms"
  }
}

extension Sheet {
  /// The line above what is shown of a device.
  func heading(_ device: DeviceIdentity, _ node: String, _ state: StyledText) -> [String] {
    wrapped([StyledText(device.title, .bold), StyledText(" (\(node.printable)): "), state])
  }

  /// The line about keys that are not shown.
  func rest(_ text: String, isAlone: Bool) -> [String] {
    let spans = [StyledText(text), StyledText("; --all shows them", .faint)]
    return (isAlone ? [""] : []) + wrapped(spans, after: [.blank(KeyboardDrawing.indent)])
  }
}
