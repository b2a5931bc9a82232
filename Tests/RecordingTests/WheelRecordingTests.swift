import Configuration
import Debounce
import Recording
import Testing

/// Recordings of worn wheels and knobs, made after what people report, with the lines that the manual has for them.
@Suite("Recordings of wheels")
struct WheelRecordingTests {
  /// Plays a recording by a `[wheel]`.
  ///
  /// - Returns: The values of each axis that are passed on, with their times.
  private func turned(
    _ name: String, _ wheel: WheelRules
  ) throws -> [UInt16: [(time: Microseconds, value: Int32)]] {
    let entries = try read(fixture: "traces/wheels/\(name).evemu").entries
    var passed: [UInt16: [(time: Microseconds, value: Int32)]] = [:]
    for frame in replayed(entries, Rules(strategy: .none, wheel: wheel)).frames {
      for event in frame.events where event.type == EventType.relative {
        passed[event.code, default: []].append((frame.time, event.value))
      }
    }
    return passed
  }

  private static func sum(_ steps: [(time: Microseconds, value: Int32)]) -> Int32 {
    steps.reduce(0) { $0 + $1.value }
  }

  @Test("go one way", arguments: ["hires-jitter", "hires-one-notch-back", "wheel-1back"])
  func backwards(name: String) throws {
    let passed = try turned(name, WheelRules(reversal: 80_000))
    #expect(!passed.isEmpty && passed.values.allSatisfy { $0.allSatisfy { $0.value > 0 } })
    // Nothing of what went that way is lost.
    let sent = try turned(name, WheelRules())
    for (axis, steps) in sent {
      let forwards = steps.filter { $0.value > 0 }
      #expect(passed[axis].map(Self.sum) == Self.sum(forwards))
    }
    // Without the setting they do not.
    #expect(sent.values.contains { $0.contains { $0.value < 0 } })
  }

  @Test("begin the way they go on")
  func firstStep() throws {
    let steps = try turned("wheel-first-wrong", WheelRules(reversal: 80_000))[8] ?? []
    #expect(steps.filter { $0.time < 1_000_000 }.map(\.value) == [1, 1, 1])
    #expect(Self.sum(steps.filter { $0.time > 1_000_000 }) == -4)
    #expect(steps.allSatisfy { $0.time < 1_000_000 || $0.value < 0 })
    let sent = try turned("wheel-first-wrong", WheelRules(reversal: 80_000, first: 0))[8] ?? []
    #expect(sent.contains { $0.time > 1_000_000 && $0.value > 0 })
  }

  @Test("have one step for a notch that fires twice")
  func doubles() throws {
    for reversal in [0, 80_000] as [Microseconds] {
      let wheel = WheelRules(reversal: reversal, double: 8_000)
      #expect(try turned("finkrer-21-double-notch", wheel)[8]?.map(\.value) == [1, 1, 1, 1, 1])
    }
    #expect(try turned("finkrer-21-double-notch", WheelRules(reversal: 80_000))[8]?.count == 10)
  }

  @Test("have one step for each detent of a knob")
  func detents() throws {
    let wheel = WheelRules(axes: [1], reversal: 20_000, double: 5_000)
    #expect(try turned("hdzero-625-rotary-rel", wheel)[1]?.map(\.value) == [1, 1])
    #expect(try turned("hdzero-625-rotary-rel", WheelRules(reversal: 20_000))[1]?.count == 6)
  }
}
