import Testing

@testable import Terminal

@Suite("What a terminal sends")
struct InputDecoderTests {
  private func decode(_ text: String) -> [Input] {
    var decoder = InputDecoder()
    return decoder.receive(Array(text.utf8)) + decoder.finish()
  }

  private static let sequences: [(String, [Input])] = [
    ("a?ü", [.character("a"), .character("?"), .character("ü")]),
    ("\u{1b}[A\u{1b}[B\u{1b}[C\u{1b}[D", [.up, .down, .right, .left]),
    ("\u{1b}OA\u{1b}OHq", [.up, .character("q")]),
    ("\t\u{1b}[Z\r\n", [.tab, .backTab, .enter, .enter]),
    ("\u{1b}", [.escape]),
    ("\u{1b}\u{1b}[A", [.escape, .up]),
    // Page keys; function keys, of xterm and of the Linux console; and a key with Alt.
    ("\u{1b}[5~\u{1b}[15~\u{1b}[[Aq\u{1b}xq", [.character("q"), .character("q")]),
    ("\u{1b}[1;5Aq", [.up, .character("q")]),
    ("\u{0}\u{7f}q", [.character("q")]),
  ]

  @Test("is understood, whole and byte by byte", arguments: sequences.indices)
  func understood(index: Int) {
    let (text, inputs) = Self.sequences[index]
    #expect(decode(text) == inputs)
    var decoder = InputDecoder()
    var slowly: [Input] = []
    for byte in text.utf8 { slowly += decoder.receive([byte]) }
    #expect(slowly + decoder.finish() == inputs)
    #expect(!decoder.isWaiting)
  }

  @Test("is forgotten where it is nonsense that never ends")
  func nonsense() {
    var decoder = InputDecoder()
    let endless = "\u{1b}[" + String(repeating: "1", count: 200)
    let read = decoder.receive(Array(endless.utf8))
    #expect(read.allSatisfy { $0 == .character("1") })
    let none = decoder.receive([0xff, 0xfe, 0xc3, 0x28])
    #expect(none.isEmpty)
    let last = decoder.receive(Array("\u{1b}[A".utf8)).last
    #expect(last == .up)
  }
}
