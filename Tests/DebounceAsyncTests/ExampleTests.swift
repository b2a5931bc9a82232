import DebounceAsync
import Foundation
import Testing

/// The buttons of the article.
@Suite("The buttons that the documentation shows")
struct ExampleTests {
  private static let tests = URL(filePath: #filePath).deletingLastPathComponent()

  private typealias Time = ContinuousClock.Instant

  /// A stream of edges that has ended: buttons, down or up, milliseconds.
  private func stream<Button>(
    _ edges: [(Button, Bool, Int)]
  ) -> AsyncStream<ButtonEdge<Button, Time>> {
    let now = ContinuousClock.now
    return AsyncStream { continuation in
      for (button, isDown, time) in edges {
        continuation.yield(
          ButtonEdge(button, isDown: isDown, at: now.advanced(by: .milliseconds(time))))
      }
      continuation.finish()
    }
  }

  @Test("are those that are compiled here", arguments: ["Doorbell", "Door", "Pads", "Player"])
  func article(name: String) throws {
    let article = try String(
      contentsOf: Self.tests.appending(
        path: "../../Sources/DebounceAsync/DebounceAsync.docc/Buttons.md"), encoding: .utf8)
    let code = try String(
      contentsOf: Self.tests.appending(path: "Examples/\(name).swift"), encoding: .utf8)
    #expect(article.contains("```swift\n\(code)```"))
  }

  @Test("a doorbell rings once for two taps within half a second")
  func doorbell() async {
    let button = SingleButton()
    var rings = 0
    let edges = [
      (button, true, 0), (button, false, 2), (button, true, 3), (button, false, 80),
      (button, true, 300), (button, false, 350), (button, true, 700), (button, false, 750),
    ]
    await Doorbell(edges: stream(edges)).run { rings += 1 }
    #expect(rings == 2)
  }

  @Test("a door is closed once its contact has lasted")
  func door() async {
    let contact = SingleButton()
    var states: [Bool] = []
    let edges = [
      (contact, true, 0), (contact, false, 10), (contact, true, 20), (contact, false, 900),
      (contact, true, 905), (contact, false, 910),
    ]
    await Door(edges: stream(edges)).run { states.append($0) }
    #expect(states == [true, false])
  }

  @Test("of two pads the one that was touched by the way is left out")
  func pads() async {
    var hits: [Pads.Pad] = []
    let edges: [(Pads.Pad, Bool, Int)] = [
      (.left, true, 0), (.right, true, 30), (.right, false, 60), (.left, false, 90),
      (.right, true, 300), (.right, false, 360),
    ]
    await Pads(edges: stream(edges)).run { hits.append($0) }
    #expect(hits == [.left, .right])
  }

  @Test("a player's button plays, goes on and stops")
  func player() async {
    let only = Player.Button.only
    var presses: [Player.Button] = []
    let edges = [
      // One press, with a contact that bounces; two; one that lasts.
      (only, true, 0), (only, false, 3), (only, true, 6), (only, false, 80),
      (only, true, 1000), (only, false, 1080), (only, true, 1180), (only, false, 1300),
      (only, true, 2000), (only, false, 2900),
    ]
    await Player(edges: stream(edges)).run { presses.append($0) }
    #expect(presses == [.play, .next, .stop])
  }
}
