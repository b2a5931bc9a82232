import Debounce
import EventDevices
import Foundation
import Samples
import Status
import Terminal
import Testing

@testable import Calibration
@testable import Configuration
@testable import DeviceFiles

@Suite("What calibrate shows and writes")
struct CalibrateTextTests {
  @Test("the device file says when, from what and how sure, and matches this device")
  func deviceFile() throws {
    let text = CalibratedText(CalibrationSamples.result()).text
    // The difference that is shown has a sign before each line.
    #expect(text.split(separator: "\n").allSatisfy { !$0.hasPrefix("#") || $0.count < 80 })
    #expect(
      text == """
        # Written by keydebounce calibrate \(Version.current) on 2026-03-14, from 511 strokes of 4
        # keys: a guided calibration (typing, single taps, long holds, doubles).
        #
        # A key is set only where that is better than what was in force, with 95 %
        # confidence.
        #
        # What a file in devices.d says of a key takes precedence. Another calibration
        # rewrites this file; to undo it, delete the file and run “keydebounce reload”.

        [device]
        name    = "Desk \\"Pro\\" Keyboard"
        vendor  = 0x3434
        product = 0x0120
        uniq    = "aa:bb:01"

        [keys]
        # Worn: 156 (88–247) of 1000 strokes are faulty. Of the faults 12 of 14 came
        # through before, with this 4 of 14.
        KEY_SPACE = 40

        """)
    let folder = try Folder(["calibrated.d/a.toml": text])
    let settings = try LoadedSettings(readingFrom: folder.path).settings
    #expect(try settings.device(for: CalibrationSamples.device)?.rules.keys.count == 1)
    var other = CalibrationSamples.device
    other.uniq = "aa:bb:02"
    #expect(try settings.device(for: other) == nil)
  }

  @Test("what stands on a key of another layout is beside its name, save in what programs read")
  func labels() throws {
    var result = CalibrationSamples.result()
    let usual = CalibratedText(result).text
    let data = try StatusJSON.encode(CalibrationJSON(result))
    result.labels = [18: "É", 30: "<", 44: "Y"]
    let text = result.text(on: 80)
    #expect(text.contains("\nKEY_E (É) "))
    #expect(text.contains("KEY_A (<)"))
    #expect(!text.contains("KEY_SPACE ("))
    #expect(CalibratedText(result).text == usual)
    #expect(try StatusJSON.encode(CalibrationJSON(result)) == data)
  }

  @Test("lines of keys for which nothing better was found stay")
  func keptLines() {
    let line = "# Was bad.\n# Two lines.\nKEY_S = { strategy = \"adaptive\", threshold = 35 }\n"
    let present = file(about: "", "\(line)\nKEY_SPACE = 100")
    let text = CalibratedText(CalibrationSamples.result(), present: present).text
    #expect(text.contains(line))
    #expect(text.contains("KEY_SPACE = 40") && !text.contains("KEY_SPACE = 100"))
    #expect(text.contains("are from before"))
  }

  private func file(about lines: String, _ line: String) -> String {
    """
    \(DeviceFilePurpose.calibrate.mark) 0.0.1 on 2026-01-01.

    [device]
    name = "Desk*"
    \(lines)

    [keys]
    \(line)

    """
  }

  /// The file that the result leads to, with the lines in force in these folders.
  private func calibrated(
    _ folders: String..., from result: CalibrationResult = CalibrationSamples.result()
  ) throws -> CalibratedFile {
    try CalibratedFile(for: result, in: ConfigurationPlaces(folders))
  }

  @Test(
    "a recording, which has no serial number, and the device itself have one file, which goes on matching what it did",
    arguments: [("uniq = \"aa:bb:01\"", nil), ("vendor = 0x3434", "aa:bb:01")]
      as [(String, String?)])
  func oneFile(_ pattern: String, _ uniq: String?) throws {
    let folder = try Folder(["calibrated.d/a.toml": file(about: pattern, "KEY_S = 30")])
    var result = CalibrationSamples.result()
    result.device.uniq = uniq
    let calibrated = try calibrated(folder.path, from: result)
    #expect(calibrated.path == "\(folder.path)/calibrated.d/a.toml")
    let text = try #require(calibrated.text)
    #expect(text.contains("\n[device]\nname = \"Desk*\"\n\(pattern)\n\n[keys]\n"), "\(text)")
    let change = try #require(calibrated.plan.changeToMake)
    let settings = try #require(try change.settings().device(for: result.device))
    #expect(settings.rules.keys.keys.sorted() == [31, 57])
  }

  @Test("of several files about the device the one that holds is written")
  func bestFile() throws {
    let folder = try Folder([
      "calibrated.d/a.toml": file(about: "", "KEY_S = 30"),
      "calibrated.d/b.toml": file(about: "uniq = \"aa:bb:01\"", "KEY_S = 30"),
      "calibrated.d/c.toml": file(about: "uniq = \"aa:bb:02\"\nproduct = 0x120", "KEY_S = 30"),
    ])
    #expect(try calibrated(folder.path).path.hasSuffix("/b.toml"))
  }

  @Test("a file in another folder is hidden by one of its name that keeps its lines")
  func otherFolder() throws {
    let system = try Folder(["calibrated.d/a.toml": file(about: "vendor = 0x3434", "KEY_S = 30")])
    let own = try Folder()
    let calibrated = try calibrated(system.path, own.path)
    #expect(calibrated.path == "\(own.path)/calibrated.d/a.toml")
    let change = try #require(calibrated.plan.changeToMake)
    #expect(change.present == nil)
    try change.make()
    let settings = try LoadedSettings(readingFrom: change.places).settings
    let device = try #require(try settings.device(for: CalibrationSamples.result().device))
    #expect(device.rules.keys.keys.sorted() == [31, 57])
  }

  @Test(
    "devices whose names make one file name have a file each",
    arguments: [
      (
        "Razer Razer BlackWidow Chroma Tournament Edition",
        "Razer Razer BlackWidow Chroma Tournament"
      ),
      ("Tastatur ä", "Tastatur ö"),
    ])
  func alikeNames(_ first: String, _ second: String) throws {
    let folder = try Folder(["keydebounce.toml": ""])
    func write(_ name: String) throws -> (path: String, text: String?) {
      var result = CalibrationSamples.result()
      result.device.name = name
      let file = try calibrated(folder.path, from: result)
      try file.plan.changeToMake?.make()
      return (file.path, file.text)
    }
    let (one, two) = (try write(first), try write(second))
    #expect(two.path == one.path.replacing(".toml", with: "-2.toml"))
    #expect(try String(contentsOfFile: one.path, encoding: .utf8) == one.text)
    // Each finds its own again.
    #expect(try write(first).path == one.path)
    #expect(try write(second).path == two.path)
  }

  @Test("what a setting of the key does is not said of the default")
  func presentSetting() {
    var result = CalibrationSamples.result()
    #expect(result.text(on: 300).contains("The default removes all 12 faults of KEY_E"))
    result.inForce.rules.keys[18] = .eagerDefer(EagerDefer(threshold: 40_000))
    let text = result.text(on: 300)
    #expect(text.contains("The present setting removes all 12 faults of KEY_E"), "\(text)")
  }

  private typealias Change = @Sendable (inout KeyFinding) -> Void

  /// How a finding is changed, and the words that are shown and not shown then.
  private static let words: [(change: Change, shown: [String], hidden: String)] = [
    (
      { $0.faultGaps = [7, 7.004, 7.01] },
      [
        "none needed", "Of taps and holds that were asked for, 75 (39–127) of 1000",
        "mostly 7.0 ms within faults",
      ], "none helps"
    ),
    ({ $0.comesThrough = FaultRate(faults: 5, strokes: 12) }, ["none helps"], "none needed"),
    (
      { $0.isAsked = false },
      ["12 of 160 strokes were faulty (at least 3.9 %). Faults that a"], "Of taps and holds"
    ),
    (
      { $0.verdict = .twice },
      ["no worn key found", "Nearly every stroke comes twice", "calibrate --key KEY_E"],
      "none needed"
    ),
  ]

  @Test("a key's switch, rate and line are told as they are", arguments: words.indices)
  func told(_ index: Int) {
    let (change, shown, hidden) = Self.words[index]
    var finding = CalibrationSamples.cured
    change(&finding)
    let text = CalibrationSamples.result([finding]).text(on: 300)
    for words in shown { #expect(text.contains(words), "\(text)") }
    #expect(!text.contains(hidden), "\(text)")
  }

  @Test("keys with a strategy for hands keep it, whatever their switches are like")
  func hands() throws {
    let folder = try Folder([
      "keydebounce.toml": "[defaults]\nstrategy = \"bounce-keys\"\n",
      "devices.d/10.toml":
        "[device]\nname = \"Desk*\"\n[keys]\nKEY_SPACE = \"adaptive\"\n[debounce]\nstrategy = \"slow-keys\"\n",
    ])
    let file = try calibrated(folder.path)
    #expect(file.yoursStand == [18, 57])
    #expect(file.text == nil)
    let other = try Folder(["keydebounce.toml": "[defaults]\nstrategy = \"eager\"\n"])
    #expect(try calibrated(other.path).yoursStand == [])
  }

  @Test(
    "what a file says is what was measured, whatever is set elsewhere",
    arguments: [
      [:],
      ["keydebounce.toml": "[defaults]\nstrategy = \"none\"\n"],
      ["devices.d/a.toml": "[device]\nname = \"Desk*\"\n[debounce]\nstrategy = \"eager-defer\"\n"],
      ["keydebounce.toml": "[defaults]\nconfirm = 5\nwithin = 20\n"],
      ["keydebounce.toml": "[defaults]\nstrategy = \"eager-defer\"\nthreshold = 15\n"],
      ["keydebounce.toml": "[defaults]\nsuspect = 90\ndropout = 5\n"],
    ])
  func exactly(files: [String: String]) throws {
    let folder = try Folder(files)
    let settings = try LoadedSettings(readingFrom: folder.path).settings
    let inForce = try InForce(for: CalibrationSamples.device, by: settings)
    var result = CalibrationSamples.result([CalibrationSamples.helped])
    func check(_ candidate: Candidate) throws {
      result.keys[0].advice = .line(CalibrationSamples.line(candidate))
      let plan = try calibrated(folder.path, from: result).plan
      let change = try #require(plan.changeToMake, "\(candidate)")
      let device = try change.settings().device(for: CalibrationSamples.device)
      #expect(device?.rules.strategy(of: 57) == candidate.strategy, "\(candidate)")
    }
    for candidate in Candidate.all(beside: inForce.outer) { try check(candidate) }
    // A line that would mean something else is refused. Where there is no strategy, a number alone means nothing.
    guard inForce.outer != Strategy.none else { return }
    let other = Candidate(
      StrategyKind(rawValue: "prompt") ?? .allCases[0], 20, [:],
      beside: .prompt(Prompt(quiet: 1)))
    let error = #expect(throws: DeviceFileError.self) { try check(other) }
    #expect("\(error.map { "\($0)" } ?? "")".contains("than the one that was measured"))
  }

  @Test("the text fits, and in ASCII is ASCII", arguments: [60, 80, 120])
  func layout(_ columns: Int) {
    let result = CalibrationSamples.result()
    let text = result.text(on: columns)
    for line in text.split(separator: "\n") {
      #expect(String(line).columns <= columns, "\(line)")
    }
    let plain = CalibrationText(
      of: result, on: Sheet(columns: columns, characters: .ascii)
    ).text
    #expect(plain.utf8.allSatisfy { $0 < 0x80 })
    #expect(!plain.contains("?"), "\(plain)")
  }

  @Test("a measurement of a device without a name and numbers writes no file, and says what to do")
  func unknownDevice() throws {
    var result = CalibrationSamples.result()
    result.device = DeviceDescription(
      DeviceIdentity(name: "", vendor: 0, product: 0, version: 0))
    let files = try Folder([:])
    let folder = files.path
    let error = #expect(throws: DeviceFileError.self) { try calibrated(folder, from: result) }
    #expect("\(error.map { "\($0)" } ?? "")".contains("record it with “keydebounce record”"))
    // Where there is nothing to set, that is no matter.
    result.keys = [CalibrationSamples.cured]
    #expect(try calibrated(folder, from: result).text == nil)
    // Numbers without a name are enough.
    result = CalibrationSamples.result()
    result.device.name = ""
    let text = try #require(try calibrated(folder, from: result).text)
    #expect(!text.contains("name ") && text.contains("vendor  = 0x3434"))
  }

  @Test("the table has the worst first, and healthy keys in a line")
  func table() {
    let text = CalibrationSamples.result().text(on: 80)
    #expect(text.hasPrefix("Desk \"Pro\" Keyboard: 2 keys are worn\n"))
    for words in [
      "the strategy adaptive; THROUGH NOW tells how many faults come through it",
      "mostly 3.0–14 ms within faults", "mostly 60 ms or more between your strokes",
      "Healthy, fewer than 12 faulty strokes in 1000: KEY_A\n",
      "Undecided; strokes still needed: KEY_S 48",
      "Clean or replace the switch",
    ] {
      #expect(text.replacing("\n             ", with: " ").contains(words), "\(words)\n\(text)")
    }
    #expect(text.contains("KEY_SPACE  worn"))
  }

  @Test("a rate of which doubtful strokes may be a part is not said to be below theirs")
  func doubts() throws {
    var finding = CalibrationSamples.unknown
    func bound() -> String { finding.rateInWords }
    let sure = FaultRate(faults: 0, strokes: 11).upperBound
    #expect(bound() == "below \((sure * 1000).short) of 1000")
    finding.doubtful = 3
    let open = FaultRate(faults: 3, strokes: 14).upperBound
    #expect(bound() == "below \((open * 1000).short) of 1000")
    // Nor where some are sure; and programs read the same.
    finding.rate = FaultRate(faults: 2, strokes: 11)
    func shown(_ interval: ClosedRange<Double>) -> String {
      "(\((interval.lowerBound * 1000...interval.upperBound * 1000).short))"
    }
    // Of what was asked for none is doubtful.
    #expect(finding.isAsked && bound().contains(shown(finding.rate.interval)))
    finding.isAsked = false
    let interval =
      finding.rate.interval.lowerBound...FaultRate(faults: 5, strokes: 14).interval.upperBound
    #expect(bound().contains(shown(interval)))
    let keys = try json(of: CalibrationSamples.result([finding]))["keys"] as? [[String: Any]]
    let rate = keys?.first?["rate"] as? [String: Any]
    for (name, bound) in [("low", interval.lowerBound), ("high", interval.upperBound)] {
      #expect(abs(try #require(rate?[name] as? Double) - bound) < 1e-9)
    }
  }

  @Test(
    "who is told that more strokes would tell is told how to make them",
    arguments: [
      (.guided, 60, "“sudo keydebounce calibrate --key KEY_E” asks for so many taps"),
      (.guided, 200, "until it has 360 strokes of KEY_E (“keydebounce record”)"),
      (.guided, 500, "until it has 660 strokes of KEY_E (“keydebounce record”)"),
      (.passive, 60, "until it has 220 strokes of KEY_E (“keydebounce record”)"),
    ] as [(CalibrationResult.Method, Int, String)])
  func more(_ method: CalibrationResult.Method, _ strokes: Int, _ words: String) {
    var finding = CalibrationSamples.cured
    finding.advice = .undecided(strokes: strokes)
    let result = CalibrationResult(
      device: CalibrationSamples.device, method: method, keys: [finding])
    let text = result.text(on: 600)
    #expect(text.contains("about \(strokes) more strokes would tell. "), "\(text)")
    #expect(text.contains(words), "\(text)")
    #expect(!text.contains("hours"))
  }

  @Test("a column is explained where it is shown", arguments: [40, 80])
  func column(_ columns: Int) {
    for label in [nil, "Leertaste"] {
      var result = CalibrationSamples.result()
      result.labels = [57: label].compactMapValues { $0 }
      let text = result.text(on: columns)
      let isShown = columns > 40 || label == nil
      #expect(text.contains("  THROUGH NOW") == isShown, "\(text)")
      let words = text.split { $0.isWhitespace }.joined(separator: " ")
      #expect(words.contains("THROUGH NOW tells how many faults") == isShown, "\(text)")
    }
  }

  @Test("a device whose file has errors is left alone")
  func brokenFile() throws {
    let folder = try Folder(["devices.d/10.toml": "[device]\nname = \"Desk*\"\nignroe = 1\n"])
    let settings = try LoadedSettings(
      readingFrom: ConfigurationPlaces(folder.path), toleratesBrokenDevices: true
    ).settings
    let inForce = try InForce(for: CalibrationSamples.device, by: settings)
    #expect(inForce.rules == Rules(strategy: .none))
    var result = CalibrationSamples.result()
    result.inForce = inForce
    let text = result.text(on: 600)
    #expect(
      text.contains(
        "keydebounce leaves this device alone (correct the errors in \(folder.path)/devices.d/10.toml)"
      ),
      "\(text)")
  }

  private func json(
    of result: CalibrationResult, _ file: CalibratedFile? = nil
  ) throws -> [String: Any] {
    let bytes = try StatusJSON.encode(CalibrationJSON(result, file))
    return try #require(JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
  }

  @Test("the same as data")
  func json() throws {
    let folder = try Folder([
      "devices.d/a.toml": "[device]\nname = \"Desk*\"\n[keys]\nKEY_E = 30\n"
    ])
    let proposal = try calibrated(folder.path)
    let object = try json(of: CalibrationSamples.result(), proposal)
    let keys = try #require(object["keys"] as? [[String: Any]])
    #expect(keys.map { $0["key"] as? String } == ["KEY_E", "KEY_SPACE", "KEY_A", "KEY_S"])
    #expect(keys[0]["verdict"] as? String == "worn")
    #expect(keys[0]["line"] == nil)
    let line = try #require(keys[1]["line"] as? [String: Any])
    #expect(line["text"] as? String == "40")
    #expect((line["through_now"] as? [String: Any])?["count"] as? Int == 12)
    #expect(keys[1]["clean_or_replace"] as? Bool == true)
    #expect(keys[3]["strokes_needed"] as? Int == 48)
    let file = try #require(object["file"] as? [String: Any])
    #expect(file["path"] as? String == proposal.path && file["text"] as? String == proposal.text)
    #expect(file["yours_stand"] as? [String] == ["KEY_E"])
  }
}
