import Debounce
import EventDevices
import Reports
import Samples
import Status
import Terminal
import Testing

@Suite("What was learned of a device")
struct LearnedStatusTests {
  private var bad: KeyStatus {
    var key = KeyStatus(key: "KEY_E", code: 18, counts: KeyCounts(), isBad: true)
    key.habits = LearnedHabits.Key(18, offset: -2500, badFor: 873, evidence: 2)
    key.badSince = Day("2026-11-20")
    return key
  }

  private var stored: StoredCounts {
    let device = DeviceIdentity(name: "Desk", bus: 3, vendor: 0x3434, product: 0x120)
    var stored = StoredCounts(of: device, keys: [bad])
    stored.usualHold = 82_000
    stored.since = Day("2026-11-03")
    return stored
  }

  @Test("is stored beside the counts, and comes back")
  func roundTrip() throws {
    let bytes = try StatusJSON.encode(stored)
    let text = String(decoding: bytes, as: UTF8.self)
    let head =
      #"{"device":{"bus":3,"name":"Desk","product":288,"vendor":13364,"version":0},"format":2,"#
    #expect(text.hasPrefix(head))
    #expect(text.contains("\"bad_since\":\"2026-11-20\""))
    #expect(
      text.contains(
        "\"habits\":{\"bad_for\":873,\"code\":18,\"evidence\":2,\"late_drop_outs\":0,\"offset\":-2500,\"reach\":0}"
      ))
    #expect(text.contains("\"since\":\"2026-11-03\"") && text.contains("\"usual_hold\":82000"))
    // Nor is it said where the device is, or its serial number.
    var located = stored
    (located.device.phys, located.device.uniq) = ("usb-1/input0", "0042")
    #expect(try StatusJSON.encode(located) == bytes)
    let read = try StatusJSON.decode(StoredCounts.self, from: bytes)
    #expect(read == stored)
    #expect(
      read.habits
        == LearnedHabits(
          usualHold: 82_000, keys: [.init(18, offset: -2500, badFor: 873, evidence: 2)]))
    // Earlier versions stored no evidence: such a key is surely bad.
    let earlier = text.replacing("\"evidence\":2,", with: "")
    let old = try StatusJSON.decode(StoredCounts.self, from: Array(earlier.utf8))
    #expect(old.habits.keys == [.init(18, offset: -2500, badFor: 873, evidence: 3)])
  }

  @Test(
    "is brought into its range where a file has it out of range",
    arguments: [
      ("82000", "-1"), ("82000", "10000001"), ("-2500", "-10000001"), ("873", "-1"),
      ("873", "1000001"), ("-2500", "9223372036854775807"), ("873", "9223372036854775807"),
    ])
  func outOfRange(value: String, other: String) throws {
    let text = String(decoding: try StatusJSON.encode(stored), as: UTF8.self)
      .replacing(value, with: other)
    let habits = try StatusJSON.decode(StoredCounts.self, from: Array(text.utf8)).habits
    let key = try #require(habits.keys.first)
    #expect(LearnedHabits.usualHolds.contains(habits.usualHold))
    #expect(LearnedHabits.offsets.contains(key.offset))
    #expect(LearnedHabits.badPresses.contains(try #require(key.badFor)))
    #expect(habits != stored.habits)
  }

  @Test(
    "is no file of ours if a day is none",
    arguments: [
      ("2026-11-20", "2026-13-20"), ("2026-11-03", "soon"),
    ])
  func noDay(value: String, other: String) throws {
    let text = String(decoding: try StatusJSON.encode(stored), as: UTF8.self)
      .replacing(value, with: other)
    #expect(throws: DecodingError.self) {
      try StatusJSON.decode(StoredCounts.self, from: Array(text.utf8))
    }
  }

  @Test(
    "harms nobody in a status, either",
    arguments: ["9223372036854775807", "-9223372036854775808"])
  func hostileStatus(number: String) throws {
    var status = StatusSamples.daemon([
      StatusSamples.device("/dev/input/event3", "Desk", keys: [bad])
    ])
    let text = String(decoding: try StatusJSON.encode(status), as: UTF8.self)
    status = try StatusJSON.decode(
      DaemonStatus.self, from: Array(text.replacing("-2500", with: number).utf8))
    // A time that is none is shown, and harms nobody.
    status.devices[0].counts.usualHold = Microseconds(number)
    let report = StatusReport(
      of: status, hasAllKeys: true, hasKeyboard: false, on: Sheet(columns: 120))
    #expect(!report.text.isEmpty)
  }

  @Test("stands in the status")
  func status() {
    var status = StatusSamples.daemon([
      StatusSamples.device("/dev/input/event3", "Desk", keys: [bad])
    ])
    status.devices[0].counts.badKeys = 1
    status.devices[0].counts.usualHold = 82_400
    status.devices[0].counts.since = Day("2026-11-03")
    let report = StatusReport(of: status, on: Sheet(columns: 120)).text
    #expect(
      report.contains(
        "bad keys   KEY_E (releases delayed for its next 873 presses; bad since 2026-11-20)"))
    #expect(report.contains("usual hold 82 ms; counted and learned since 2026-11-03"))
  }

  @Test(
    "is told by days",
    arguments: [
      (0, "1970-01-01"), (86_399, "1970-01-01"), (86_400, "1970-01-02"), (-1, "1969-12-31"),
      (951_782_400, "2000-02-29"), (951_868_800, "2000-03-01"), (1_795_306_000, "2026-11-22"),
      (4_107_542_400, "2100-03-01"),
    ])
  func days(unixTime: Int, text: String) {
    #expect(Day(unixTime: unixTime).description == text)
    #expect(Day(text) == Day(unixTime: unixTime))
  }

  @Test(
    "is not told by anything else",
    arguments: ["", "2026", "2026-1-1", "2026-00-01", "2026-01-32", "+026-01-01", "2026-01-01 "])
  func noDay(text: String) {
    #expect(Day(text) == nil)
  }
}
