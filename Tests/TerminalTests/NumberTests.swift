import Terminal
import Testing

@Suite("Numbers as a person reads them")
struct NumberTests {
  @Test("are grouped, counted, and put in words")
  func words() {
    #expect(
      [0, 12, 999, 1000, -1_234_567].map(\.grouped) == ["0", "12", "999", "1,000", "-1,234,567"])
    #expect(
      [1.counted("press"), 2000.counted("press"), 0.counted("key")] == [
        "1 press", "2,000 presses", "0 keys",
      ])
    #expect(perThousand(1, of: 0) == nil)
    #expect(perThousand(0, of: 5) == "0.0")
    #expect(perThousand(1, of: 1_000_000) == "<0.1")
    #expect(perThousand(.max, of: .max) == "1,000.0")
    #expect(
      [0.4, 1, 119, 3660, 34_560_000, .infinity].map { inWords(seconds: $0) } == [
        "0 seconds", "1 second", "1 minute", "1 hour 1 minute", "400 days", "0 seconds",
      ])
  }

  @Test("have as many digits as they are worth")
  func digits() {
    #expect(
      [0, 0.001, 0.314, 0.996, 3.14, 9.96, 31.4, .infinity].map(\.short) == [
        "0", "<0.01", "0.31", "1.0", "3.1", "10", "31", "?",
      ])
    #expect((-2.5).decimal(1) == "-2.5")
    #expect(0.075.percent == "7.5 %")
  }

  @Test(
    "are read from a span of time",
    arguments: [
      ("90s", 90), ("45m", 2700), ("2h", 7200), ("1h30m", 5400), ("1d", 86400),
      ("366d", 31_622_400),
    ])
  func spans(text: String, expected: UInt32) {
    #expect(seconds(ofSpan: text) == expected)
  }

  @Test(
    "are not read from what is no span of time",
    arguments: [
      "", "2", "h", "2 h", "0s", "-1h", "30m1h", "1h1h", "1.5h", "367d", "99999999999999999999s",
      "٢h",
    ])
  func noSpan(text: String) {
    #expect(seconds(ofSpan: text) == nil)
  }
}
