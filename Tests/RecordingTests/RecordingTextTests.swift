import Debounce
import EventDevices
import Recording
import Testing

@Suite("A recording as text")
struct RecordingTextTests {
  private let device = RecordedDevice(
    DeviceIdentity(
      name: "Worn keyboard", bus: 3, vendor: 0x3434, product: 0x120, version: 0x111),
    DeviceCapabilities(
      properties: [1], codes: [0: [0, 1, 3], 1: [1, 30, 272]],
      axes: [
        AbsoluteAxis(code: 0, minimum: -1, maximum: 1023, fuzz: 0, flat: 2, resolution: 12)
      ]))

  @Test("has the head that evemu reads")
  func head() {
    #expect(
      RecordingText(of: device).string == """
        # EVEMU 1.3
        N: Worn keyboard
        I: 0003 3434 0120 0111
        P: 02 00 00 00 00 00 00 00
        B: 00 0b 00 00 00 00 00 00 00
        B: 01 02 00 00 40 00 00 00 00
        B: 01 00 00 00 00 00 00 00 00
        B: 01 00 00 00 00 00 00 00 00
        B: 01 00 00 00 00 00 00 00 00
        B: 01 00 00 01 00 00 00 00 00
        A: 00 -1 1023 0 2 12

        """)
  }

  @Test("keeps a name with line breaks on its line", arguments: ["\n", "\r", "\r\n"])
  func nameWithLineBreak(lineBreak: String) {
    let text = RecordingText(of: RecordedDevice(DeviceIdentity(name: "two\(lineBreak)E: lines")))
    let lines = text.string.split(whereSeparator: \.isNewline)
    #expect(lines.filter { $0.hasPrefix("N: two") && $0.hasSuffix("E: lines") }.count == 1)
  }

  @Test("counts time from the first event, marks what was passed on, and is read back")
  func events() throws {
    var text = RecordingText(of: device)
    let head = text.bytes
    text.removeBytes()
    text.append(raw: Frame(time: 61_000_000, [.scan(-5), .key(30, down: true)]))
    text.append(clean: Frame(time: 61_000_000, [.key(30, down: true)]))
    text.append(raw: Frame(time: 62_034_567, [.scan(458_756), .key(30, down: false)]))
    text.appendClosing(at: 62_500_000)
    #expect(
      text.string == """
        E: 0.000000 0004 0004 -005
        E: 0.000000 0001 001e 0001
        E: 0.000000 0000 0000 0000
        # clean: 0.000000 0001 001e 0001
        # clean: 0.000000 0000 0000 0000
        E: 1.034567 0004 0004 458756
        E: 1.034567 0001 001e 0000
        E: 1.034567 0000 0000 0000
        # closed: 1.500000

        """)
    let (readDevice, entries) = try read(head + text.bytes)
    #expect(readDevice == device)
    #expect(
      entries == [
        .raw(Frame(time: 0, [.scan(-5), .key(30, down: true)])),
        .clean(Frame(time: 0, [.key(30, down: true)])),
        .raw(Frame(time: 1_034_567, [.scan(458_756), .key(30, down: false)])),
        .closed(at: 1_500_000),
      ])
  }

  @Test("counts from where it is told to, and writes the largest numbers")
  func limits() {
    var text = RecordingText(eventsSince: 0)
    text.append(
      raw: Frame(time: 99_999_999_999_999_999, [Event(type: 0xffff, code: 0xffff, value: .min)]))
    text.append(raw: Frame(time: -1, [Event(type: 3, code: 0, value: .max)]))
    #expect(
      text.string == """
        E: 99999999999.999999 ffff ffff -2147483648
        E: 99999999999.999999 0000 0000 0000
        E: 0.000000 0003 0000 2147483647
        E: 0.000000 0000 0000 0000

        """)
  }

  @Test("says that events were lost, and what is different since")
  func resynchronised() {
    var text = RecordingText(eventsSince: 0)
    let others = Frame(
      time: 7, [.scan(4), .key(40, down: true), Event(type: 17, code: 0, value: 1)])
    text.append(
      raw: Frame(resynchronisedTo: KeySet([31]), before: KeySet([30]), others: others))
    #expect(
      text.string == """
        E: 0.000007 0000 0003 0000
        E: 0.000007 0001 001e 0000
        E: 0.000007 0001 001f 0001
        E: 0.000007 0011 0000 0001
        E: 0.000007 0000 0000 0000

        """)
  }
}
