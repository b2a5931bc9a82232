import Terminal
import Testing

@Suite("A span of time as people write it")
struct SpanOfTimeTests {
  @Test(
    "is read",
    arguments: [
      ("90s", 90), ("45m", 2700), ("2h", 7200), ("1h30m", 5400), ("1d", 86400),
      ("366d", 31_622_400),
    ])
  func spans(text: String, expected: UInt32) {
    #expect(seconds(ofSpan: text) == expected)
  }

  @Test(
    "or is none",
    arguments: [
      "", "2", "h", "2 h", "0s", "-1h", "30m1h", "1h1h", "1.5h", "367d", "99999999999999999999s",
      "٢h",
    ])
  func none(text: String) {
    #expect(seconds(ofSpan: text) == nil)
  }
}
