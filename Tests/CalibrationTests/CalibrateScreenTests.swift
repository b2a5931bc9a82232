import Configuration
import Debounce
import Foundation
import Terminal
import Testing

@testable import Calibration

@Suite("How calibrate leads a person")
struct CalibrateScreenTests {
  /// A session that asks for taps of `KEY_E`.
  private var tapping: GuidedSession {
    var session = GuidedSession()
    session.add(18)
    session.skip()
    return session
  }

  @Test("the screen fits, at every step", arguments: [(40, 24), (80, 24), (100, 30), (200, 60)])
  func layout(_ columns: Int, _ rows: Int) {
    var session = tapping
    var headings: [String] = []
    while session.request != nil, headings.count < 10 {
      for characters in [Characters.unicode, .ascii] {
        let screen = GuidedScreen(title: "Desk (/dev/input/event3)", session: session, now: 0)
        let lines = screen.lines(
          on: Sheet(columns: columns, rows: rows, characters: characters))
        #expect(lines.count < rows)
        #expect(lines.allSatisfy { $0.columns <= columns }, "\(lines)")
        #expect(lines.last?.contains("skip") == true)
        if characters == .ascii {
          #expect(lines.joined().utf8.allSatisfy { $0 < 0x80 })
        }
        headings.append(screen.heading)
      }
      session.skip()
    }
    #expect(headings.contains { $0.contains("Tap KEY_E") })
    #expect(headings.contains { $0.contains("Hold KEY_E") })
  }

  @Test("what is asked for is named as it stands on the keyboard")
  func labels() {
    let screen = GuidedScreen(title: "x", session: tapping, now: 0, labels: [18: "É", 57: "?"])
    #expect(screen.heading == "Tap KEY_E (É), one tap a beat")
    let text = screen.lines(on: Sheet(columns: 80, rows: 24)).joined()
    #expect(text.contains(" KEY_E (É) ") && !text.contains("?"))
  }

  @Test("the beat is on and off")
  func beat() {
    func screen(_ now: Microseconds) -> String {
      GuidedScreen(title: "x", session: tapping, now: now)
        .lines(on: Sheet(columns: 80, rows: 24)).joined()
    }
    #expect(screen(10_000).contains("● now"))
    #expect(screen(300_000).contains("○"))
  }

  @Test("arrows go on and back once, however they chatter; the chord ends it")
  func steering() {
    var keys = SteeringKeys(chord: [14, 1, 28])
    func receive(_ key: KeyCode, _ down: Bool, _ time: Microseconds, asked: KeyCode? = nil)
      -> SteeringKeys.Order?
    {
      keys.receive(Frame(time: time, [.key(key, down: down)]), asked: asked)
    }
    #expect(receive(106, true, 1_000_000) == .skip)
    #expect(receive(106, false, 1_005_000) == nil)
    #expect(receive(106, true, 1_010_000) == nil)
    #expect(receive(106, false, 1_100_000) == nil)
    #expect(receive(105, true, 2_000_000) == .back)
    #expect(receive(105, false, 2_100_000) == nil)
    // Who is asked to tap the arrow does not mean to go on.
    #expect(receive(106, true, 4_000_000, asked: 106) == nil)
    #expect(receive(106, false, 4_100_000, asked: 106) == nil)
    #expect(receive(109, true, 5_000_000, asked: 106) == .skip)
    #expect(receive(14, true, 6_000_000) == nil)
    #expect(receive(1, true, 6_100_000) == nil)
    #expect(receive(28, true, 6_200_000) == .panic)
  }
}
