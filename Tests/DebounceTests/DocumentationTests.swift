import Debounce
import Foundation
import Testing

/// What the documentation shows to other programs.
@Suite struct DocumentationTests {
  @Test("The example is the one that is compiled here")
  func compiled() throws {
    let tests = URL(filePath: #filePath).deletingLastPathComponent()
    let article = try String(
      contentsOf: tests.appending(path: "../../Sources/Debounce/Debounce.docc/Debounce.md"),
      encoding: .utf8)
    let code = try String(
      contentsOf: tests.appending(path: "DebouncedButton.swift"), encoding: .utf8)
    #expect(article.contains("```swift\n\(code)```"))
  }

  @Test("The example debounces")
  func debounces() {
    var button = DebouncedButton()
    #expect(button.contactMoved(isClosed: true, at: 0) == [true])
    #expect(button.contactMoved(isClosed: false, at: 3.ms) == [])
    #expect(button.contactMoved(isClosed: true, at: 5.ms) == [])
    #expect(button.deadline == nil)
    #expect(button.contactMoved(isClosed: false, at: 100.ms) == [])
    #expect(button.deadline == 120.ms)
    #expect(button.timePassed(to: 120.ms) == [false])
  }
}
