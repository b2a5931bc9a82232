import Configuration
@testable import Debounce
import Recording
import Testing

/// Recordings of which every stroke is meant, however fast it is, with the packaged defaults.
@Suite("Recordings without chatter")
struct MeantRecordingTests {
  private static let names = [
    "machine-knob", "machine-macro1", "machine-macro20", "machine-scanner", "order-ctrl",
    "order-eer", "order-shift",
  ]

  /// What was sent, and what was passed on.
  private func replay(_ name: String, _ rules: Rules) throws -> (raw: [Event], clean: [Event]) {
    let entries = try read(fixture: "recordings/\(name).evemu").entries
    let raw = entries.flatMap { entry -> [Event] in
      if case .raw(let frame) = entry { Array(frame.events) } else { [] }
    }
    let result = replayed(entries, rules)
    #expect(result.suppressed.isEmpty)
    return (raw, result.frames.flatMap(\.events))
  }

  /// All presses, and the releases of modifiers: what decides which characters come in which order.
  private func inOrder(_ events: [Event]) -> [Event] {
    events.filter { $0.value == 1 || $0.code.isModifier }
  }

  @Test("lose nothing, and keep the order of presses and modifiers", arguments: names)
  func packaged(name: String) throws {
    let (raw, clean) = try replay(name, Settings.packaged.rules)
    #expect(raw.count >= 6)
    #expect(inOrder(clean) == inOrder(raw))
    // A letter's release may come after the next letter's press, as it does on most keyboards.
    for key in Set(raw.map(\.code)) {
      #expect(clean.filter { $0.code == key } == raw.filter { $0.code == key })
    }
    #expect(clean.count == raw.count)
  }

  @Test("lose nothing either where no key is spared, as a knob's keys are by default")
  func knob() throws {
    let rules = Rules(keys: [115: Rules().strategy])
    let (raw, clean) = try replay("machine-knob", rules)
    #expect(raw.count == 20)
    #expect(clean == raw)
  }
}
