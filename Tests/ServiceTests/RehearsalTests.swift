import Debounce
import Testing

@testable import Service

@Suite("What is rehearsed before a key comes")
struct RehearsalTests {
  private static let device = DeviceID(slot: 0, generation: 1)

  @Test("a stroke goes all the way through the device's strategy", arguments: StrategyKind.allCases)
  func stroke(kind: StrategyKind) {
    var rehearsal = Rehearsal(of: Self.device, rules: Rules(strategy: kind.packaged))
    // A press and a release, and whatever else the strategy makes of the bounce.
    #expect(rehearsal.playStroke() >= 2)
  }
}
