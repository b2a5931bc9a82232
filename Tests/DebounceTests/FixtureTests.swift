import Debounce
import Foundation
import StrokeFixtures
import Testing

/// What is written in the fixture files, on the engine alone.
@Suite struct FixtureTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Fixtures")

  static let files: [String] = {
    let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
    return (names ?? []).filter { $0.hasSuffix(".strokes") }.sorted()
  }()

  @Test("There are fixtures")
  func presence() {
    #expect(Self.files.contains("adaptive.strokes"))
  }

  @Test("Strokes become what the fixture says", arguments: files)
  func cases(file: String) throws {
    let cases = try StrokeCase.load(Self.folder.appending(path: file).path)
    #expect(!cases.isEmpty)
    for stroke in cases {
      #expect(debounce(stroke.raw, stroke.rules).text == stroke.clean.text, "\(stroke)")
    }
  }
}
