/// What became of the mutants of one scope.
struct Tally: CustomStringConvertible {
  let scope: String
  private(set) var killed = 0
  private(set) var equal = 0
  /// Those that no test notices, and of which nobody has said why.
  private(set) var survivors: [(mutant: Mutant, outcome: Results.Outcome)] = []
  /// Those that are said to be equal, and that a test notices.
  private(set) var mistaken: [Mutant] = []

  init(scope: String, _ mutants: [Mutant], _ results: Results, _ equals: Equals) {
    self.scope = scope
    for mutant in mutants {
      let isEqual = equals.reason(for: mutant) != nil
      switch results.outcome(of: mutant) {
      case nil: continue
      case .killed?:
        killed += isEqual ? 0 : 1
        if isEqual { mistaken.append(mutant) }
      case let outcome?:
        if isEqual { equal += 1 } else { survivors.append((mutant, outcome)) }
      }
    }
  }

  /// How many percent were noticed, of those that can be.
  var share: Double {
    killed + survivors.count == 0 ? 100 : 100 * Double(killed) / Double(killed + survivors.count)
  }

  var description: String {
    let tenths = Int((share * 10).rounded(.down))
    return
      (survivors.map { "\($0.outcome.rawValue): \($0.mutant)" }
      + mistaken.map { "noticed, though said to be equal: \($0)" }
      + [
        "\(scope): \(killed) killed, \(survivors.count) survived, \(equal) known to be equal: \(tenths / 10).\(tenths % 10) %"
      ]).joined(separator: "\n")
  }
}
