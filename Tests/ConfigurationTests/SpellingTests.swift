import Testing

@testable import Configuration

@Suite("The nearest right name")
struct SpellingTests {
  @Test(
    "is found over slips of the finger",
    arguments: [
      ("treshold", "threshold"), ("Threshold", "threshold"), ("thershold", "threshold"),
      ("strateg", "strategy"), ("flsuh", "flush"),
    ])
  func near(word: String, expected: String) {
    #expect(Spelling.nearest(to: word, among: ["strategy", "threshold", "flush"]) == expected)
  }

  @Test("is not guessed where nothing is near")
  func far() {
    #expect(Spelling.nearest(to: "colour", among: ["strategy", "threshold", "flush"]) == nil)
    #expect(Spelling.nearest(to: String(repeating: "a", count: 100_000), among: ["a"]) == nil)
  }

  @Test("counts letters added, left out, replaced and swapped")
  func distance() {
    let distance = { (first: String, second: String) in
      Spelling.distance(Array(first), Array(second))
    }
    #expect(distance("", "abc") == 3)
    #expect(distance("abc", "") == 3)
    #expect(distance("abcd", "acbd") == 1)
    #expect(distance("kitten", "sitting") == 3)
  }
}
