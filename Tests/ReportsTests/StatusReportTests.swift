import Debounce
import Foundation
import Samples
import Terminal
import Testing

@testable import Reports
import Status

/// Texts are held against files in Fixtures/status. To write them anew after a change of the layout, and look at
/// what has changed: `KEYDEBOUNCE_WRITE_FIXTURES=1 swift test --filter StatusReportTests`.
@Suite("What status shows a person")
struct StatusReportTests {
  private func text(
    _ status: DaemonStatus, columns: Int = 80, hasColours: Bool = false,
    characters: Characters = .unicode, rows: Int? = nil,
    hasAllKeys: Bool = false, hasKeyboard: Bool? = nil, labels: [KeyCode: String] = [:]
  ) -> String {
    let sheet = Sheet(
      columns: columns, rows: rows, hasColours: hasColours, characters: characters)
    return StatusReport(
      of: status, hasAllKeys: hasAllKeys, hasKeyboard: hasKeyboard, labels: labels, on: sheet
    ).text
  }

  private func expect(_ text: String, isLike name: String) throws {
    let file = "status/\(name).txt"
    #expect(try text == fixture(file, rewrittenAs: text), "differs from \(file)")
  }

  private static let samples: [(String, DaemonStatus)] = [
    ("worn-keyboard", StatusSamples.wornKeyboard),
    ("without-devices", StatusSamples.withoutDevices),
    ("broken-configuration", StatusSamples.brokenConfiguration),
    ("many-devices", StatusSamples.manyDevices),
  ]

  @Test("is as it was", arguments: samples.map(\.0), [80, 160])
  func wholeText(name: String, columns: Int) throws {
    let status = try #require(Self.samples.first { $0.0 == name }?.1)
    try expect(text(status, columns: columns), isLike: "\(name)-\(columns)")
  }

  @Test("draws keyboards where there are colours, and in ASCII where it must")
  func drawings() throws {
    let status = StatusSamples.wornKeyboard
    try expect(text(status, columns: 100, hasColours: true), isLike: "drawing-colours")
    try expect(
      text(status, characters: .ascii, rows: 24, hasKeyboard: true), isLike: "drawing-ascii")
    #expect(!text(status).contains("╭"))
    let none = text(status, hasColours: true, hasKeyboard: false)
    #expect(!none.contains("╭"))
    // There is no room, and nothing to draw of mice.
    #expect(!text(status, columns: 60, hasColours: true).contains("╭"))
    #expect(!text(StatusSamples.manyDevices, hasColours: true).contains("╭"))
  }

  @Test("shows what stands on keys of another layout, in the drawing and beside the names")
  func labels() {
    let german = text(
      StatusSamples.wornKeyboard, hasKeyboard: true, labels: [21: "Z", 44: "Y", 18: "É"])
    for part in ["│ T │ Z │ U │", "│ Y │ X │ C │", "│*É*│", "KEY_E (É) ", "KEY_N "] {
      #expect(german.contains(part))
    }
  }

  @Test("has a fact a line, and nothing drawn, where it is read aloud")
  func plain() throws {
    let sheet = Sheet(columns: 40, hasColours: true, isPlain: true)
    let plain = StatusReport(of: StatusSamples.wornKeyboard, hasKeyboard: true, on: sheet).text
    try expect(plain, isLike: "worn-keyboard-plain")
    for line in plain.split(separator: "\n") {
      #expect(!line.hasPrefix(" ") && !line.contains("  ") && !line.contains("\u{1b}"), "\(line)")
      #expect(line.unicodeScalars.allSatisfy { $0.value < 0x2500 || $0.value > 0x25ff }, "\(line)")
    }
    #expect(plain.contains("\nKEY_E\nstrokes: "))
  }

