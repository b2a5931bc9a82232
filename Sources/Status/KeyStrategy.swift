import Debounce

/// How a key is debounced that is debounced in another way than its device: what the configuration says, nothing that was
/// counted.
public struct KeyStrategy: Codable, Equatable, Sendable {
  /// The key's name, such as `KEY_E`; its number if it has none.
  public var key: String
  /// Its number.
  public var code: KeyCode
  /// The strategy, as the configuration names it.
  public var strategy: String
  /// Its threshold, in microseconds; `nil` if it has none.
  public var threshold: Microseconds?
  /// How late it makes what; `nil` if the settings do not name the key.
  public var named: Adaptive.Windows?

  public init(key: String, code: KeyCode, _ strategy: Strategy) {
    (self.key, self.code) = (key, code)
    (self.strategy, threshold) = (strategy.name, strategy.threshold)
    named = NamedKeyCost(of: strategy)?.windows
  }

  /// What it costs that the settings name the key; `nil` if they do not.
  public var cost: NamedKeyCost? {
    named.map { NamedKeyCost(threshold: threshold ?? Strategy.packagedThreshold, windows: $0) }
  }

  /// The keys that have another strategy, or the same with other parameters, than other keys of their device, in the order of
  /// their numbers.
  ///
  /// - Parameters:
  ///   - keys: Keys to look at besides those of which the rules say something: some have none without being named.
  ///   - name: The name of a key.
  public static func all(
    in rules: Rules, among keys: some Sequence<KeyCode>, name: (KeyCode) -> String
  ) -> [KeyStrategy] {
    Set(rules.keys.keys).union(keys).sorted().compactMap { code in
      let strategy = rules.strategy(of: code)
      return strategy == rules.strategy ? nil : KeyStrategy(key: name(code), code: code, strategy)
    }
  }
}

extension Strategy {
  /// Whether it judges by the gap between a release and the next press, and the threshold is one of gaps.
  public var judgesByGaps: Bool { threshold != nil && !isForHands && !takesStrokes }

  /// A strategy and its threshold in words: adaptive, threshold 25 ms.
  ///
  /// - Parameters:
  ///   - name: As the configuration names it.
  ///   - threshold: In microseconds; `nil` if it has none, or it is not known.
  public static func inWords(_ name: String, threshold: Microseconds?) -> String {
    name + (threshold.map { ", threshold \($0.inMilliseconds)" } ?? "")
  }
}

extension Microseconds {
  /// The time as the configuration has it, with its unit: 12.5 ms.
  public var inMilliseconds: String {
    (self % 1000 == 0 ? "\(self / 1000)" : "\(Double(self) / 1000)") + " ms"
  }
}
