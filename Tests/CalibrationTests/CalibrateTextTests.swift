import Configuration
import Debounce
import Foundation
import Samples
import Status
import TerminalText
import Testing

@testable import Calibration

@Suite("What calibrate shows and writes")
struct CalibrateTextTests {
  @Test("the device file says when, from what and how sure, and matches this device")
  func deviceFile() throws {
    let text = DeviceFileText(CalibrationSamples.result()).text
    #expect(
      text == """
        # Written by keydebounce calibrate \(Version.current) on 2026-03-14, from 511 strokes of 4 keys: a guided
        # calibration (typing, single taps, long holds, doubles).
        #
        # Keys are set only where it is certain that the switch is bad: fewer than one in 1000 healthy ones
        # would be taken for it.
        #
        # What a file in devices.d says of a key takes precedence. Another calibration rewrites this file;
        # to undo it, delete the file and run “keydebounce reload”.

        [device]
        name    = "Desk \\"Pro\\" Keyboard"
        vendor  = 0x3434
        product = 0x0120
        uniq    = "aa:bb:01"

        [keys]
        # Chatters: 9 press bounces (A), 2 release bounces (B), 1 drop-out (C) in 160 strokes; faulty 3.9–13
        # % of strokes with 95 % confidence. Expected: 1.2 % of faults come through, 0.31 of 1000 genuine
        # presses are lost.
        KEY_E = { strategy = "adaptive", threshold = 25 }

        # Bands overlap: 14 drop-outs (C) in 90 strokes; faulty 8.8–25 % of strokes with 95 % confidence.
        # Expected: 1.2 % of faults come through, 0.31 of 1000 genuine presses are lost. No threshold parts
        # its chatter from genuine doubles: clean or replace the switch.
        KEY_SPACE = { strategy = "eager-defer", threshold = 45 }

        """)
    let folder = try Folder(["calibrated.d/a.toml": text])
    let settings = try Settings(readingFrom: folder.path)
    #expect(try settings.device(for: CalibrationSamples.device)?.rules.keys.count == 2)
    var other = CalibrationSamples.device
    other.uniq = "aa:bb:02"
    #expect(try settings.device(for: other) == nil)
  }

  @Test("what stands on a key of another layout is beside its name, but in what programs read")
  func labels() throws {
    var result = CalibrationSamples.result()
    let usual = DeviceFileText(result).text
    let data = try CalibrationJSON(result).text
    result.labels = [18: "É", 30: "<", 44: "Y"]
    let text = CalibrationText(of: result, on: Sheet(columns: 80)).text
    #expect(text.contains("\nKEY_E (É) "))
    #expect(text.contains("KEY_A (<)"))
    #expect(!text.contains("KEY_SPACE ("))
    let page = ReportPage(of: result, file: nil).html
    #expect(page.contains(">KEY_E (É)</th>"))
    #expect(page.contains("<h3>KEY_E (É) "))
    #expect(
      page.contains(">É</text>") && page.contains(">&lt;</text>") && page.contains(">Y</text>"))
    #expect(DeviceFileText(result).text == usual)
    #expect(try CalibrationJSON(result).text == data)
  }

  @Test("lines of keys that were not judged this time stay, those of healthy ones go")
  func keptLines() {
    let present = """
      \(DeviceFileText.signature) 0.0.1 on 2026-01-01.

      [device]
      name = "x"

      [keys]
      # Went away.
      KEY_A = { strategy = "adaptive", threshold = 30 }

      # Was bad.
      # Two lines.
      KEY_S = { strategy = "adaptive", threshold = 35 }
      """
    let text = DeviceFileText(CalibrationSamples.result(), present: present).text
    #expect(!text.contains("KEY_A"))
    #expect(
      text.contains(
        "# Was bad.\n# Two lines.\nKEY_S = { strategy = \"adaptive\", threshold = 35 }\n"))
    #expect(text.contains("are from before"))
  }

  @Test("keys of the person's own files are left out and told of")
  func yoursStand() {
    let file = DeviceFileText(CalibrationSamples.result(), written: [18])
    #expect(file.yoursStand == [18])
    #expect(!file.text.contains("KEY_E"))
    #expect(file.text.contains("KEY_SPACE"))
  }

  @Test("keys with a strategy for hands keep it, whatever their switches are like")
  func hands() throws {
    let folder = try Folder([
      "keydebounce.toml": "[defaults]\nstrategy = \"bounce-keys\"\n",
      "devices.d/10.toml":
        "[device]\nname = \"Desk*\"\n[keys]\nKEY_SPACE = \"adaptive\"\n[debounce]\nstrategy = \"slow-keys\"\n",
    ])
    let file = try CalibratedFile(
      for: CalibrationSamples.result(), in: ConfigurationPlaces(folder.path))
    #expect(file.proposal.yoursStand == [18, 57])
    #expect(!file.isWorthWriting)
    let other = try Folder(["keydebounce.toml": "[defaults]\nstrategy = \"eager\"\n"])
    #expect(
      try CalibratedFile(for: CalibrationSamples.result(), in: ConfigurationPlaces(other.path))
        .proposal.yoursStand == []
    )
  }

  @Test("the text fits, and in ASCII is ASCII", arguments: [60, 80, 120])
  func layout(_ columns: Int) {
    let result = CalibrationSamples.result()
    let text = CalibrationText(of: result, on: Sheet(columns: columns)).text
    for line in text.split(separator: "\n") {
      #expect(String(line).columns <= columns, "\(line)")
    }
    let plain = CalibrationText(
      of: result, on: Sheet(columns: columns, characters: .ascii)
    ).text
    #expect(plain.utf8.allSatisfy { $0 < 0x80 })
    #expect(!plain.contains("?"), "\(plain)")
  }

  @Test("the table has the worst first, and healthy keys in a line")
  func table() {
    let text = CalibrationText(of: CalibrationSamples.result(), on: Sheet(columns: 80)).text
    #expect(
      text.hasPrefix(
        """
        Desk "Pro" Keyboard: 2 keys are bad
          measured   511 strokes of 4 keys, from a guided calibration (typing, single
                     taps, long holds, doubles)
          polled     every 1 ms: gaps cannot be measured more finely

          KEY        VERDICT        STROKES  FAULTS  RATE, 95 %      SETTING
          KEY_E      chatters           160      12  7.5 %, 3.9–13 %  adaptive 25 ms
        """) || text.contains("KEY_E      chatters           160      12  7.5 %, 3.9–13 %"),
      "\(text)")
    #expect(text.contains("Healthy, with faults in fewer strokes than: KEY_A 1.2 %"))
    #expect(text.contains("Too few strokes: KEY_S (11)"))
    #expect(text.contains("THRESHOLD"))
  }

  @Test("the histogram has faults, fingers, band and threshold one below the other")
  func histogram() {
    let lines = HistogramDrawing(of: CalibrationSamples.chattering).lines(on: Sheet(columns: 80))
    #expect(lines.contains { $0.contains("├") && $0.contains("┤") })
    let threshold = lines.first { $0.contains("▲ 25 ms") }
    let axis = lines.last ?? ""
    // 25 lies just right of where the class that begins at 24 does.
    let mark = threshold.flatMap { Array($0).firstIndex(of: "▲") } ?? 0
    let column = axis.range(of: "24").map {
      axis.distance(from: axis.startIndex, to: $0.lowerBound)
    }
    #expect(column.map { (0...3).contains(mark - $0) } == true, "\(lines)")
  }

  @Test("the same as data")
  func json() throws {
    let text = try CalibrationJSON(
      CalibrationSamples.result(),
      file: CalibrationJSON.File(path: "/p", text: "t", yoursStand: ["KEY_A"])
    ).text
    let object = try #require(
      JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    let keys = try #require(object["keys"] as? [[String: Any]])
    #expect(keys.map { $0["key"] as? String } == ["KEY_E", "KEY_SPACE", "KEY_A", "KEY_S"])
    #expect(keys[0]["finding"] as? String == "chatters")
    #expect(keys[1]["finding"] as? String == "bands-overlap")
    #expect((keys[1]["trade_off"] as? [Any])?.count == 2)
    #expect((object["file"] as? [String: Any])?["yours_stand"] as? [String] == ["KEY_A"])
  }

  @Test("the page is well-formed, whole in itself, and nothing in a name is markup")
  func page() throws {
    var result = CalibrationSamples.result()
    result.device.name = "<script>alert(\"&\")</script>\u{1b}[2J"
    let html = ReportPage(of: result, file: DeviceFileText(result).text).html
    #expect(flaw(inMarkup: html) == nil)
    #expect(!html.contains("<script"))
    #expect(!html.contains("\u{1b}"))
    for outside in ["src=", "href=", "url(", "@import"] { #expect(!html.contains(outside)) }
    #expect(html.contains("class=\"keyboard\""))
    #expect(html.contains("prefers-color-scheme: dark"))
    #expect(html.contains("KEY_SPACE"))
  }
}
