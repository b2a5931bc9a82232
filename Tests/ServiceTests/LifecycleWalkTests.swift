import Randomness
import Testing

@testable import Service

@Suite("The lifecycle of a device, whatever happens")
struct LifecycleWalkTests {
  private static let walks: UInt64 = 5000

  /// `KEYDEBOUNCE_SEED` repeats a walk.
  private static let seed = UInt64.testSeed

  @Test("keeps the device safe on random walks")
  func walk() {
    print("lifecycle: KEYDEBOUNCE_SEED=\(Self.seed)")
    for walk in 0..<Self.walks {
      var device = SimulatedDevice(seed: Self.seed &+ walk)
      device.walk(steps: 40)
      guard let violation = device.violation else { continue }
      var again = SimulatedDevice(seed: Self.seed &+ walk, recordsHistory: true)
      again.walk(steps: 40)
      Issue.record(
        """
        broken with KEYDEBOUNCE_SEED=\(Self.seed &+ walk): \(violation.rawValue)
        \(again.history?.joined(separator: "\n") ?? "")
        """)
      return
    }
  }

  @Test("the walks find each deliberate mistake", arguments: LifecycleMutant.allCases)
  func mutants(_ mutant: LifecycleMutant) {
    for walk in 0..<Self.walks {
      var device = SimulatedDevice(mutant, seed: Self.seed &+ walk)
      device.walk(steps: 40)
      if device.violation == mutant.violates { return }
    }
    Issue.record("\(mutant) was not found, KEYDEBOUNCE_SEED=\(Self.seed)")
  }

  @Test("each invariant has a mutant that breaks it")
  func everyInvariant() {
    #expect(Set(LifecycleMutant.allCases.map(\.violates)) == Set(Invariant.allCases))
  }
}
