import DebounceAsync
import Foundation
import Synchronization
import Testing

/// The buttons of the article.
@Suite("The buttons that the documentation shows")
struct ExampleTests {
  private static let tests = URL(filePath: #filePath).deletingLastPathComponent()

  private typealias Time = ContinuousClock.Instant

  /// A stream of edges that has ended: buttons, down or up, milliseconds. They are to come in an hour, so that no deadline passes
  /// before they are read, however long the machine stalls.
  private func stream<Button>(
    of button: Button, _ edges: [(Bool, Int)]
  ) -> AsyncStream<ButtonEdge<Button, Time>> {
    stream(edges.map { (button, $0, $1) })
  }

  private func stream<Button>(
    _ edges: [(Button, Bool, Int)]
  ) -> AsyncStream<ButtonEdge<Button, Time>> {
    let start = ContinuousClock.now.advanced(by: .seconds(3600))
    return AsyncStream { continuation in
      for (button, isDown, time) in edges {
        continuation.yield(
          ButtonEdge(button, isDown: isDown, at: start.advanced(by: .milliseconds(time))))
      }
      continuation.finish()
    }
  }

  @Test("are those that are compiled here")
  func article() throws {
    let article = try String(
      contentsOf: Self.tests.appending(
        path: "../../Sources/DebounceAsync/DebounceAsync.docc/Buttons.md"), encoding: .utf8)
    let blocks = article.components(separatedBy: "```swift\n").dropFirst().map { block in
      block.components(separatedBy: "```")[0]
    }
    let code = try String(contentsOf: Self.tests.appending(path: "Buttons.swift"), encoding: .utf8)
    #expect(blocks.joined(separator: "\n") == code)
  }

  @Test("buys once for presses that follow each other at once")
  func firstPress() async {
    var count = 0
    let edges = stream(
      of: SingleButton(),
      [(true, 0), (false, 80), (true, 200), (false, 280), (true, 900), (false, 980)])
    await buy(edges) { count += 1 }
    #expect(count == 2)
  }

  @Test("a door is closed once its contact has lasted")
  func quiet() async {
    var states: [Bool] = []
    let edges = stream(
      of: SingleButton(),
      [(true, 0), (false, 10), (true, 20), (false, 900), (true, 905), (false, 910)])
    await watchDoor(edges) { states.append($0) }
    #expect(states == [true, false])
  }

  @Test("the first and the last of the presses within a second count")
  func throttle() async {
    var count = 0
    let edges = stream(
      of: SingleButton(),
      [(true, 0), (false, 80), (true, 200), (false, 280), (true, 400), (false, 480)])
    await refresh(edges) { count += 1 }
    #expect(count == 2)
  }

  @Test("of two pads the one that was touched by the way is left out")
  func siblings() async {
    var hits: [Pad] = []
    let edges: [(Pad, Bool, Int)] = [
      (.left, true, 0), (.right, true, 30), (.right, false, 60), (.left, false, 90),
      (.right, true, 300), (.right, false, 360),
    ]
    await play(stream(edges)) { hits.append($0) }
    #expect(hits == [.left, .right])
  }

  @Test("two taps are a double one, and a contact that bounces makes none")
  func doubleTap() async {
    var presses: [Picture] = []
    let edges = [
      (true, 0), (false, 3), (true, 6), (false, 80),
      (true, 1000), (false, 1080), (true, 1180), (false, 1300),
    ]
    await touch(stream(of: .touched, edges)) { presses.append($0) }
    #expect(presses == [.show, .zoom])
  }

  @Test("a press that lasts is a long one")
  func longPress() async {
    var presses: [Lamp] = []
    await light(stream(of: .pressed, [(true, 0), (false, 80), (true, 1000), (false, 1900)])) {
      presses.append($0)
    }
    #expect(presses == [.toggle, .off])
  }

  @Test("a button that is down comes up when the task is cancelled")
  func everyTouchEnds() async {
    let (edges, fingers) = AsyncStream<ContactEdge>.makeStream()
    let (began, begin) = AsyncStream<Void>.makeStream()
    let shown = Mutex<[Bool]>([])
    let task = Task {
      await highlight(edges) { isPressed in
        shown.withLock { $0.append(isPressed) }
        begin.yield()
      }
    }
    fingers.yield(ContactEdge(isDown: true, at: .now))
    for await _ in began { break }
    task.cancel()
    await task.value
    #expect(shown.withLock { $0 } == [true, false])
  }

  @Test("what a worn button made is left out")
  func rules() async {
    var clicks: [MouseButton] = []
    let edges: [(MouseButton, Bool, Int)] = [
      (.left, true, 0), (.left, false, 100), (.left, true, 110), (.left, false, 112),
      (.right, true, 500), (.right, false, 502), (.right, true, 504), (.right, false, 600),
    ]
    await mouse(stream(edges)) { clicks.append($0) }
    #expect(clicks == [.left, .right, .right])
  }
}
