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
    let given = kind == .none ? nil : time("threshold")
    switch kind.strategy(threshold: given ?? (kind == .adaptive ? nil : 0)) {
    case .none: return Strategy.none
    case .defer(var rule):
      read(&rule, ("press", \.press), ("release", \.release))
      return rule.strategy
    case .eager(var rule):
      read(&rule, ("press", \.press), ("release", \.release))
      return rule.strategy
    case .eagerDefer(var rule):
      read(&rule, ("press", \.press), ("release", \.release))
      return rule.strategy
    case .prompt(var rule):
      read(&rule, ("quiet", \.quiet))
      return rule.strategy
    case .adaptive(var rule):
      read(&rule, ("confirm", \.confirm), ("dropout", \.dropout))
      rule.suspect = time("suspect")
      if let within = value("within", { Int64($0) }) { rule.within = Int32(clamping: within) }
      return rule.strategy
    case .throttle(var rule):
      read(&rule, ("interval", \.interval))
      if let latest = value("latest", { Bool($0).map { $0 ? 1 : 0 } }) { rule.latest = latest != 0 }
      return rule.strategy
    case .bounceKeys(var rule):
      read(&rule, ("delay", \.delay))
      return rule.strategy
    case .slowKeys(var rule):
      read(&rule, ("delay", \.delay))
      return rule.strategy
    }
  }

  /// Reads those of a rule's times that are here.
  private mutating func read<Rule>(
    _ rule: inout Rule, _ times: (name: String, path: WritableKeyPath<Rule, Microseconds>)...
  ) {
    for time in times {
      if let value = self.time(time.name) { rule[keyPath: time.path] = value }
    }
  }
}
