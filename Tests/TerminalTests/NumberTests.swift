import Terminal
import Testing

@Suite("Numbers as a person reads them")
struct NumberTests {
  @Test("are grouped, counted, and put in words")
  func words() {
    #expect(
      [0, 12, 999, 1000, -1_234_567].map(\.grouped) == ["0", "12", "999", "1,000", "-1,234,567"])
    #expect(1.counted("press") == "1 press")
    #expect(2000.counted("press") == "2,000 presses")
    #expect(0.counted("key") == "0 keys")
    #expect(perThousand(1, of: 0) == nil)
    #expect(perThousand(0, of: 5) == "0.0")
    #expect(perThousand(1, of: 1_000_000) == "<0.1")
    #expect(perThousand(.max, of: .max) == "1,000.0")
    #expect(inWords(seconds: 0.4) == "0 seconds")
    #expect(inWords(seconds: 1) == "1 second")
    #expect(inWords(seconds: 119) == "1 minute")
    #expect(inWords(seconds: 3660) == "1 hour 1 minute")
    #expect(inWords(seconds: 86_400 * 400) == "400 days")
    #expect(inWords(seconds: .infinity) == "0 seconds")
  }

  @Test("have as many digits as they are worth")
  func digits() {
    #expect(0.0.short == "0")
    #expect(0.001.short == "<0.01")
    #expect(0.314.short == "0.31")
    #expect(0.996.short == "1.0")
    #expect(3.14.short == "3.1")
    #expect(9.96.short == "10")
    #expect(31.4.short == "31")
    #expect(Double.infinity.short == "?")
    #expect((-2.5).decimal(1) == "-2.5")
    #expect(0.075.percent == "7.5 %")
  }
}
