import Foundation
import Testing

@testable import picture

@Suite("Pictures of terminals")
struct PictureTests {
  private func picture(_ text: String) -> String {
    TerminalPicture(of: Screen(text), title: "a < b").svg
  }

  @Test("attributes hold until they are taken back, and other sequences mean nothing")
  func attributes() {
    let screen = Screen("\u{1b}[1;31mE\u{1b}[39m!\u{1b}[0m \u{1b}[2J\u{1b}[?25l\u{1b}[7mx")
    #expect(screen.rows.count == 1)
    #expect(screen.rows[0].map(\.text) == ["E", "!", " ", "x"])
    #expect(screen.rows[0][0].look == Look(isBold: true, colour: 1))
    #expect(screen.rows[0][1].look == Look(isBold: true))
    #expect(screen.rows[0][3].look == Look(isReverse: true))
  }

  @Test("what is written in places is there")
  func places() {
    let screen = Screen("\u{1b}[2;3Hab\u{1b}[1;1Hc\u{1b}[2;4H\u{1b}[31mB")
    #expect(screen.rows.map { $0.map(\.text).joined() } == ["c", "  aB"])
    #expect(screen.rows[1][3].look.colour == 1 && screen.rows[1][2].look.colour == nil)
  }

  @Test("accents and empty ends take no columns")
  func grid() {
    #expect(Screen("ax   \n\n\n").rows.map(\.count) == [2])
    #expect(Screen("e\u{301}").columns == 1)
  }

  @Test("the text is in it, escaped, and the picture is well formed")
  func text() throws {
    let svg = picture("a<b & \u{1b}[7m\"c\" \u{1b}[0m\n\u{1b}[2m╭─┬┐█▌▃")
    #expect(svg.contains(">a&lt;b &amp;</text>"))
    #expect(svg.contains(#"aria-label="a &lt; b""#))
    #expect(!svg.contains("\u{1b}"))
    #expect(svg.matches(of: /<text/).count == svg.matches(of: /<\/text>/).count)
  }

  @Test("lines end at the edges of their cells")
  func lines() {
    // The middle of the second cell is at 12.6, its edges are at 8.4 and 16.8.
    let svg = picture("x─")
    #expect(svg.contains(#"d="M12.6 9L8.4 9M12.6 9L16.8 9""#))
  }
}