  @Test("shows all keys if all are wanted, otherwise twelve suspects")
  func keys() {
    let all = text(StatusSamples.wornKeyboard, hasAllKeys: true)
    #expect(all.contains("KEY_Q") && all.contains("KEY_CAPSLOCK") && !all.contains("--all"))

    let keys = (1...20).map {
      StatusSamples.key("KEY_\($0)", KeyCode($0), strokes: 100, $0 < 16 ? UInt32($0) : 0)
    }
    let many = text(StatusSamples.daemon([StatusSamples.device("", "x", keys: keys)]))
    let shown = many.matches(of: /KEY_\d+/).map { String($0.output) }
    #expect(shown == (4...15).reversed().map { "KEY_\($0)" })
    #expect(many.contains("… and 3 more, and 5 healthy keys; --all shows them"))
  }

  @Test("never is wider than the terminal, and sends it nothing that it obeys")
  func width() {
    for (name, status) in Self.samples {
      for columns in [80, 100, 120, 160, 200] {
        for hasColours in [false, true] {
          let text = text(status, columns: columns, hasColours: hasColours)
          let plain = text.replacing(/\u{1b}\[[0-9;]*m/, with: "")
          for line in plain.split(separator: "\n", omittingEmptySubsequences: false) {
            #expect(String(line).columns <= columns, "\(name): \(line)")
            #expect(!line.hasSuffix(" ") || hasColours, "\(name): \(line)")
          }
          let isSafe = plain.unicodeScalars.allSatisfy {
            $0 == "\n" || $0.properties.generalCategory != .control
          }
          #expect(isSafe && !plain.contains("\u{202e}"), "\(name)")
        }
      }
    }
  }

  @Test("names the panic chord and machines, and says of the start in other words what was wrong")
  func panicChordAndStart() throws {
    var status = StatusSamples.brokenConfiguration
    let later = text(status, columns: 200)
    #expect(later.contains("keeps the settings that it had before"))
    #expect(!later.contains("panic") && !later.contains("machine"))
    status.configuration.reloads = 0
    status.devices[0].panicChord = ["KEY_F1", "KEY_F2"]
    status.devices[0].counts.typesLikeAMachine = true
    for line in [
      "cannot read, and leaves the devices of broken files alone. Run “keydebounce check”",
      "panic      KEY_F1 + KEY_F2", "machine    types like a machine: a scanner,",
    ] {
      #expect(text(status, columns: 200).contains(line))
    }
    #expect(try StatusJSON.decode(DaemonStatus.self, from: StatusJSON.encode(status)) == status)
  }

  @Test("is ASCII where nothing else can be shown")
  func ascii() {
    for (_, status) in Self.samples {
      #expect(text(status, characters: .ascii).utf8.allSatisfy { $0 < 0x80 })
    }
  }

  @Test("tells how long passing on takes by the classes' bounds")
  func latency() throws {
    #expect(LatencyQuantiles([]) == nil)
    #expect(LatencyQuantiles([0, 0]) == nil)
    #expect(LatencyQuantiles([10, 0, 0])?.median == "under 0.001 ms")
    let mixed = try #require(
      LatencyQuantiles([0, 0, 0, 0, 0, 0, 60, 0, 38, 0, 0, 0, 0, 0, 0, 1, 1]))
    #expect(mixed.median == "under 0.064 ms")
    #expect(mixed.high == "under 33 ms")
    #expect(LatencyQuantiles([0, 0, 0, 1])?.median == "over 0.004 ms")
    #expect(LatencyQuantiles([0, 0, 0, 0, 0, 0, 0, 0, 1, 0])?.median == "under 0.26 ms")
    #expect(LatencyQuantiles(Array(repeating: 0, count: 11) + [1, 0])?.median == "under 2.1 ms")
  }

  @Test("calls a key worn if calibrate does, and no other")
  func wear() {
    func key(_ strokes: UInt32, _ chatter: UInt32) -> KeyStatus {
      StatusSamples.key("", 30, strokes: strokes, chatter)
    }
    #expect(ShownWear(of: key(10, 1)) == .chatter)
    #expect(ShownWear(of: key(3000, 30)) == .worn)
    // A person's doubles with gaps as short as chatter's.
    var quick = key(3000, 3)
    #expect(ShownWear(of: quick) == .chatter)
    quick.counts.gaps = IntervalHistogram(Array(repeating: 60, count: 16))
    #expect(ShownWear(of: quick) == .chatter)
    #expect(ShownWear(of: key(10, 0)) == .noChatter)
    #expect(ShownWear(of: key(0, 0)) == .neverPressed)
    for (strokes, chatter) in [(300, 3), (2145, 3), (8120, 23)] as [(UInt32, UInt32)] {
      let key = key(strokes, chatter)
      #expect((ShownWear(of: key) == .worn) == SwitchWear(of: key.counts).isCertain)
    }
  }

