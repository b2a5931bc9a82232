import Debounce
import Testing

/// Which waiting releases go out before another key's press, where `flush.strokes` cannot show it.
@Suite struct FlushTests {
  @Test("Modifiers alone are flushed by default")
  func packaged() {
    #expect(Rules().flush == .modifiers)
  }

  @Test(
    "Modifiers are those of both sides",
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

  @Test("A flushed release is a frame of its own and keeps its scan code")
  func frame() {
    var engine = Debouncer(Rules(strategy: .eagerDefer(EagerDefer(press: 0, release: 25.ms))))
    _ = engine.process(at: 0, .scan(1), .down(.leftShift))
    _ = engine.process(at: 100.ms, .scan(2), .up(.leftShift))
    #expect(
      engine.process(at: 110.ms, .motion(1), .scan(3), .down(.a)) == [
        Frame(time: 110.ms, [.motion(1)]),
        Frame(time: 110.ms, [.scan(2), .up(.leftShift)]),
        Frame(time: 110.ms, [.scan(3), .down(.a)]),
      ])
    #expect(engine.deadline == nil)
  }
}
