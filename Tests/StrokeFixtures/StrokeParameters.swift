import Debounce

/// The parameters in a line of rules, taken one by one.
struct StrokeParameters {
  /// Those not yet taken.
  var values: [String: String]
  /// The first of them whose value makes no sense.
  private(set) var wrong: String?

  init(values: [String: String]) {
    self.values = values
  }

  mutating func take(_ name: String) -> String? {
    values.removeValue(forKey: name)
  }

  /// The time that is called `name`; `nil` if it is not there.
  mutating func time(_ name: String) -> Microseconds? {
    value(name) { StrokeParser.microseconds($0) }
  }

  /// Takes the parameter, if it is there, and reads it.
  private mutating func value(_ name: String, _ read: (String) -> Int64?) -> Int64? {
    guard let text = take(name) else { return nil }
    guard let value = read(text) else {
      wrong = wrong ?? "\(name)=\(text)"
      return nil
    }
    return value
  }

  /// The strategy of this name, with the parameters that are here; `nil` if there is none of this name.
  ///
  /// Without a threshold, times that are the threshold and nothing else are 0, and others as packaged.
  mutating func strategy(_ name: Substring) -> Strategy? {
    guard let kind = StrategyKind(rawValue: String(name)) else { return nil }
    let threshold = kind == .none ? nil : time("threshold")
    switch kind.strategy(threshold: threshold ?? (kind == .adaptive ? nil : 0)) {
    case .none: return Strategy.none
    case .defer(let rule): return given(rule, "press", "release").strategy
    case .eager(let rule): return given(rule, "press", "release").strategy
    case .eagerDefer(let rule): return given(rule, "press", "release").strategy
    case .prompt(let rule): return given(rule, "quiet").strategy
    case .adaptive(let packaged):
      var rule = given(packaged, "threshold", "confirm", "dropout")
      rule.suspect = time("suspect")
      if let within = value("within", { Int64($0) }) { rule.within = Int32(clamping: within) }
      return rule.strategy
    case .throttle(let packaged):
      var rule = given(packaged, "interval")
      if let latest = value("latest", { Bool($0).map { $0 ? 1 : 0 } }) { rule.latest = latest != 0 }
      return rule.strategy
    case .bounceKeys(let rule): return given(rule, "delay").strategy
    case .slowKeys(let rule): return given(rule, "delay").strategy
    }
  }

  /// The rule with those of its times that are here, by these names.
  private mutating func given<Rule: StrategyRule>(_ rule: Rule, _ names: String...) -> Rule {
    var rule = rule
    for (name, path) in zip(names, Rule.times) {
      if let value = time(name) { rule[keyPath: path] = value }
    }
    return rule
  }
}
