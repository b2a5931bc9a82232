import Debounce
import Recording
import Testing

@Suite("A recording as text")
struct RecordingTextTests {
  private let device = RecordedDevice(
    name: "Worn keyboard", bus: 3, vendor: 0x3434, product: 0x120, version: 0x111,
    codes: [0: [0, 1, 3], 1: [1, 30, 272]],
    axes: [
      RecordedDevice.Axis(code: 0, minimum: -1, maximum: 1023, fuzz: 0, flat: 2, resolution: 12)
    ])

  @Test("has the head that evemu reads")
  func head() {
    let text = String(decoding: RecordingText(of: device).bytes, as: UTF8.self)
    #expect(
      text == """
        # EVEMU 1.3
        N: Worn keyboard
        I: 0003 3434 0120 0111
        P: 00 00 00 00 00 00 00 00
        B: 00 0b 00 00 00 00 00 00 00
        B: 01 02 00 00 40 00 00 00 00
        B: 01 00 00 00 00 00 00 00 00
        B: 01 00 00 00 00 00 00 00 00
        B: 01 00 00 00 00 00 00 00 00
        B: 01 00 00 01 00 00 00 00 00
        A: 00 -1 1023 0 2 12

        """)
  }

  @Test("keeps a name with a line break on its line")
  func nameWithLineBreak() {
    let text = RecordingText(of: RecordedDevice(name: "two\nE: lines"))
    #expect(String(decoding: text.bytes, as: UTF8.self).contains("N: two E: lines\n"))
  }

  @Test("counts time from the first event, and marks what was passed on")
  func events() {
    var text = RecordingText(of: device)
    text.removeBytes()
    text.append(raw: [.scan(-5), .key(30, down: true)], at: 61_000_000)
    text.append(clean: [.key(30, down: true)], at: 61_000_000)
    text.append(raw: [.key(30, down: false)], at: 62_034_567)
    text.appendClosing(at: 62_500_000)
    #expect(
      String(decoding: text.bytes, as: UTF8.self) == """
        E: 0.000000 0004 0004 00-5
        E: 0.000000 0001 001e 0001
        E: 0.000000 0000 0000 0000
        # clean: 0.000000 0001 001e 0001
        # clean: 0.000000 0000 0000 0000
        E: 1.034567 0001 001e 0000
        E: 1.034567 0000 0000 0000
        # closed: 1.500000

        """)
  }

  @Test("is read back as it was written")
  func roundTrip() throws {
    var text = RecordingText(of: device)
    text.append(raw: [.scan(-5), .key(30, down: true)], at: 0)
    text.append(clean: [.key(30, down: true)], at: 0)
    text.append(raw: [.key(30, down: false)], at: 1_034_567)
    text.appendClosing(at: 1_500_000)

    var parser = RecordingParser()
    let entries = try String(decoding: text.bytes, as: UTF8.self).split(separator: "\n")
      .compactMap { try parser.read(line: $0) }
    #expect(
      entries == [
        .raw(Frame(time: 0, [.scan(-5), .key(30, down: true)])),
        .clean(Frame(time: 0, [.key(30, down: true)])),
        .raw(Frame(time: 1_034_567, [.key(30, down: false)])),
        .closed(at: 1_500_000),
      ])
    #expect(parser.device.name == device.name)
    #expect(parser.device.product == device.product)
  }

  @Test(
    "says which line is wrong and what should stand there",
    arguments: [
      ("E: 0.1 0001 001e", "an event: seconds, type and code in hexadecimal, value"),
      ("E: 0.1 0001 xyz 1", "an event: seconds, type and code in hexadecimal, value"),
      ("E: 99 0001 001e 1", "a time in seconds, as 12.345678"),
      ("E: 0.1234567 0001 001e 1", "a time in seconds, as 12.345678"),
      ("I: 0003 0000", "four hexadecimal numbers (bus, vendor, product, version)"),
    ])
  func badLine(line: String, expected: String) throws {
    var parser = RecordingParser()
    #expect(try parser.read(line: "# EVEMU 1.3") == nil)
    #expect(throws: RecordingError(line: 2, expected: expected)) { try parser.read(line: line) }
  }
}
