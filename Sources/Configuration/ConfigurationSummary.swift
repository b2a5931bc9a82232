import Debounce
import Terminal

/// A summary of a configuration in a few lines, for a person.
public struct ConfigurationSummary {
  /// The lines of the summary. One that belongs to the line above it is indented.
  public private(set) var lines: [String] = []

  /// Describes all files that were read, the defaults first.
  ///
  /// - Parameters:
  ///   - chords: The panic chord of each keyboard.
  ///   - findings: All errors and warnings.
  public init(of loaded: LoadedSettings, chords: [KeyboardChord] = [], findings: [Problem] = []) {
    let settings = loaded.settings
    let devices = settings.devices + settings.calibrations
    let defaults = loaded.defaultsFiles
    let source =
      defaults.isEmpty
      ? "without a file" : "\(defaults.joined(separator: ", ")): all other devices"
    write(source, settings.rules.strategy)
    writeSpared(by: settings.rules)
    writeRest(of: settings.defaults)
    for device in devices {
      write(
        "\(device.file): \(device.pattern.isEmpty ? "every keyboard that no other file is about" : "\(device.pattern)")"
      )
      if device.brokenFile != nil {
        write("  left alone, because of its errors")
      } else if device.isIgnored {
        write("  left alone")
      } else {
        write(device)
      }
    }
    // Files whose errors hide which devices they are about.
    for file in loaded.files
    where !defaults.contains(file) && !devices.contains(where: { $0.file == file }) {
      write("\(file): nothing of it holds, because of its errors")
    }
    for (file, reason) in loaded.unread { write("\(file): not read: \(reason)") }
    for chord in chords {
      let keys = chord.keys.isEmpty ? "none, for lack of its keys" : Self.list(chord.keys)
      write("\(chord.names.joined(separator: ", ")): panic chord: \(keys)")
    }
    guard loaded.errors.isEmpty else { return }
    let warnings = findings.count { $0.severity == .warning }
    write(warnings == 0 ? "all is well" : "no errors; warnings: \(warnings)")
  }

  private mutating func write(_ line: String) {
    lines.append(line.printable)
  }

  private mutating func write(_ device: DeviceSettings) {
    write("  all keys", device.rules.strategy)
    writeSpared(by: device.rules)
    for (key, strategy) in device.rules.keys.sorted(by: { $0.key < $1.key }) {
      write("  \(KeyNames.name(of: key))", strategy)
      if let meanings = device.rules.meanings[key] { write(meanings) }
    }
    for group in device.rules.groups {
      let lockout = group.lockout.textInMilliseconds
      write("  group: \(Self.list(group.keys.sorted())), lockout \(lockout)")
    }
    if device.rules.wheel.areInForce { write(device.rules.wheel) }
    if device.includesVirtual { write("  virtual: true") }
    writeRest(of: device.effective)
  }

  /// Writes the settings besides strategies that are not the usual ones, by their names in the file, and the panic chord.
  private mutating func writeRest(of settings: EffectiveSettings) {
    if settings.rules.flush != .modifiers { write("  flush: \(settings.rules.flush.rawValue)") }
    if let time = settings.grabAfter { write("  grab-after: \(time / 1_000_000) s") }
    if settings.cloneName != .ofSource {
      write("  clone-name: “\(settings.cloneName.name(forSource: "%s"))”")
    }
    if settings.claimsLinks { write("  claim-links: true") }
    write("  panic chord: \(Self.list(settings.panicChord))")
  }

  /// Writes which steps of a wheel are left out, and which come late.
  private mutating func write(_ wheel: WheelRules) {
    let name = wheel.axes == WheelRules.usualAxes ? "wheel" : "axes " + AxisNames.list(wheel.axes)
    func write(_ time: Microseconds, _ sentence: String) {
      if time > 0 { self.write("  \(name): \(sentence)") }
    }
    write(
      wheel.reversal,
      "a step backwards within \(wheel.reversal.textInMilliseconds) ms of the last one is removed, "
        + "unless more than a notch follows as soon")
    write(
      wheel.wait,
      "the first step after a rest of \(wheel.rest.textInMilliseconds) ms comes up to "
        + "\(wheel.wait.textInMilliseconds) ms late")
    write(
      wheel.double,
      "a notch that fires again within \(wheel.double.textInMilliseconds) ms is one")
  }

  /// Writes what each kind of press emits, and how long it waits to be known.
  private mutating func write(_ meanings: Meanings) {
    let single = KeyNames.name(of: meanings.single)
    let within = "\(meanings.within.textInMilliseconds) ms"
    let decided =
      switch (meanings.double, meanings.hold) {
      case _ where meanings.isDecidedAtOnce: "at once"
      case (_?, nil): "waits until \(within) after the press"
      case (nil, _): "waits until the key is let go"
      default: "waits until the key is let go and it is \(within) after the press"
      }
    let others =
      meanings.isDecidedAtOnce ? "" : ", or before another key that is pressed meanwhile"
    write("    single press: \(single), \(decided)\(others)")
    if let double = meanings.double {
      write(
        "    double press: \(KeyNames.name(of: double)), with the second press, if that comes within "
          + "\(within) of the first"
          + (meanings.isEager ? "; \(single) has been pressed by then" : ""))
    }
    if let hold = meanings.hold {
      write(
        "    long press: \(KeyNames.name(of: hold)), once the key has been down for "
          + "\(meanings.after.textInMilliseconds) ms")
    }
  }

  /// Writes which keys are left alone although no line of the file says so.
  private mutating func writeSpared(by rules: Rules) {
    guard rules.strategy != .none else { return }
    let keys = "keys that encoders drive (volume, brightness, zoom, scrolling)"
    write("  \(keys), unless they have a line: none")
  }

  static func list(_ keys: [KeyCode]) -> String {
    keys.map { KeyNames.name(of: $0) }.joined(separator: " + ")
  }

  /// Writes a strategy with all its parameters, and below it what it costs.
  ///
  /// - Parameter subject: What has the strategy, indented as its line is to be.
  private mutating func write(_ subject: String, _ strategy: Strategy) {
    let kind = strategy.kind
    let parameters = kind.parameters.compactMap { parameter in
      parameter.value(in: strategy).map { "\(parameter.name) \(parameter.text(of: $0))" }
    }
    let words = ([kind.name] + parameters).joined(separator: ", ")
    write("\(subject): \(words)\(strategy.isNamed ? "; named, and bad from the start" : "")")
    let named = NamedKeyCost(of: strategy)
    let costs = named.map { $0.sentences + [$0.insteadForGames].compactMap(\.self) }
    let indent = subject.prefix { $0 == " " }
    for cost in costs ?? [strategy.cost].compactMap(\.self) { write("\(indent)  \(cost)") }
  }
}
