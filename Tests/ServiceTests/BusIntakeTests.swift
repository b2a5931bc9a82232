import Randomness
import Testing

@testable import Service

@Suite("What the bus sends, before the library reads it")
struct BusIntakeTests {
  /// A message, as the bus sends it.
  ///
  /// - Parameter fields: The fields of its header: a kind, and a text or a number.
  private struct Message {
    var isBigEndian = false
    var type: UInt8 = 1
    var texts: [(kind: UInt8, type: Character, text: String)] = [
      (1, "o", "/io/github/keydebounce"), (3, "s", "Pause"), (8, "g", "su"), (7, "s", ":1.42"),
    ]
    var descriptors: UInt32?
    var body: [UInt8] = []
    /// What the kinds of the fields are that describe the body.
    var kindOfSignature: UInt8 = 8
    var kindOfDescriptors: UInt8 = 9

    var bytes: [UInt8] {
      var fields: [UInt8] = []
      for (kind, type, text) in texts {
        fields += Array(repeating: 0, count: (8 - fields.count % 8) % 8)
        fields += [kind == 8 ? kindOfSignature : kind, 1, type.asciiValue ?? 0, 0]
        fields += type == "g" ? [UInt8(text.utf8.count)] : number(text.utf8.count)
        fields += Array(text.utf8) + [0]
      }
      if let descriptors {
        fields += Array(repeating: 0, count: (8 - fields.count % 8) % 8)
        fields += [kindOfDescriptors, 1, UInt8(ascii: "u"), 0] + number(Int(descriptors))
      }
      let order = UInt8(ascii: isBigEndian ? "B" : "l")
      let padding = Array(repeating: UInt8(0), count: (8 - fields.count % 8) % 8)
      return [order, type, 0, 1] + number(body.count) + number(7) + number(fields.count)
        + fields + padding + body
    }

    private func number(_ number: Int) -> [UInt8] {
      let bytes = (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
      return isBigEndian ? bytes.reversed() : bytes
    }

    /// The same without a body, and with nothing that describes one.
    var withoutBody: Self {
      var other = self
      (other.body, other.kindOfSignature, other.kindOfDescriptors) = ([], 255, 255)
      return other
    }
  }

  /// What becomes of bytes that come in pieces of these lengths, one after the other and again.
  private func passed(_ bytes: [UInt8], in lengths: [Int] = [.max]) -> [UInt8]? {
    var (intake, output): (BusIntake, [UInt8]) = (BusIntake(), [])
    var (rest, piece) = (bytes[...], 0)
    while !rest.isEmpty {
      let next = Array(rest.prefix(lengths[piece % lengths.count]))
      rest = rest.dropFirst(next.count)
      piece += 1
      let isBus = next.withUnsafeBytes { intake.receive($0, passingOn: &output) }
      if !isBus { return nil }
    }
    return output
  }

  private static let greeting = Array("OK 1234deadbeef\r\nAGREE_UNIX_FD\r\n".utf8)

  @Test(
    "small messages are passed on as they are, whatever the pieces in which they come",
    arguments: [UInt64.testSeed])
  func small(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var bytes = Self.greeting
    for number in 0..<20 {
      var message = Message(isBigEndian: number.isMultiple(of: 3), type: UInt8(1 + number % 4))
      message.body = Array(repeating: UInt8(number), count: number * 400)
      bytes += message.bytes
    }
    #expect(passed(bytes) == bytes)
    let lengths = (0..<9).map { _ in Int.random(in: 1...300, using: &random) }
    #expect(passed(bytes, in: lengths) == bytes)
    #expect(passed(bytes, in: [1]) == bytes)
  }

  @Test("of long ones and of those with descriptors the header is, without a body")
  func long() {
    for isBigEndian in [false, true] {
      let small = Message(isBigEndian: isBigEndian, body: [1, 2, 3, 4])
      var long = small
      long.body = Array(repeating: 7, count: BusIntake.longestCall + 1)
      var withDescriptor = small
      withDescriptor.descriptors = 1
      let expected =
        Self.greeting + long.withoutBody.bytes + small.bytes
        + withDescriptor.withoutBody.bytes + small.bytes
      let bytes = Self.greeting + long.bytes + small.bytes + withDescriptor.bytes + small.bytes
      #expect(passed(bytes, in: [4096]) == expected)
      #expect(passed(bytes, in: [11]) == expected)
    }
    // An answer may be longer: a user's groups.
    let answer = Message(type: 2, body: Array(repeating: 7, count: BusIntake.longestAnswer))
    #expect(passed(Self.greeting + answer.bytes) == Self.greeting + answer.bytes)
  }

  @Test("a long header goes with its message, and so does one that cannot be read")
  func longHeader() {
    let small = Message(body: [1, 2, 3, 4])
    var long = small
    long.texts[0].text = "/" + String(repeating: "a", count: 3_000_000)
    var strange = small
    strange.texts.append((10, "t", "12345678"))
    #expect(
      passed(Self.greeting + long.bytes + strange.bytes + small.bytes, in: [5000])
        == Self.greeting + small.bytes)
  }

  @Test("what is kept is bounded, whatever comes", arguments: [UInt64.testSeed])
  func anything(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    for _ in 0..<200 {
      var (intake, output): (BusIntake, [UInt8]) = (BusIntake(), [])
      var first = [UInt8(ascii: "l")]
      for _ in 0..<20 {
        let piece =
          first
          + (0..<500).map { _ in
            UInt8.random(in: 0...(Bool.random(using: &random) ? 9 : 255), using: &random)
          }
        first = []
        output.removeAll()
        _ = piece.withUnsafeBytes { intake.receive($0, passingOn: &output) }
        #expect(output.count <= piece.count + 16 + BusIntake.longestHeader + 8)
      }
    }
  }
}
