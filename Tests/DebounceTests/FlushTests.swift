import Debounce
import Testing

/// Which waiting releases go out before another key's press, where `flush.strokes` cannot show it.
@Suite struct FlushTests {
  @Test(
    "Modifiers of both sides are flushed by default",
    arguments: [
      "LEFTCTRL", "RIGHTCTRL", "LEFTSHIFT", "RIGHTSHIFT", "LEFTALT", "RIGHTALT", "LEFTMETA",
      "RIGHTMETA",
    ])
  func bothSides(key: String) {
    let rules = Rules(strategy: .eagerDefer(EagerDefer(press: 0, release: 25.ms)))
    #expect(
      debounce(strokes("\(key)+0 \(key)-100 A+110 A-200"), rules).text
        == "\(key)+0 \(key)-110 A+110 A-225")
  }
}
