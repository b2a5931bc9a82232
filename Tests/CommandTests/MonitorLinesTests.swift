import Configuration
import Debounce
import Recording
import Terminal
import Testing

@testable import keydebounce

@Suite("The lines of monitor")
struct MonitorLinesTests {
  /// What is drawn of edges of one key, a press first, that follow each other after the given milliseconds.
  private func drawn(
    _ steps: Double..., key: KeyCode = 18, rules: Rules = Rules(), columns: Int = 80,
    characters: Characters = .unicode, isPlain: Bool = false
  ) -> [String] {
    let sheet = Sheet(columns: columns, characters: characters, isPlain: isPlain)
    let lines = MonitorLines(on: sheet, start: 0)
    var comparison = EdgeComparison(rules)
    var time = 0.0
    for (index, step) in steps.enumerated() {
      time += step
      comparison.process(Frame(time: Microseconds(time * 1000), [.key(key, down: index % 2 == 0)]))
    }
    comparison.advance(to: .max)
    return [lines.header].compactMap { $0 } + comparison.steps.compactMap { lines.line(for: $0) }
  }

  @Test("stand under each other, with gaps, holds, and what was removed as what")
  func lines() {
    #expect(
      drawn(1000, 8, 8, 104.25, 200.5, 90, 12, 10) == [
        "     TIME  KEY               DEVICE SENT        PASSED ON",
        "    1.000  KEY_E             ▼ press            ▼ press",
        "    1.008  KEY_E             ▲ hold    8.0 ms   … waits, 47.0 ms at most",
        "    1.016  KEY_E             ▼ gap     8.0 ms   ✗ press bounce",
        "    1.120  KEY_E             ▲ hold  104.3 ms   … waits, 25.0 ms at most",
        "    1.120  KEY_E                                bad key: its releases wait",
        "    1.145  KEY_E                                ▲ release +25.0 ms",
        "    1.320  KEY_E             ▼ gap   200.5 ms   ▼ press",
        "    1.410  KEY_E             ▲ hold   90.0 ms   … waits, 25.0 ms at most",
        "    1.422  KEY_E             ▼ gap    12.0 ms   ✗ drop-out",
        "    1.432  KEY_E                                ✗ release bounce, no drop-out",
        "    1.432  KEY_E             ▲ hold   10.0 ms   … waits, 25.0 ms at most",
        "    1.457  KEY_E                                ▲ release +25.0 ms",
      ])
  }

  @Test("show what strokes mean, and what is emitted for them")
  func meanings() {
    let rules = Rules(
      strategy: .eagerDefer(EagerDefer(threshold: 20_000)),
      meanings: [18: Meanings(single: 18, double: 28, hold: 1, within: 200_000)])
    #expect(
      drawn(0, 80, 60, 100, 800, 600, 1000, 80, rules: rules).dropFirst() == [
        "    0.000  KEY_E             ▼ press            · clean",
        "    0.080  KEY_E             ▲ hold   80.0 ms   … waits, 20.0 ms at most",
        "    0.100  KEY_E                                · clean +20.0 ms",
        "    0.140  KEY_E             ▼ gap    60.0 ms   · clean",
        "    0.140  KEY_E                                ▶ double press: KEY_ENTER",
        "    0.240  KEY_E             ▲ hold  100.0 ms   … waits, 20.0 ms at most",
        "    0.260  KEY_E                                · clean +20.0 ms",
        "    1.040  KEY_E             ▼ gap   800.0 ms   · clean",
        "    1.540  KEY_E                                ▶ long press: KEY_ESC",
        "    1.640  KEY_E             ▲ hold  600.0 ms   … waits, 20.0 ms at most",
        "    1.660  KEY_E                                · clean +20.0 ms",
        "    2.640  KEY_E             ▼ gap  1000.0 ms   · clean",
        "    2.720  KEY_E             ▲ hold   80.0 ms   … waits, 20.0 ms at most",
        "    2.740  KEY_E                                · clean +20.0 ms",
        "    2.840  KEY_E                                ▶ single press: KEY_E",
      ])
    #expect(drawn(0, 600, rules: rules, characters: .ascii)[2].hasSuffix("> long press: KEY_ESC"))
    #expect(
      drawn(0, 600, rules: rules, isPlain: true)[1]
        == "0.500 s, KEY_E, means long press: KEY_ESC")
  }

  @Test("say the same in ASCII")
  func ascii() {
    let lines = drawn(0, 8, 8, 100, characters: .ascii)
    #expect(lines.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } })
    #expect(lines[1] == "    0.000  KEY_E             down press            press")
    #expect(lines[3] == "    0.016  KEY_E             down gap     8.0 ms   x press bounce")
  }

  @Test("are sentences where they are read aloud")
  func plain() {
    #expect(
      drawn(1000, 8, 8, 104.25, isPlain: true) == [
        "1.000 s, KEY_E, press, passed on",
        "1.008 s, KEY_E, release hold 8.0 ms, waits, 47.0 ms at most",
        "1.016 s, KEY_E, press gap 8.0 ms, removed as press bounce",
        "1.120 s, KEY_E, release hold 104.3 ms, waits, 25.0 ms at most",
        "1.120 s, KEY_E, bad key: its releases wait",
        "1.145 s, KEY_E, release passed on +25.0 ms",
      ])
  }

  @Test("are sentences that wrap where there is no room for columns")
  func narrow() {
    let lines = drawn(1000, 8, 8, 104.25, columns: 40)
    #expect(
      lines.joined(separator: "\n").split(separator: "\n") == [
        "1.000 s, KEY_E, ▼ press, ▼ press", "1.008 s, KEY_E, ▲ hold 8.0 ms, … waits,",
        "  47.0 ms at most", "1.016 s, KEY_E, ▼ gap 8.0 ms, ✗ press", "  bounce",
        "1.120 s, KEY_E, ▲ hold 104.3 ms, …", "  waits, 25.0 ms at most",
        "1.120 s, KEY_E, bad key: its releases", "  wait", "1.145 s, KEY_E, ▲ release +25.0 ms",
      ])
  }

  @Test("point out a short gap that is passed on")
  func shortGap() {
    #expect(
      drawn(0, 100, 40, 100, rules: Rules(strategy: .none))[3].hasSuffix("▼ press    short gap"))
  }

  @Test("fit into 80 columns, whatever the key, the time and the strategy")
  func width() throws {
    let strategies: [Strategy] = [
      .adaptive(Adaptive()), .defer(Defer(threshold: 1_000_000)),
      .eager(Eager(threshold: 25_000)), .throttle(Throttle(interval: 500_000)),
    ]
    for strategy in strategies {
      for name in KeyNames.all where name.count >= 15 {
        let key = try #require(KeyNames.code(named: name))
        for characters in [Characters.ascii, .unicode] {
          let lines = drawn(
            86_400_000, 8, 8, 120, 9999, 200, 12, 20, key: key,
            rules: Rules(strategy: strategy), characters: characters)
          for line in lines { #expect(line.columns <= 80, "\(line)") }
          // Every column begins where it does in the first line.
          #expect(lines.allSatisfy { Array($0)[11 + 16] == " " }, "\(lines)")
        }
      }
    }
  }

  @Test("name keys in full where there is room")
  func longNames() throws {
    let key = try #require(KeyNames.code(named: "KEY_BRIGHTNESSDOWN"))
    #expect(drawn(0, 100, key: key)[1].contains(" KEY_BRIGHTNESSD… "))
    #expect(drawn(0, 100, key: key, columns: 120)[1].contains(" KEY_BRIGHTNESSDOWN "))
  }

  @Test("tell as what a press vanished that had waited")
  func vanished() {
    let outcomes = [Removal.lockedOut, .throttled].map {
      Outcome(key: 30, isPress: true, edge: 0, time: 1000, kind: .vanished($0))
    }
    var comparison = EdgeComparison(deciding: [:])
    for outcome in outcomes { comparison.process(.outcome(outcome)) }
    let lines = MonitorLines(on: Sheet(columns: 80), start: 0)
    let drawn = comparison.steps.compactMap { lines.line(for: $0) }
    #expect(zip(drawn, [Removal.lockedOut, .throttled]).allSatisfy { $0.hasSuffix($1.words) })
  }

  @Test("tell of lost events, and of keys that were down before")
  func losses() {
    let lines = MonitorLines(on: Sheet(columns: 80), start: 0, showsOthers: true)
    var comparison = EdgeComparison(Rules())
    comparison.process(Frame(time: 5000, [.key(28, down: false)]))
    comparison.process(
      Frame(time: 6000, [Event(type: 2, code: 0, value: -3), .scan(4), .key(30, down: true)]))
    comparison.process(.lost(lines: 1, held: KeySet([31]), at: 9000))
    comparison.process(Frame(time: 50_000, [.key(31, down: false)]))
    #expect(
      comparison.steps.compactMap { lines.line(for: $0) } == [
        "    0.005  KEY_ENTER         ▲ release          · was down before",
        "    0.006  REL_X               -3               ·",
        "    0.006  KEY_A             ▼ press            ▼ press",
        "    0.009                    events were lost   keys set to what is down",
        "    0.009  KEY_A                                ▲ release",
        "    0.009  KEY_S                                ▼ press",
        "    0.050  KEY_S             ▲ release          ▲ release",
      ])
    #expect(comparison.tally.lines.last == "events were lost once")
  }
}
