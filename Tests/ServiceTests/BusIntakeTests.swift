import Randomness
import Testing

@testable import Service

@Suite("What the bus sends, before the library reads it")
struct BusIntakeTests {
  /// A message, as the bus sends it.
  ///
  /// - Parameter fields: The fields of its header: a kind, and a text or a number.
  struct Message {
    var isBigEndian = false
    var type: UInt8 = 1
    var texts: [(kind: UInt8, type: Character, text: String)] = [
      (1, "o", "/io/github/keydebounce"), (3, "s", "Pause"), (8, "g", "su"), (7, "s", ":1.42"),
    ]
    var descriptors: UInt32?
    /// Which message it answers.
    var answered: UInt32?
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
      for case (let kind, let value?) in [(5, answered), (kindOfDescriptors, descriptors)] {
        fields += Array(repeating: 0, count: (8 - fields.count % 8) % 8)
        fields += [kind, 1, UInt8(ascii: "u"), 0] + number(Int(value))
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

  @Test("of long ones and of calls with descriptors the header is, without a body")
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

  @Test("what comes with a message goes on with an answer alone, and is known to be that message's")
  func descriptors() {
    let call = Message(descriptors: 1, body: [1, 2, 3, 4])
    let signal = Message(type: 4, descriptors: 2)
    let answer = Message(type: 2, descriptors: 1, body: Array(repeating: 7, count: 40))
    let error = Message(type: 3, descriptors: 1)
    var strange = call
    strange.texts.append((10, "t", "12345678"))
    let messages = [
      (call, false), (answer, true), (signal, false), (strange, false), (error, true),
    ]
    var (intake, output): (BusIntake, [UInt8]) = (BusIntake(), [])
    for byte in Self.greeting {
      _ = [byte].withUnsafeBytes { intake.receive($0, passingOn: &output) }
    }
    output.removeAll()
    for (message, goesOn) in messages {
      var (rest, isKnown) = (message.bytes[...], false)
      while !rest.isEmpty {
        // Never what is the next one's.
        #expect(intake.missing <= rest.count)
        let piece = Array(rest.prefix(intake.missing))
        rest = rest.dropFirst(piece.count)
        _ = piece.withUnsafeBytes { intake.receive($0, passingOn: &output) }
        // It is known before something of the message goes on.
        guard !isKnown else { continue }
        isKnown = intake.passesOnDescriptors != nil
        #expect(isKnown ? intake.passesOnDescriptors == goesOn : output.isEmpty)
      }
      #expect(isKnown)
      if goesOn { #expect(output == message.bytes) }
      output.removeAll()
    }
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
