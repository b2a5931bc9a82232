import Debounce
import Foundation
import Testing

/// What must hold of every stream, on all short ones.
///
/// Without `KEYDEBOUNCE_EXHAUSTIVE` few are looked at, so that this runs with the unit tests; `make exhaustive` sets how many
/// at most for each strategy, and prints which, by which rule, and what is not checked of them. One in ten is undisturbed, and
/// has the properties checked; in the others something is resynchronised, adopted or paused.
@Suite struct ExhaustiveTests {
  private static let environment = ProcessInfo.processInfo.environment["KEYDEBOUNCE_EXHAUSTIVE"]
  private static let most = environment.flatMap { Int($0) } ?? 2000
  private static let prints = environment != nil

  /// Prints once which intervals are looked at, and what is checked.
  private static let begin: Void = {
    guard prints else { return }
    let leftOut = Property.leftOut.map { "  left out: “\($0.property.name)” \($0.reason)" }
    print(
      """
      exhaustive: \(Grid.rule)
      exhaustive: \(Property.ofEachStream.count) properties of each undisturbed stream, of those that the strategy has
      \(leftOut.joined(separator: "\n"))
      """)
  }()

  /// A letter, and a letter with a modifier.
  private static let keys: [[KeyCode]] = [[.a], [.a, .leftShift]]

  @Test("Every short stream has all properties", arguments: ExhaustiveCase.all)
  func streams(_ strategy: ExhaustiveCase) {
    Self.begin
    var report = Report(strategy)
    for (index, rules) in strategy.settings.enumerated() {
      let grids = Grid.fine(rules) + [Grid.coarse(rules)]
      let trees = strategy.settings.count * Self.keys.count * grids.count
      for grid in grids {
        for keys in Self.keys {
          let plain = StreamTree.largest(keys, grid, most: Self.most / 10 / trees)
          let others = strategy.others(than: index)
          let disturbed = StreamTree.largest(keys, grid) {
            DisturbedTree<SmallEngine>.estimate($0, others: others.count)
              <= Self.most * 9 / 10 / trees
          }
          report.begin(index, plain, disturbed)
          if let failure = Self.violation(SmallEngine.self, strategy.kind, rules, plain) {
            Issue.record("\(strategy): \(failure)")
          }
          report.undisturbed += plain.count
          var walk = DisturbedTree<SmallEngine>(tree: disturbed, rules: rules, others: others)
          walk.walk()
          if let violation = walk.violation { Issue.record("\(strategy): \(violation)") }
          report.disturbed += walk.count
        }
      }
    }
    if Self.prints { print(report) }
    #expect(report.undisturbed > 0 && report.disturbed > report.undisturbed)
  }

  /// Looks at each stream of the tree.
  ///
  /// - Returns: The first of which a property does not hold, and why.
  private static func violation<Engine: Subject>(
    _ engine: Engine.Type, _ kind: Kind, _ rules: Rules, _ tree: StreamTree,
    properties: [Property] = Property.ofEachStream
  ) -> String? {
    let properties = properties.filter { $0.kinds.contains(kind) }
    let start = Engine(rules)
    var number: UInt64 = 0
    var failure: String?
    tree.forEach(start) { stream, engine, emitted in
      number += 1
      var drained = engine
      let decided = emitted + drained.advance(to: .max)
      for property in properties {
        var trial = Trial(start, rules, stream, decided: decided, seed: number)
        guard let violation = property.violation(&trial) else { continue }
        failure =
          "\(property.name)\n  violated: \(violation)\n  stream: \(stream)\n  rules: \(rules)"
        return false
      }
      return true
    }
    return failure
  }

  @Test("Each property fails of its mutant", arguments: Property.ofEachStream)
  func itFailsOfItsMutant(_ property: Property) {
    func fails(_ mutant: (some Subject).Type, length: Int) -> Bool {
      ExhaustiveCase.all.filter { property.kinds.contains($0.kind) }.contains { strategy in
        strategy.settings.contains { rules in
          Self.keys.contains { keys in
            let tree = StreamTree(keys: keys, grid: Grid.coarse(rules), length: length)
            return Self.violation(mutant, strategy.kind, rules, tree, properties: [property]) != nil
          }
        }
      }
    }
    // Long streams only where short ones do not do.
    let found = (2...4).contains { fails(property.mutant, length: $0) }
    #expect(found)
  }

  @Test("disturbed streams find deliberate mistakes")
  func disturbedMutants() {
    func fails<Engine: Subject>(_ mutant: Engine.Type) -> Bool {
      ExhaustiveCase.all.contains { strategy in
        let rules = strategy.settings[0]
        let tree = StreamTree(keys: Self.keys[1], grid: Grid.coarse(rules), length: 2)
        var walk = DisturbedTree<Engine>(tree: tree, rules: rules, others: strategy.others(than: 0))
        walk.walk()
        return walk.violation != nil
      }
    }
    let mutants: [any Subject.Type] = [
      Stutterer.self, Forgetter.self, Leaver.self, Babbler.self, Mistruster.self, Restarter.self,
    ]
    for mutant in mutants {
      let found = fails(mutant)
      #expect(found, "\(mutant)")
    }
    let findsNothing = !fails(SmallEngine.self)
    #expect(findsNothing)
  }
}

extension Property {
  /// Those that are checked of each undisturbed stream.
  static let ofEachStream: [Property] = {
    let others = leftOut.map(\.property.name)
    return all.filter { !others.contains($0.name) }
  }()

  /// Those that are not, and why.
  static let leftOut: [(property: Property, reason: String)] = {
    let place = "chooses a place at random: the disturbed streams have all places"
    let machine = "makes streams of its own, longer than these"
    return [
      (trustsTheStateGiven, place), (adoptsRulesBetweenStrokes, place),
      (endsWithNothingDown, place), (survivesPauses, place), (passesMachines, machine),
      (deliversBeforeTheNextPress, machine), (decidesBeforeItTrustsTheState, place),
    ]
  }()
}

/// What was looked at of one strategy.
private struct Report: CustomStringConvertible {
  var undisturbed = 0
  var disturbed = 0
  private let strategy: ExhaustiveCase
  private let start = ContinuousClock.now
  private var lines: [String] = []

  init(_ strategy: ExhaustiveCase) { self.strategy = strategy }

  mutating func begin(_ setting: Int, _ plain: StreamTree, _ disturbed: StreamTree) {
    lines.append(
      """
        setting \(setting + 1), \(plain.keys.count) key\(plain.keys.count == 1 ? "" : "s"): up to \(plain.length) edges, \
      disturbed \(disturbed.length), \(plain.count) undisturbed streams, intervals \(plain.grid)
      """)
  }

  var description: String {
    let settings = strategy.settings.enumerated().map { "  setting \($0 + 1): \($1)" }
    let seconds = (ContinuousClock.now - start).components.seconds
    return """
      exhaustive: \(strategy): \(undisturbed) streams undisturbed, \(disturbed) with a resynchronisation, new rules or a \
      pause, \(seconds) s
      \(settings.joined(separator: "\n"))
      \(lines.joined(separator: "\n"))
      """
  }
}
