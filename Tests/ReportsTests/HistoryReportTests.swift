import Debounce
import EventDevices
import Reports
import Samples
import Status
import Terminal
import Testing

@Suite("What status --history shows")
struct HistoryReportTests {
  private static let identity = DeviceIdentity(
    name: "Keychron K2", bus: 3, vendor: 0x3434, product: 0x120)

  /// A year in which a key goes bad and another one has bounced once.
  private static let history: CountedHistory = {
    var days: [Day: KeyDays] = [:]
    for (number, month) in (Array(1...8) + [10, 11]).enumerated() {
      for day in ["03", "21"] {
        guard let day = Day("2026-\(month < 10 ? "0" : "")\(month)-\(day)") else { continue }
        var (e, space, j) = (KeyDay(), KeyDay(), KeyDay())
        (e.strokes, e.chatter.dropOuts) = (500, UInt32(number * number / 4))
        e.chatter.pressBounces = e.chatter.dropOuts / 2
        space.strokes = 800
        space.chatter.releaseBounces = number == 3 ? 1 : 0
        j.strokes = 90
        days[day] = [18: e, 57: space, 36: j]
      }
    }
    return CountedHistory(
      devices: [
        CountedHistory.Device(node: "/dev/input/event3", device: identity, days: days) {
          [18: "KEY_E", 57: "KEY_SPACE", 36: "KEY_J"][$0] ?? "\($0)"
        }
      ])
  }()

  private func text(_ sheet: Sheet, all: Bool = false) -> String {
    HistoryReport(of: Self.history, hasAllKeys: all, on: sheet).text
  }

  @Test("is the months of the worst keys, small and large")
  func drawing() {
    #expect(
      text(Sheet(columns: 80)) == """
        Keychron K2 (/dev/input/event3): 2026-01-03 to 2026-11-21, used on 20 days

          key        strokes  chatter  of 1000  in 2026-11  2026-01 … 2026-11
          KEY_E       10,000      208     20.8        60.0    ▁▂▂▃▄▅ ▆▇
          KEY_SPACE   16,000        2      0.1         0.0     ▇
          … and 1 healthy key; --all shows them

        Each small column is a month: the chatter of 1000 strokes, relative to the key's
        worst month. Days are those of UTC; the daemon keeps the last 400.

        """)
  }

  @Test("is the same without UTF-8, and all keys if asked for")
  func ascii() {
    let text = text(Sheet(columns: 80, characters: .ascii), all: true)
    #expect(text.utf8.allSatisfy { $0 < 128 })
    #expect(text.contains("KEY_J        1,800        0      0.0"))
    #expect(!text.contains("--all"))
  }

  @Test("is a fact a line where it is read aloud")
  func plain() {
    let text = text(Sheet(columns: 80, isPlain: true))
    #expect(text.contains("KEY_E\nstrokes: 10,000\nchatter: 208\nof 1000: 20.8\n"))
    #expect(text.contains("\n2026-11: 60 in 1,000 strokes, 60.0 of 1000\n"))
    // No strokes, no line.
    #expect(!text.contains("2026-09"))
  }

  @Test("fits into few columns")
  func narrow() {
    for columns in [60, 80, 200] {
      for line in text(Sheet(columns: columns)).split(separator: "\n") {
        #expect(String(line).columns <= columns)
      }
    }
  }

  @Test("is said where nothing was counted")
  func empty() {
    let device = CountedHistory.Device(
      node: "/dev/input/event3", device: Self.identity, days: [:]
    ) { "\($0)" }
    let history = CountedHistory(devices: [device])
    #expect(
      HistoryReport(of: history, on: Sheet(columns: 80)).text
        == "Keychron K2 (/dev/input/event3): nothing was counted yet\n")
    #expect(
      HistoryReport(of: CountedHistory(devices: []), on: Sheet(columns: 80)).text
        == "No device is debounced.\n")
  }

  @Test("is the last months where a wrong clock made days far away")
  func wrongClock() throws {
    var history = Self.history
    history.devices[0].days[0].day = try #require(Day("0001-01-01"))
    let text = HistoryReport(of: history, on: Sheet(columns: 80)).text
    #expect(text.contains("2025-09 … 2026-11"))
  }

  @Test("is the same in whatever order a file has the days")
  func order() {
    var history = Self.history
    history.devices[0].days.reverse()
    #expect(HistoryReport(of: history, on: Sheet(columns: 80)).text == text(Sheet(columns: 80)))
  }

  @Test("is JSON that can be shown again")
  func json() throws {
    let bytes = try StatusJSON.encode(Self.history)
    #expect(try StatusJSON.decode(CountedHistory.self, from: bytes) == Self.history)
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(
      text.contains(
        """
        {"day":"2026-01-03","keys":[{"code":18,"counts":{"chatter":{"drop_outs":0,\
        "press_bounces":0,"release_bounces":0},"strokes":500},"key":"KEY_E"},
        """))
  }
}
