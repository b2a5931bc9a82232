import Debounce
import Terminal

/// A summary of a configuration in a few lines, for a person.
public struct ConfigurationSummary {
  /// The lines of the summary. One that belongs to the line above it is indented.
  public private(set) var lines: [String] = []

  /// Describes all files that were read, the defaults first: what waits on which keys.
  ///
  /// - Parameter chords: The panic chord of each keyboard.
  public init(of loaded: LoadedSettings, chords: [KeyboardChord] = []) {
    let devices = loaded.settings.devices + loaded.settings.calibrations
    let defaults = loaded.defaultsFiles
    let source =
      defaults.isEmpty
      ? "devices without a file" : "\(defaults.joined(separator: ", ")): all other devices"
    write(source, loaded.settings.rules.strategy)
    for device in devices {
      let every = "every keyboard that no other file is about"
      let isCalibrated = loaded.settings.calibrations.contains { $0.file == device.file }
      write(
        "\(device.file): \(device.pattern.isEmpty ? every : "\(device.pattern)")"
          + (isCalibrated ? "; only for keys that your own file about the device does not set" : "")
      )
      if device.brokenFile == nil, !device.isIgnored {
        write(device.rules)
      } else {
        write("  left alone\(device.brokenFile == nil ? "" : ", because of its errors")")
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
  }

  private mutating func write(_ line: String) {
    lines.append(line.printable)
  }

  private mutating func write(_ rules: Rules) {
    write("  all keys", rules.strategy)
    for (key, strategy) in rules.keys.sorted(by: { $0.key < $1.key }) {
      write("  \(KeyNames.name(of: key))", strategy)
      if let meanings = rules.meanings[key] { write(meanings) }
    }
    for group in rules.groups {
      let keys = Self.list(group.keys.sorted(), separator: ", ")
      let time = group.lockout.textInMilliseconds
      write("  \(keys): a press of one locks the others out for \(time) ms")
    }
    let wheel = rules.wheel
    if wheel.reversal > 0 {
      let time = wheel.reversal.textInMilliseconds
      write("  wheel: a step back within \(time) ms of the last one waits")
    }
    if wheel.wait > 0 {
      write(
        "  wheel: the first step after a rest of \(wheel.rest.textInMilliseconds) ms comes up to "
          + "\(wheel.wait.textInMilliseconds) ms late")
    }
  }

  /// Writes what each kind of press emits, and how long it waits to be known.
  private mutating func write(_ meanings: Meanings) {
    let single = KeyNames.name(of: meanings.single)
    let within = "\(meanings.within.textInMilliseconds) ms"
    let ends = [
      meanings.hold.map { _ in "the key is let go" },
      meanings.double.map { _ in "it is \(within) after the press" },
    ].compactMap(\.self).joined(separator: " and ")
    let decided =
      meanings.isDecidedAtOnce
      ? "at once" : "waits until \(ends), or before another key that is pressed meanwhile"
    write("    single press: \(single), \(decided)")
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

  static func list(_ keys: [KeyCode], separator: String = " + ") -> String {
    keys.map { KeyNames.name(of: $0) }.joined(separator: separator)
  }

  /// Writes a strategy, and below it what it costs. The subject is indented as its line is to be.
  private mutating func write(_ subject: String, _ strategy: Strategy) {
    write("\(subject): \(strategy.name)\(strategy.isNamed ? ", bad from the start" : "")")
    let indent = subject.prefix { $0 == " " }
    for cost in NamedKeyCost(of: strategy)?.sentences ?? strategy.costs {
      write("\(indent)  \(cost)")
    }
  }
}
