import Debounce

/// The strategies by their names in the configuration.
enum StrategyKind: String, CaseIterable, Sendable {
  case none
  case `defer`
  case eager
  case eagerDefer = "eager-defer"
  case prompt
  case confirm
  case adaptive
  case throttle

  /// The parameters that it knows.
  var parameters: [Parameter] {
    switch self {
    case .none: []
    case .defer, .eager, .eagerDefer: [.press, .release]
    case .prompt: [.quiet]
    case .confirm: [.short, .settle, .suspect, .confirm, .dropout]
    case .adaptive: StrategyKind.confirm.parameters + [.learn, .within, .spurious]
    case .throttle: [.interval, .latest]
    }
  }

  /// Those of its parameters that follow from the threshold.
  var thresholdParameters: [Parameter] {
    switch self {
    case .confirm, .adaptive: [.settle, .suspect, .dropout]
    case .throttle: [.interval]
    default: parameters
    }
  }
}

/// The parameters of the strategies by their names in the configuration.
enum Parameter: String, CaseIterable, Sendable {
  case press, release
  case quiet
  case short, settle, suspect, confirm, dropout
  case learn, within, spurious
  case interval, latest

  /// What its values are.
  enum Measure {
    case milliseconds
    /// A whole number, and why neither fewer make sense nor more.
    case count(ClosedRange<Int>, few: String, many: String)
    case flag
  }

  var measure: Measure {
    switch self {
    case .learn:
      .count(
        1...Adaptive.mostEvidence, few: "without evidence no key is known to be bad",
        many: "no more evidence is kept of a key")
    case .within:
      .count(
        1...1_000_000, few: "what was learnt of a key would hold for no press",
        many: "what was learnt of a key would never be forgotten")
    case .latest: .flag
    default: .milliseconds
    }
  }
}

/// What one place of the configuration says about the strategy of keys: perhaps not all of it.
struct StrategyLayer: Equatable {
  var kind: StrategyKind?
  var threshold: Microseconds?
  /// Microseconds, counts, and 1 or 0 for flags.
  var values: [Parameter: Int64] = [:]
}

/// The strategy that follows from several places, the nearest of which wins.
///
/// The places, from far to near: what is packaged, `[defaults]`, the device file's `[debounce]`, its `[keys]`.
///
/// * A place that names another strategy takes its parameters away, but not the threshold.
/// * A threshold decides on all parameters that follow from it and are not named as near as itself, or
///   nearer.
struct StrategyChoice: Equatable {
  private(set) var kind: StrategyKind
  /// `nil` if no place gives one: then each strategy has its own defaults.
  private var threshold: Microseconds?
  private var values: [Parameter: Int64] = [:]

  /// What holds without any file.
  static let packaged = StrategyChoice(kind: .adaptive)

  private init(kind: StrategyKind) {
    self.kind = kind
  }

  /// The choice as it is at a nearer place.
  func refined(by layer: StrategyLayer) -> StrategyChoice {
    var choice = self
    if let kind = layer.kind, kind != self.kind {
      choice.kind = kind
      choice.values = [:]
    }
    if let threshold = layer.threshold {
      choice.threshold = threshold
      for parameter in choice.kind.thresholdParameters { choice.values[parameter] = nil }
    }
    choice.values.merge(layer.values) { $1 }
    return choice
  }

  /// The strategy for the engine.
  var strategy: Strategy {
    let threshold = threshold ?? Self.packagedThreshold
    switch kind {
    case .none: return .none
    case .defer:
      var rule = Defer(threshold: threshold)
      set(.press, \.press, of: &rule)
      set(.release, \.release, of: &rule)
      return .defer(rule)
    case .eager:
      var rule = Eager(threshold: threshold)
      set(.press, \.press, of: &rule)
      set(.release, \.release, of: &rule)
      return .eager(rule)
    case .eagerDefer:
      var rule = EagerDefer(threshold: threshold)
      set(.press, \.press, of: &rule)
      set(.release, \.release, of: &rule)
      return .eagerDefer(rule)
    case .prompt:
      var rule = Prompt(threshold: threshold)
      set(.quiet, \.quiet, of: &rule)
      return .prompt(rule)
    case .confirm:
      // Without a threshold it bridges no drop-outs.
      return .confirm(confirm(self.threshold.map(Confirm.init(threshold:)) ?? Confirm()))
    case .adaptive:
      let rule = Adaptive(threshold: threshold)
      return .adaptive(
        Adaptive(
          rule: confirm(rule.rule), learn: values[.learn].map { Int($0) } ?? rule.learn,
          within: values[.within].map { Int($0) } ?? rule.within,
          spurious: values[.spurious] ?? rule.spurious))
    case .throttle:
      var rule = Throttle(threshold: threshold)
      set(.interval, \.interval, of: &rule)
      rule.latest = values[.latest] == 1
      return .throttle(rule)
    }
  }

  private static let packagedThreshold: Microseconds = 25_000

  private func confirm(_ rule: Confirm) -> Confirm {
    var rule = rule
    set(.short, \.short, of: &rule)
    set(.settle, \.settle, of: &rule)
    set(.suspect, \.suspect, of: &rule)
    set(.confirm, \.confirm, of: &rule)
    set(.dropout, \.dropout, of: &rule)
    return rule
  }

  private func set<Rule>(
    _ parameter: Parameter, _ path: WritableKeyPath<Rule, Microseconds>, of rule: inout Rule
  ) {
    if let value = values[parameter] { rule[keyPath: path] = value }
  }
}
