/// Bytes that are spent on one decision after the other; zeros when there are no more.
struct ByteSource {
  private var bytes: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) {
    self.bytes = bytes[...]
  }

  var isEmpty: Bool { bytes.isEmpty }

  mutating func byte() -> UInt8 { bytes.popFirst() ?? 0 }

  /// A number of so many bytes.
  mutating func number(bytes count: Int) -> UInt64 {
    (0..<count).reduce(0) { number, _ in number << 8 | UInt64(byte()) }
  }

  mutating func pick<Choice>(_ choices: [Choice]) -> Choice {
    choices[Int(byte()) % choices.count]
  }
}
