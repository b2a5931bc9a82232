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
    var threshold: Microseconds?
    if kind.hasThreshold {
      threshold = time("threshold") ?? (kind.isOneThreshold ? 0 : nil)
    }
    var values: [String: Int64] = [:]
    for parameter in kind.parameters {
      values[parameter.name] =
        switch parameter.values {
        case .times: time(parameter.name)
        case .counts: value(parameter.name) { Int64($0) }
        case .flag: value(parameter.name) { Bool($0).map { $0 ? 1 : 0 } }
        }
    }
    return kind.strategy(threshold: threshold, values)
  }
}

extension StrategyKind {
  /// Whether any of its parameters follows from the threshold.
  fileprivate var hasThreshold: Bool { parameters.contains { $0.formula != nil } }

  /// Whether its times are the threshold and nothing else.
  fileprivate var isOneThreshold: Bool {
    parameters.allSatisfy { parameter in
      if case .times = parameter.values { parameter.formula == .threshold } else { true }
    }
  }
}
