import Debounce
import Foundation
import Randomness
import Testing

/// What must hold of every stream, on random ones.
///
/// A failure names the seed of its stream. Two variables of the environment choose which are looked at:
/// `KEYDEBOUNCE_SEED`, where to begin, and `KEYDEBOUNCE_STREAMS`, how many streams per strategy and
/// property. Seed and stream count are printed.
@Suite struct PropertyTests {
  private static let environment = ProcessInfo.processInfo.environment

  static let streams = environment["KEYDEBOUNCE_STREAMS"].flatMap { Int($0) } ?? 10

  private static let seed: UInt64 = {
    let seed = UInt64.testSeed
    print("KEYDEBOUNCE_SEED=\(seed) KEYDEBOUNCE_STREAMS=\(streams)")
    return seed
  }()

  @Test("Each property holds of every stream", arguments: Property.all)
  func property(of property: Property) {
    for kind in property.kinds {
      let failure = Failure.first(
        of: property, kind, Debouncer.self, seed: Self.seed, streams: Self.streams)
      if let failure { Issue.record("\(failure)") }
    }
  }

  @Test("Each property fails of its mutant", arguments: Property.all)
  func itFailsOfItsMutant(_ property: Property) {
    let fails = property.kinds.contains {
      Failure.first(of: property, $0, property.mutant, seed: 1, streams: 200) != nil
    }
    #expect(fails)
  }
}

/// A stream of which a property does not hold.
private struct Failure {
  var property: Property
  var kind: Kind
  var seed: UInt64
  var rules: Rules
  var stream: Stream
  var violation: String

  /// The first one among so many streams, made as short as it gets.
  static func first(
    of property: Property, _ kind: Kind, _ subject: any Subject.Type, seed: UInt64, streams: Int
  ) -> Failure? {
    for index in 0..<streams {
      let seed = seed &+ UInt64(index)
      var random = SeededRandom(seed: seed)
      let rules = kind.rules(using: &random)
      let stream = Stream(for: rules, using: &random)
      var trial = Trial(subject, rules, stream, seed: seed)
      guard let violation = property.violation(&trial) else { continue }
      var failure = Failure(
        property: property, kind: kind, seed: seed, rules: rules, stream: stream,
        violation: violation)
      failure.shrink(subject)
      return failure
    }
    return nil
  }

  /// Leaves out frames for as long as the property still does not hold.
  private mutating func shrink(_ subject: any Subject.Type) {
    var index = 0
    while index < stream.frames.count {
      var shorter = stream
      shorter.frames.remove(at: index)
      var trial = Trial(subject, rules, shorter, seed: seed)
      guard let violation = property.violation(&trial) else {
        index += 1
        continue
      }
      stream = shorter
      self.violation = violation
      index = 0
    }
  }
}

extension Failure: CustomStringConvertible {
  var description: String {
    """
    \(kind.rawValue), KEYDEBOUNCE_SEED=\(seed): \(property.name)
      violated: \(violation)
      stream: \(stream)
      rules: \(rules)
    """
  }
}
