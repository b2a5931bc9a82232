import Debounce
import EventDevices
import Foundation
import Recording
import Testing

@Suite("Recordings of others")
struct RecordingFormTests {
  private func device(named name: String) -> DeviceIdentity {
    DeviceIdentity(name: name, bus: 3, vendor: 0x3434, product: 0x120, version: 0x111)
  }

  @Test("of evemu 1.0: no line with the version, values without padding")
  func version10() throws {
    let (device, entries) = try read(fixture: "recordings/evemu-1.0.evemu")
    #expect(device.identity == self.device(named: "Worn-keyboard"))
    #expect(device.capabilities.codes == [0: [0, 1, 3], 1: [30], 4: [4]])
    #expect(
      entries == [
        .raw(Frame(time: 1_284_881_103_697_884, [.scan(458_756), .key(30, down: true)])),
        .raw(Frame(time: 1_284_881_103_785_001, [.scan(458_756), .key(30, down: false)])),
      ])
  }

  @Test("of evemu 1.1: comments behind the lines, axes without resolution, times within a frame")
  func version11() throws {
    let (device, entries) = try read(fixture: "recordings/evemu-1.1.evemu")
    #expect(device.identity == self.device(named: "Worn keyboard"))
    #expect(
      device.capabilities.axes == [
        .init(code: 0, minimum: 0, maximum: 1023, fuzz: 15, flat: 0, resolution: 0)
      ])
    #expect(
      entries == [
        // A frame happened when it was complete.
        .raw(Frame(time: 1_284_881_103_697_890, [.key(30, down: true)])),
        .raw(
          Frame(
            time: 1_284_881_103_785_001,
            [Event(type: 3, code: 0, value: -1), .key(30, down: false)])),
      ])
  }

  @Test("of evemu 1.3: all kinds of lines, unknown ones, a name with # in it")
  func version13() throws {
    let (device, entries) = try read(fixture: "recordings/evemu-1.3.evemu")
    #expect(device.identity == self.device(named: "Worn keyboard # 2"))
    #expect(device.capabilities.properties == [1])
    #expect(device.capabilities.codes == [0: [0, 1, 3], 1: [1, 30, 128], 17: [0]])
    #expect(
      device.capabilities.axes == [
        .init(code: 0, minimum: -1, maximum: 1023, fuzz: 0, flat: 2, resolution: 12)
      ])
    #expect(
      entries == [
        .raw(Frame(time: 1, [.scan(458_756), .key(30, down: true)])),
        .raw(Frame(time: 250_206, [Event(type: 1, code: 30, value: 2)])),
        .raw(Frame(time: 313_907, [.scan(-5), .key(30, down: false)])),
      ])
  }

  @Test("of evtest: with what was typed before an event, and scan codes in hexadecimal")
  func evtest() throws {
    let (device, entries) = try read(fixture: "recordings/evtest.txt")
    #expect(device.identity == self.device(named: "Worn keyboard"))
    #expect(
      entries == [
        .raw(Frame(time: 1_676_320_831_893_163, [.scan(0x70004), .key(30, down: true)])),
        .raw(Frame(time: 1_676_320_832_142_721, [Event(type: 1, code: 30, value: 2)])),
        .raw(Frame(time: 1_676_320_832_200_001, [.scan(-5), .key(30, down: false)])),
      ])
  }

  @Test("of an evtest of old, with other names")
  func oldEvtest() throws {
    let (device, entries) = try read(fixture: "recordings/evtest-old.txt")
    let identity = DeviceIdentity(
      name: "AT Translated Set 2 keyboard", bus: 0x11, vendor: 1, product: 1, version: 0xab41)
    #expect(device.identity == identity)
    #expect(
      entries == [
        .raw(Frame(time: 1_280_000_000_100_000, [.key(28, down: true)])),
        .raw(Frame(time: 1_280_000_000_250_000, [.key(28, down: false)])),
      ])
  }

  @Test("of evtest, with the SYN events that are no report")
  func evtestSynchronisation() throws {
    #expect(
      try read(
        """
        Event: time 1.5, >>>>>>>>>>>>>> SYN_DROPPED <<<<<<<<<<<<
        Event: time 1.5, ++++++++++++++ SYN_MT_REPORT ++++++++++++
        Event: time 1.5, -------------- SYN_CONFIG ------------
        Event: time 1.5, type 3 (EV_ABS), code 0 (ABS_X), value -7
        Event: time 1.5, -------------- SYN_REPORT ------------
        """) == [
          .raw(
            Frame(
              time: 1_500_000,
              [
                Event(type: 0, code: 3, value: 0), Event(type: 0, code: 2, value: 0),
                Event(type: 0, code: 1, value: 0), Event(type: 3, code: 0, value: -7),
              ]))
        ])
  }

  @Test("without SYN_REPORTs, as a search for EV_KEY leaves them: each new time is a new frame")
  func withoutReports() throws {
    #expect(
      try read(
        """
        Event: time 1.500000, type 1 (EV_KEY), code 30 (KEY_A), value 1
        Event: time 1.580000, type 1 (EV_KEY), code 30 (KEY_A), value 0
        Event: time 1.600000, type 1 (EV_KEY), code 31 (KEY_S), value 1
        """) == [
          .raw(Frame(time: 1_500_000, [.key(30, down: true)])),
          .raw(Frame(time: 1_580_000, [.key(30, down: false)])),
          .raw(Frame(time: 1_600_000, [.key(31, down: true)])),
        ])
  }

  @Test(
    "come out the same however they are cut into portions and lines",
    arguments: [
      "recordings/evemu-1.0.evemu", "recordings/evemu-1.1.evemu", "recordings/evemu-1.3.evemu",
      "recordings/evtest.txt", "recordings/evtest-old.txt", "recordings/run.evemu",
    ])
  func portions(path: String) throws {
    let bytes = try contents(ofFixture: path)
    let (device, entries) = try read(bytes)
    #expect(!entries.isEmpty)
    for portion in [1, 7, 64] {
      let (cutDevice, cutEntries) = try read(bytes, portion: portion)
      #expect(cutDevice == device && cutEntries == entries)
    }
    let text = String(decoding: bytes, as: UTF8.self)
    for other in [
      text.replacingOccurrences(of: "\n", with: "\r\n"), "\u{FEFF}" + text, "\n\n" + text + "\n\n",
      text.split(separator: "\n", omittingEmptySubsequences: false).map { "  \($0)" }
        .joined(separator: "\n"), String(text.dropLast()),
    ] {
      let (otherDevice, otherEntries) = try read(Array(other.utf8))
      #expect(otherDevice == device && otherEntries == entries)
    }
  }
}
