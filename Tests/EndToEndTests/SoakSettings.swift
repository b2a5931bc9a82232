import Randomness
import TypingModel

/// Settings for a soak's devices: every strategy, with waits that end before ``SoakDevice/restWait``.
struct SoakSettings {
  /// The strategy of keys that have none of their own.
  let strategy: String
  /// The device file.
  let text: String

  private static let strategies = [
    "none", "defer", "eager", "eager-defer", "prompt", "adaptive", "throttle",
  ]
  private static let letters = ["KEY_E", "KEY_A", "KEY_S", "KEY_SPACE", "KEY_T", "KEY_LEFTSHIFT"]
  private static let buttons = ["BTN_LEFT", "BTN_RIGHT", "BTN_MIDDLE"]

  /// Settings for the device.
  ///
  /// - Parameter isIgnored: Whether it is to be left alone.
  init(for device: SoakDevice, isIgnored: Bool = false, _ random: inout SeededRandom) {
    strategy = Self.strategies.randomElement(using: &random) ?? "none"
    let keys = device.kind == .mouse ? Self.buttons : Self.letters
    var lines = [
      "[device]", "name = \"\(device.name)\"", "virtual = true", "ignore = \(isIgnored)",
      "[debounce]",
      "flush = \"\(["modifiers", "all", "none"].randomElement(using: &random) ?? "all")\"",
      "strategy = \"\(strategy)\"",
    ]
    lines += Self.parameters(of: strategy, &random)
    lines += [
      "[keys]",
      "\(device.restMarkName) = { strategy = \"defer\", threshold = \(SoakDevice.restWait) }",
    ]
    for key in keys.shuffled(using: &random).prefix(Int.random(in: 0...3, using: &random)) {
      let own = Self.strategies.randomElement(using: &random) ?? "none"
      let entries = ["strategy = \"\(own)\""] + Self.parameters(of: own, &random)
      lines.append("\(key) = { \(entries.joined(separator: ", ")) }")
    }
    if Int.random(in: 0..<3, using: &random) == 0 {
      let members = keys.shuffled(using: &random).prefix(2).map { "\"\($0)\"" }
      lines += [
        "[[groups]]", "keys = [\(members.joined(separator: ", "))]",
        "lockout = \(Int.random(in: 10...150, using: &random))",
      ]
    }
    text = lines.joined(separator: "\n") + "\n"
  }

  private static func parameters(of strategy: String, _ random: inout SeededRandom) -> [String] {
    switch strategy {
    case "none": []
    case "throttle":
      [
        "interval = \(Int.random(in: 10...120, using: &random))",
        "latest = \(Bool.random(using: &random))",
      ]
    default: ["threshold = \(Int.random(in: 1...50, using: &random))"]
    }
  }

  /// What holds for every device: the panic chord, of keys that nobody holds together here.
  static func defaults(_ random: inout SeededRandom) -> String {
    let chords = [
      ["KEY_BACKSPACE", "KEY_ESC", "KEY_ENTER"], ["KEY_F1", "KEY_F2"],
      ["KEY_F3", "KEY_F4", "KEY_F5"],
    ]
    let keys = (chords.randomElement(using: &random) ?? chords[0]).map { "\"\($0)\"" }
    return "[defaults]\npanic = [\(keys.joined(separator: ", "))]\n"
  }
}
