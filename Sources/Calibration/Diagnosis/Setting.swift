import Debounce

/// What a key's line in a device file may set: a strategy with a threshold, or with parameters by name.
public struct Setting: Equatable, Sendable {
  /// The strategy and its parameters, as the engine takes them.
  public let strategy: Strategy

  /// What the line gives besides the strategy, in milliseconds.
  let values: [Value]

  struct Value: Equatable, Sendable {
    /// “threshold”, or the name of a parameter.
    let name: String
    let milliseconds: Double
  }

  private init(_ strategy: Strategy, _ values: [Value]) {
    self.strategy = strategy
    self.values = values
  }

  /// The default strategy with a threshold, in milliseconds.
  public static func adaptive(threshold: Double) -> Setting {
    Setting(.adaptive(Adaptive(threshold: microseconds(threshold))), threshold: threshold)
  }

  /// All releases wait for the threshold, in milliseconds.
  public static func eagerDefer(threshold: Double) -> Setting {
    Setting(.eagerDefer(EagerDefer(threshold: microseconds(threshold))), threshold: threshold)
  }

  /// Drop-outs are always bridged, or never with `dropout` 0. Milliseconds.
  public static func confirm(settle: Double, suspect: Double, dropout: Double) -> Setting {
    let rule = Confirm(
      settle: microseconds(settle), suspect: microseconds(suspect), dropout: microseconds(dropout))
    return Setting(
      .confirm(rule),
      [
        Value(name: "settle", milliseconds: settle), Value(name: "suspect", milliseconds: suspect),
        Value(name: "dropout", milliseconds: dropout),
      ])
  }

  private init(_ strategy: Strategy, threshold: Double) {
    self.init(strategy, [Value(name: "threshold", milliseconds: threshold)])
  }

  private static func microseconds(_ milliseconds: Double) -> Microseconds {
    Microseconds(milliseconds * 1000)
  }

  /// The line's right side, as `{ strategy = "confirm", dropout = 30 }`.
  public var text: String {
    let values = values.map { "\($0.name) = \(Self.number($0.milliseconds))" }
    return "{ \((["strategy = \"\(strategy.name)\""] + values).joined(separator: ", ")) }"
  }

  private static func number(_ milliseconds: Double) -> String {
    milliseconds == milliseconds.rounded() ? "\(Int(milliseconds))" : "\(milliseconds)"
  }

  /// What is drawn into a histogram of gaps: below it a gap is bridged, or looked at closely. Milliseconds.
  public var threshold: Double {
    if case .confirm = strategy {
      return windows.dropout > 0 ? windows.dropout : min(windows.settle, windows.suspect)
    }
    return values[0].milliseconds
  }

  /// The windows by which the strategy decides, in milliseconds.
  var windows: (settle: Double, suspect: Double, dropout: Double) {
    switch strategy {
    case .adaptive(let rule):
      // Those of a worn key.
      (
        max(Self.windowsOfHealthyKeys.settle, rule.dropout.inMilliseconds * 2.8),
        max(Self.windowsOfHealthyKeys.suspect, rule.dropout.inMilliseconds * 2.4),
        rule.dropout.inMilliseconds
      )
    case .confirm(let rule): rule.windows
    case .eagerDefer(let rule): (rule.press.inMilliseconds, 0, rule.release.inMilliseconds)
    default: (0, 0, 0)
    }
  }

  /// The windows of `adaptive` for keys that have shown nothing.
  static let windowsOfHealthyKeys = (settle: 55.0, suspect: 40.0, dropout: 0.0)

  /// Whether one of its times is so long that `keydebounce check` warns of it.
  var isLong: Bool {
    let kind = strategy.kind
    return values.contains { value in
      let long =
        value.name == "threshold"
        ? kind.longThreshold : kind.parameter(named: value.name)?.longTime
      return long.map { Self.microseconds(value.milliseconds) > $0.limit } ?? false
    }
  }

  /// What is chosen from, for a device that is polled at this interval.
  ///
  /// Gaps come in multiples of the interval: a threshold halfway between two is clear of both.
  static func candidates(poll: Int?) -> [Setting] {
    func stepped(_ values: [Double]) -> [Double] {
      guard let poll, poll >= 4 else { return values }
      let step = Double(poll)
      var seen: Set<Double> = []
      return values.map { ($0 / step).rounded(.down) * step + step / 2 }
        .filter { seen.insert($0).inserted }
    }
    let thresholds = stepped([12, 15, 18, 20, 25, 30, 35, 40, 45, 50, 55, 60, 70, 80, 100])
    let windows = stepped([55, 70, 90, 110, 140])
    let suspects = stepped([50, 65, 80, 100, 130])
    var candidates: [Setting] = []
    for threshold in thresholds where threshold >= 18 && threshold <= 65 {
      candidates.append(.adaptive(threshold: threshold))
    }
    for threshold in thresholds { candidates.append(.eagerDefer(threshold: threshold)) }
    for settle in windows {
      for suspect in suspects {
        for dropout in [0] + thresholds where dropout <= settle {
          candidates.append(.confirm(settle: settle, suspect: suspect, dropout: dropout))
        }
      }
    }
    return candidates
  }
}

extension Confirm {
  fileprivate var windows: (settle: Double, suspect: Double, dropout: Double) {
    (settle.inMilliseconds, suspect.inMilliseconds, dropout.inMilliseconds)
  }
}

extension Microseconds {
  var inMilliseconds: Double { Double(self) / 1000 }
}
