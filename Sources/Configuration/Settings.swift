import Debounce

/// What the daemon does with which device.
public struct Settings: Equatable, Sendable {
  /// The rules of every device.
  public var rules: Rules

  public init(rules: Rules) {
    self.rules = rules
  }

  /// What holds without any file: `adaptive` with a threshold of 25 ms on every key.
  public static let packaged = Settings(
    rules: Rules(strategy: .adaptive(Adaptive(threshold: 25_000)), flush: .modifiers))
}
