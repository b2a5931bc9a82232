import Debounce
import TypingModel

/// A kind of switch: a row of the table.
struct Case: Sendable {
  var name: String
  var wear: Wear
  /// What should be found where the bands do not overlap.
  enum Truth: Sendable { case healthy, chatters, dropsOut, mixed, bursts }
  var truth: Truth
  var isBursty = false

  /// Shares of A, B and C.
  private static func wear(
    _ shares: (Double, Double, Double), rate: Double, gap: Double = 10, spread: Double = 0.6
  ) -> Wear {
    var wear = Wear()
    wear.rate = rate / 100
    wear.shares = [.pressBounce: shares.0, .releaseBounce: shares.1, .dropOut: shares.2]
    wear.gap = Lognormal(median: gap, spread: spread, in: 1...max(60, 3 * gap))
    return wear
  }

  static let mixture = (0.45, 0.25, 0.30)

  static let healthy = [
    Case(name: "healthy", wear: .none, truth: .healthy),
    Case(name: "healthy, receiver bursts", wear: .none, truth: .bursts, isBursty: true),
  ]

  static let faulty: [Case] =
    [0.2, 0.5, 1, 2, 5, 10, 20].map {
      Case(name: "A+B+C \(number($0)) %", wear: wear(mixture, rate: $0), truth: .mixed)
    }
    + [2.0, 5, 20].flatMap { rate in
      [
        Case(name: "A \(number(rate)) %", wear: wear((1, 0, 0), rate: rate), truth: .chatters),
        Case(name: "B \(number(rate)) %", wear: wear((0, 1, 0), rate: rate), truth: .chatters),
        Case(name: "C \(number(rate)) %", wear: wear((0, 0, 1), rate: rate), truth: .dropsOut),
      ]
    }
    + [(5.0, 0.5), (20, 0.5), (35, 0.5)].map { gap, spread in
      Case(
        name: "A+B+C 5 %, gap \(number(gap))",
        wear: wear(mixture, rate: 5, gap: gap, spread: spread), truth: .mixed)
    }
    + [
      Case(
        name: "C 10 %, gap 25", wear: wear((0, 0, 1), rate: 10, gap: 25, spread: 0.4),
        truth: .dropsOut),
      Case(
        name: "C 10 %, gap 70", wear: wear((0, 0, 1), rate: 10, gap: 70, spread: 0.3),
        truth: .dropsOut),
    ]

  private static func number(_ value: Double) -> String {
    value == value.rounded() ? "\(Int(value))" : "\(value)"
  }
}
