import Randomness
import Terminal
import Testing

@Suite("Differences between two texts")
struct FileDifferenceTests {
  private func difference(from old: String, to new: String) -> [String] {
    lineDifference(from: ("x", old), to: ("y", new), on: Sheet(columns: 80))
  }

  @Test("are shown with the marks of diff -u")
  func difference() {
    let old = "a\nb\nc\nd\ne\n"
    let new = "a\nb\nc\nD\ne\nf\n"
    #expect(
      difference(from: old, to: new)
        == ["--- x", "+++ y", " a", " b", " c", "-d", "+D", " e", "+f"])
    #expect(difference(from: "", to: "a\n") == ["--- x", "+++ y", "+a"])
    #expect(difference(from: old, to: old).isEmpty)
  }

  @Test("hold both texts", arguments: UInt64(0)..<40)
  func both(_ seed: UInt64) {
    var random = SeededRandom(seed: seed)
    func text() -> String {
      (0..<Int.random(in: 0..<30, using: &random)).map { _ in "\(random.pick("abcdef"))\n" }
        .joined()
    }
    let (old, new) = (text(), text())
    let lines = difference(from: old, to: new)
    guard !lines.isEmpty else { return #expect(old == new) }
    func kept(without mark: Character) -> String {
      lines.dropFirst(2).filter { $0.first != mark }.map { $0.dropFirst() + "\n" }.joined()
    }
    #expect(kept(without: "+") == old)
    #expect(kept(without: "-") == new)
  }
}
