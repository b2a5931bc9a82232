@testable import Debounce

/// The intervals of which streams are made: the times at which the rules decide otherwise, and their neighbours.
struct Grid: Sendable, CustomStringConvertible {
  let times: [Microseconds]

  var description: String {
    times.map { "\($0)" }.joined(separator: " ")
  }

  /// How all critical times become several grids, for print.
  static let rule = """
    intervals in µs: each parameter and each sum of two, \(most) to a grid, with the time before and the time after each, \
    and 0; and a coarse grid for longer streams: 0, 1, each parameter but the fifth and later, and what is longer than all
    """

  /// How many critical times one grid has. More would make its streams short.
  private static let most = 4

  /// All times that matter to the rules, parameters first.
  static func criticalTimes(of rules: Rules) -> [Microseconds] {
    // What `adaptive` compares with constants counts as a parameter; sums are those of what can be set.
    let set = (rules.strategy.parameters + rules.groups.map(\.lockout)).filter { $0 > 0 }
    var sums: [Microseconds] = []
    for (index, first) in set.enumerated() { sums += set[index...].map { first + $0 } }
    var known: Set<Microseconds> = [0]
    return (rules.times + sums).filter { known.insert($0).inserted }
  }

  /// Grids that have all of them between them.
  static func fine(_ rules: Rules) -> [Grid] {
    let critical = criticalTimes(of: rules)
    guard !critical.isEmpty else { return [Grid(times: [0, 1, 30.ms])] }
    return stride(from: 0, to: critical.count, by: most).map { start in
      let part = critical[start..<min(start + most, critical.count)]
      return Grid(times: Set([0] + part.flatMap { [$0 - 1, $0, $0 + 1] }).sorted())
    }
  }

  /// One of few times.
  static func coarse(_ rules: Rules) -> Grid {
    let critical = criticalTimes(of: rules)
    let parameters = rules.times.filter { $0 > 0 }.prefix(4)
    return Grid(times: Set([0, 1, (critical.max() ?? 0) + 1] + parameters).sorted())
  }
}