  @Test("gives a median as a number, also of the ends")
  func median() {
    func median(_ counts: UInt32...) -> String? { IntervalHistogram(counts).median }
    #expect(median() == nil)
    #expect(median(10) == "0.50")
    #expect(median(0, 0, 0, 10) == "4.0")
    #expect(median(0, 0, 0, 1, 3) == "6.0")
    #expect(median(0, 0, 0, 0, 0, 0, 2, 2) == "16")
    #expect(IntervalHistogram(Array(repeating: 0, count: 15) + [5]).median == ">150")
  }

  @Test("shows of all keys no less than of the worst, and wraps no row, whatever the width")
  func columns() throws {
    let status = StatusSamples.wornKeyboard
    func facts(columns: Int, all: Bool) throws -> Set<Substring> {
      let rows = text(status, columns: columns, hasAllKeys: all).split(separator: "\n")
        .filter { $0.hasPrefix("  KEY_") }
      #expect(rows.count > 4 && rows.allSatisfy { $0.count <= columns }, "\(rows)")
      let cells = try #require(rows.first { $0.hasPrefix("  KEY_E") }).split(separator: " ")
      // Bars take what room there is.
      return Set(cells.map { $0.contains("█") ? "█" : $0 })
    }
    for columns in 20...120 {
      let all = try facts(columns: columns, all: true)
      #expect(try all.isSuperset(of: facts(columns: columns, all: false)), "\(columns)")
    }
    #expect(try facts(columns: 40, all: true) == ["KEY_E", "3,870", "297"])
  }

  @Test(
    "shows the more the wider it is, and first what chatter is made of", arguments: [false, true])
  func titles(all: Bool) {
    let status = StatusSamples.wornKeyboard
    func titles(_ columns: Int) -> Set<Substring> {
      let lines = text(status, columns: columns, hasAllKeys: all).split(separator: "\n")
      return Set(lines.first { $0.hasPrefix("  key ") }?.split(separator: " ") ?? [])
    }
    let widths = (40...121).map(titles)
    for (shown, wider) in zip(widths, widths.dropFirst()) {
      #expect(shown.isSubset(of: wider))
      #expect(!shown.contains("gaps") || shown.isSuperset(of: ["A", "B", "C", "near"]), "\(shown)")
    }
    #expect(titles(120).contains("gaps"))
  }

  @Test("says of a device that it is paused, and not that it is debounced")
  func paused() {
    var status = StatusSamples.wornKeyboard
    status.devices[0].pause = DevicePause(remaining: 300)
    #expect(text(status).contains("(/dev/input/event3): paused\n"))
    #expect(!text(status).contains("debounced"))
    status.devices[0].state = .busy
    #expect(text(status).contains("another program has grabbed it"))
  }
}

@Suite("The drawing of a keyboard")
struct KeyboardLayoutTests {
  @Test("has each key once, and none above another of its row", arguments: [false, true])
  func keys(hasAngleKey: Bool) {
    let layout = KeyboardLayout(hasNumpad: true, hasAngleKey: hasAngleKey)
    let keys = layout.rows.flatMap { $0 }
    #expect(Set(keys.map(\.code)).count == keys.count)
    for row in layout.rows {
      for (left, right) in zip(row, row.dropFirst()) { #expect(left.x + left.width <= right.x) }
    }
    for key in keys {
      #expect(key.label.count < key.width)
      #expect(key.x + key.width < layout.width)
    }
    // The main block ends in one line.
    for row in layout.rows {
      let ends = row.filter { $0.x < 61 }.map { $0.x + $0.width }
      #expect(ends.max() == 60)
    }
    #expect(KeyboardLayout(hasNumpad: false, hasAngleKey: false).width <= 78)
  }
}
