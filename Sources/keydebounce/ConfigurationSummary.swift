import Configuration
import Debounce
import TerminalText

/// What a configuration says, in a few lines for a person.
struct ConfigurationSummary {
  private(set) var text = ""

  init(of settings: Settings) {
    let defaults = settings.files.filter { file in
      !(settings.devices + settings.calibrations).contains { $0.file == file }
    }
    let source = defaults.first.map { "\($0): all other devices" } ?? "without a file"
    write("\(source): \(Self.words(for: settings.rules.strategy))")
    write("  panic chord: \(Self.list(settings.panicChord))")
    for device in settings.devices + settings.calibrations {
      write(
        "\(device.file): \(device.pattern.isEmpty ? "every other device" : "\(device.pattern)")")
      if device.isIgnored { write("  left alone") } else { write(device) }
    }
  }

  private mutating func write(_ line: String) {
    text += line + "\n"
  }

  private mutating func write(_ device: DeviceSettings) {
    write("  all keys: \(Self.words(for: device.rules.strategy))")
    for (key, strategy) in device.rules.keys.sorted(by: { $0.key < $1.key }) {
      write("  \(KeyNames.name(of: key)): \(Self.words(for: strategy))")
    }
    for group in device.rules.groups {
      write("  group: \(Self.list(group.keys.sorted())), lockout \(Self.number(group.lockout))")
    }
    write("  panic chord: \(Self.list(device.panicChord))")
  }

  private static func list(_ keys: [KeyCode]) -> String {
    keys.map { KeyNames.name(of: $0) }.joined(separator: " + ")
  }

  /// A strategy with all of its parameters.
  private static func words(for strategy: Strategy) -> String {
    let parameters =
      switch strategy {
      case .none: ""
      case .defer(let rule): ", press \(number(rule.press)), release \(number(rule.release))"
      case .eager(let rule): ", press \(number(rule.press)), release \(number(rule.release))"
      case .eagerDefer(let rule): ", press \(number(rule.press)), release \(number(rule.release))"
      case .prompt(let rule): ", quiet \(number(rule.quiet))"
      case .confirm(let rule): ", \(self.parameters(of: rule))"
      case .adaptive(let rule):
        ", \(self.parameters(of: rule.rule)), learn \(rule.learn), within \(rule.within), "
          + "spurious \(number(rule.spurious))"
      case .throttle(let rule): ", interval \(number(rule.interval)), latest \(rule.latest)"
      }
    return strategy.name + parameters
  }

  private static func parameters(of rule: Confirm) -> String {
    """
    short \(number(rule.short)), settle \(number(rule.settle)), suspect \(number(rule.suspect)), \
    confirm \(number(rule.confirm)), dropout \(number(rule.dropout))
    """
  }

  /// Milliseconds, with a fraction if there is one.
  private static func number(_ time: Microseconds) -> String {
    time % 1000 == 0 ? "\(time / 1000)" : "\(Double(time) / 1000)"
  }
}
