import Debounce

/// What one place of the configuration sets of the strategy of keys; it need not set all of it.
struct StrategyLayer {
  var kind: StrategyKind?
  var threshold: Microseconds?
  /// Parameters by their names: microseconds, counts, and 1 or 0 for flags.
  var values: [String: Int64] = [:]
}

/// The strategy that follows from several places, the nearest of which wins.
///
/// The places, from far to near: what is packaged, `[defaults]`, the device file's `[debounce]`, its `[keys]`.
///
/// * A place that names another strategy takes its parameters away, but not the threshold, unless that is for hands (as
///   with `bounce-keys`) and the strategy for switches, or the other way round: that is another kind of time.
/// * A threshold decides on all parameters that follow from it and are not named as near as itself, or
///   nearer.
struct StrategyChoice {
  private(set) var kind: StrategyKind
  /// `nil` if no place gives one: then the strategy has its packaged parameters.
  private var threshold: Microseconds?
  private var values: [String: Int64] = [:]
  /// Whether the nearest place is the key's own and names it.
  private var namesKey = false

  /// What holds without any file.
  static let packaged = StrategyChoice(kind: Rules().strategy.kind)

  init(kind: StrategyKind) {
    self.kind = kind
  }

  /// The choice as it is at a nearer place.
  ///
  /// - Parameter isOfKey: Whether that is an entry of `[keys]`: there a number says that the key is bad.
  func refined(by layer: StrategyLayer, isOfKey: Bool = false) -> StrategyChoice {
    var choice = self
    if let kind = layer.kind, kind != self.kind {
      choice.kind = kind
      choice.values = [:]
      // It is the limits that tell them apart.
      if kind.thresholds != self.kind.thresholds { choice.threshold = nil }
    }
    if let threshold = layer.threshold {
      choice.threshold = threshold
      for parameter in choice.kind.parameters where parameter.formula != nil {
        choice.values[parameter.name] = nil
      }
    }
    choice.values.merge(layer.values) { $1 }
    choice.namesKey =
      isOfKey
      && choice.kind.naming.contains {
        $0 == "threshold" ? layer.threshold != nil : layer.values[$0] != nil
      }
    return choice
  }

  /// From which gap on a second press may count, in microseconds: the threshold, or what takes its place.
  var shortestGap: Microseconds {
    let strategy = strategy
    return kind.parameter(named: "delay")?.value(in: strategy) ?? threshold
      ?? Strategy.packagedThreshold
  }

  /// The strategy for the engine.
  var strategy: Strategy {
    let strategy = kind.strategy(threshold: threshold, values)
    return namesKey ? strategy.named : strategy
  }
}
