import Foundation
import Randomness
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

  @Test("patch makes of the old text the new one", arguments: UInt64(0)..<40)
  func patch(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    func text() -> String {
      (0..<Int.random(in: 0..<30, using: &random)).map { _ in "\(random.pick("abcdef"))\n" }
        .joined()
    }
    let (old, new) = (text(), text())
    let lines = FileDifference(from: old, to: new).lines(named: ("o", "n"), on: Sheet(columns: 80))
    guard !lines.isEmpty else { return #expect(old == new) }
    let folder = try Folder(["o": old, "p": lines.map { $0 + "\n" }.joined()])
    let patch = try Process.run(
      URL(filePath: "/usr/bin/patch"), arguments: ["-s", folder.path + "/o", folder.path + "/p"])
    patch.waitUntilExit()
    #expect(patch.terminationStatus == 0)
    let patched = (try? String(contentsOfFile: folder.path + "/o", encoding: .utf8)) ?? ""
    #expect(patched == new)
  }
}
