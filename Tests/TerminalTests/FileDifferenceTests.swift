import Foundation
import Samples
import Terminal
import Testing

@Suite("Differences between two texts")
struct FileDifferenceTests {
  @Test("a difference is shown as diff -u does")
  func difference() {
    let sheet = Sheet(columns: 80)
    let old = "a\nb\nc\nd\ne\nf\ng\nh\n"
    let new = "a\nb\nc\nD\ne\nf\ng\nh\ni\n"
    #expect(
      FileDifference(from: old, to: new).lines(named: ("x", "y"), on: sheet) == [
        "--- x", "+++ y", "@@ -1,8 +1,9 @@", " a", " b", " c", "-d", "+D", " e", " f", " g", " h",
        "+i",
      ])
    #expect(
      FileDifference(from: "", to: "a\n").lines(named: ("x", "y"), on: sheet) == [
        "--- x", "+++ y", "@@ -0,0 +1,1 @@", "+a",
      ])
    #expect(FileDifference(from: old, to: old).lines(named: ("x", "y"), on: sheet).isEmpty)
  }

  @Test("difference and diff -u are of one mind", arguments: 0..<40)
  func differenceAsDiff(_ seed: Int) throws {
    var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1
    func next(_ count: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % count
    }
    func text() -> String { (0..<next(30)).map { _ in "\("abcdef".randomLine(next))\n" }.joined() }
    let (old, new) = (text(), text())
    let lines = FileDifference(from: old, to: new).lines(named: ("o", "n"), on: Sheet(columns: 80))
    guard !lines.isEmpty else { return #expect(old == new) }
    let folder = try Folder(["o": old, "p": lines.map { $0 + "\n" }.joined()])
    let patch = Process()
    patch.executableURL = URL(filePath: "/usr/bin/patch")
    guard FileManager.default.fileExists(atPath: "/usr/bin/patch") else { return }
    patch.arguments = ["-s", folder.path + "/o", folder.path + "/p"]
    try patch.run()
    patch.waitUntilExit()
    let patched = (try? String(contentsOfFile: folder.path + "/o", encoding: .utf8)) ?? ""
    #expect(patched == new)
  }
}

extension String {
  fileprivate func randomLine(_ next: (Int) -> Int) -> Character {
    self[index(startIndex, offsetBy: next(count))]
  }
}
