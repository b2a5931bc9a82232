/// A strategy as everything outside the event path knows it: its name, its parameters and their limits.
///
/// Configuration files, `check`, calibration, the manual page and the tests take these facts from here and from nowhere
/// else. Each strategy's entry stands in `StrategyTable`; what it decides is in its rule's own file.
public struct StrategyKind: Sendable {
  /// What the strategy is called in the configuration, as `eager-defer`.
  public let name: String
  /// What it does, in one or two sentences for the manual page. Names of parameters and strategies stand between backticks.
  public let summary: String
  /// Its parameters, in the order in which they are shown.
  public let parameters: [StrategyParameter]
  /// The parameters that it had in earlier versions: they are still read, and have no effect.
  public let retired: [RetiredParameter]
  /// Which thresholds the configuration accepts, in microseconds.
  public let thresholds: ClosedRange<Microseconds>
  /// From which threshold on `check` warns; `nil` for never.
  public let longThreshold: LongTime?
  /// What names a key where the key's own settings give it: its threshold, or one of these parameters. Empty if naming means
  /// nothing to the strategy; see ``Adaptive/isNamed``.
  public let naming: [String]
  /// The strategy with the packaged parameters, which hold where the configuration gives neither them nor a threshold.
  public let packaged: Strategy

  private let withThreshold: @Sendable (Microseconds) -> Strategy
  private let named: @Sendable (Strategy) -> Strategy
  private let threshold: @Sendable (Strategy) -> Microseconds?
  private let limited: @Sendable (Strategy) -> Strategy
  private let properties: @Sendable (Strategy) -> Properties?

  /// What the engine and its tests must know of a strategy besides its parameters.
  struct Properties {
    /// A press after a gap below twice this is counted as a near miss; 0 if the strategy does not judge by gaps.
    var window: Microseconds = 0
    /// How late a press, and a release, is passed on at most.
    var longestWait: (press: Microseconds, release: Microseconds) = (0, 0)
    /// Whether strokes may vanish whole, however long they last.
    var takesStrokes = false
    /// Whether it is for hands rather than for switches: what it removes was made by a finger.
    var isForHands = false
  }

  init<Rule>(_ entry: StrategyEntry<Rule>) {
    name = entry.name
    summary = entry.summary
    parameters = entry.parameters.map { StrategyParameter($0, of: entry) }
    retired = entry.retired
    let limits = entry.parameters.filter { $0.formula != nil }.map(\.values.limits.upperBound)
    thresholds = 0...(limits.max() ?? StrategyParameter.usualTimes.upperBound)
    longThreshold = entry.longThreshold
    naming = entry.naming
    packaged = entry.wrap(entry.packaged)
    named = { strategy in entry.unwrap(strategy).map { entry.wrap(entry.named($0)) } ?? strategy }
    threshold = { strategy in
      guard let rule = entry.unwrap(strategy) else { return nil }
      return entry.threshold.map { rule[keyPath: $0] }
        ?? entry.parameters.last { $0.formula == .threshold }?.get(rule)
    }
    limited = { strategy in entry.unwrap(strategy).map { entry.wrap(entry.limited($0)) } ?? strategy
    }
    withThreshold = { entry.wrap(entry.rule(threshold: $0)) }
    properties = { entry.unwrap($0).map(entry.properties) }
  }

  /// The parameter of this name; `nil` if the strategy has none.
  public func parameter(named name: String) -> StrategyParameter? {
    parameters.first { $0.name == name }
  }

  /// The names of all parameters that any strategy has or had, each once.
  public static let parameterNames: [String] = {
    var names: [String] = []
    for name in allCases.flatMap({ $0.parameters.map(\.name) + $0.retired.map(\.name) })
    where !names.contains(name) {
      names.append(name)
    }
    return names
  }()

  /// The strategy with these parameters.
  ///
  /// - Parameters:
  ///   - threshold: The threshold in microseconds from which parameters follow; `nil` for the packaged parameters.
  ///   - values: Parameters by their names, which win over those that follow from the threshold: microseconds, counts,
  ///     and 1 or 0 for flags. Names that are none of the strategy's parameters are passed over.
  public func strategy(
    threshold: Microseconds? = nil, _ values: [String: Int64] = [:]
  ) -> Strategy {
    var strategy = threshold.map(withThreshold) ?? packaged
    for parameter in parameters {
      if let value = values[parameter.name] { parameter.set(value, in: &strategy) }
    }
    return strategy
  }

  fileprivate func named(_ strategy: Strategy) -> Strategy { named(strategy) }
  fileprivate func threshold(of strategy: Strategy) -> Microseconds? { threshold(strategy) }
  fileprivate func limited(_ strategy: Strategy) -> Strategy { limited(strategy) }
  fileprivate func properties(of strategy: Strategy) -> Properties? { properties(strategy) }
}

extension StrategyKind: RawRepresentable, CaseIterable, Hashable {
  public static let allCases = StrategyTable.all

  /// The strategy of this name; `nil` if there is none.
  public init?(rawValue: String) {
    guard let kind = Self.allCases.first(where: { $0.name == rawValue }) else { return nil }
    self = kind
  }

  public var rawValue: String { name }
}

extension Strategy {
  /// The threshold, in microseconds, that the packaged parameters correspond to.
  public static let packagedThreshold: Microseconds = 25_000

  /// Which strategy it is, whatever its parameters.
  public var kind: StrategyKind { kindAndProperties.kind }

  /// What the strategy is called in the configuration.
  public var name: String { kind.name }

  /// A press after a gap below twice this is counted as a near miss; 0 if the strategy does not judge by gaps.
  var window: Microseconds { kindAndProperties.properties.window }

  /// How late a press, or a release, is passed on at most.
  public func longestWait(ofPress isPress: Bool) -> Microseconds {
    let wait = kindAndProperties.properties.longestWait
    return isPress ? wait.press : wait.release
  }

  /// Whether strokes may vanish whole, however long they last.
  public var takesStrokes: Bool { kindAndProperties.properties.takesStrokes }

  /// Whether it is for hands rather than for switches: what it removes was made by a finger that did not mean it.
  public var isForHands: Bool { kindAndProperties.properties.isForHands }

  /// The threshold that it was made of, in microseconds; `nil` if it has none.
  public var threshold: Microseconds? { kind.threshold(of: self) }

  /// The same strategy for a key that the settings name; see ``StrategyKind/naming``.
  public var named: Strategy { kind.named(self) }

  /// Whether it is for a key that the settings name.
  public var isNamed: Bool {
    if case .adaptive(let rule) = self { rule.isNamed } else { false }
  }

  /// The strategy with every parameter at the nearest value that the engine can calculate with.
  ///
  /// The configuration refuses other values long before; programs that use the library may pass what they like.
  var limited: Strategy { kind.limited(self) }

  private var kindAndProperties: (kind: StrategyKind, properties: StrategyKind.Properties) {
    for kind in StrategyKind.allCases {
      if let properties = kind.properties(of: self) { return (kind, properties) }
    }
    preconditionFailure("a strategy that has no entry in StrategyTable")
  }
}
