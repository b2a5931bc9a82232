import Debounce

/// What a key's line in a device file may say.
public enum Setting: Equatable, Sendable {
  /// The default strategy with a threshold, in milliseconds.
  case adaptive(threshold: Double)
  /// Drop-outs are always bridged, or never with `dropout` 0; the windows by name. Milliseconds.
  case confirm(settle: Double, suspect: Double, dropout: Double)
  /// All releases wait. Milliseconds.
  case eagerDefer(threshold: Double)

  /// The line's right side, as `40` or `{ strategy = "confirm", dropout = 30 }`.
  public var text: String {
    switch self {
    case .adaptive(let threshold):
      return "{ strategy = \"adaptive\", threshold = \(Self.number(threshold)) }"
    case .eagerDefer(let threshold):
      return "{ strategy = \"eager-defer\", threshold = \(Self.number(threshold)) }"
    case .confirm(let settle, let suspect, let dropout):
      return "{ strategy = \"confirm\", settle = \(Self.number(settle)), "
        + "suspect = \(Self.number(suspect)), dropout = \(Self.number(dropout)) }"
    }
  }

  /// The same for the engine.
  public var strategy: Strategy {
    switch self {
    case .adaptive(let threshold):
      .adaptive(Adaptive(threshold: Microseconds(threshold * 1000)))
    case .eagerDefer(let threshold):
      .eagerDefer(EagerDefer(threshold: Microseconds(threshold * 1000)))
    case .confirm(let settle, let suspect, let dropout):
      .confirm(
        Confirm(
          settle: Microseconds(settle * 1000), suspect: Microseconds(suspect * 1000),
          dropout: Microseconds(dropout * 1000)))
    }
  }

  /// What is drawn into a histogram of gaps: below it a gap is bridged, or looked at closely.
  public var threshold: Double {
    switch self {
    case .adaptive(let threshold), .eagerDefer(let threshold): threshold
    case .confirm(let settle, let suspect, let dropout):
      dropout > 0 ? dropout : min(settle, suspect)
    }
  }

  private static func number(_ milliseconds: Double) -> String {
    milliseconds == milliseconds.rounded() ? "\(Int(milliseconds))" : "\(milliseconds)"
  }

  /// The windows that decide, in milliseconds.
  var windows: (settle: Double, suspect: Double, dropout: Double) {
    switch self {
    case .adaptive(let threshold): (max(55, threshold + 30), max(50, 2 * threshold), threshold)
    case .eagerDefer(let threshold): (threshold, 0, threshold)
    case .confirm(let settle, let suspect, let dropout): (settle, suspect, dropout)
    }
  }

  /// Whether one of its times is so long that `keydebounce check` warns of it.
  var isLong: Bool {
    switch self {
    case .adaptive(let threshold), .eagerDefer(let threshold): threshold > 50
    case .confirm(let settle, let suspect, let dropout): settle > 85 || suspect > 50 || dropout > 50
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
    return thresholds.filter { $0 >= 18 && $0 <= 65 }.map { .adaptive(threshold: $0) }
      + thresholds.map { .eagerDefer(threshold: $0) }
      + windows.flatMap { settle in
        suspects.flatMap { suspect in
          ([0] + thresholds).filter { $0 <= settle }.map {
            .confirm(settle: settle, suspect: suspect, dropout: $0)
          }
        }
      }
  }
}
