import Calibration
import Configuration
import Foundation
import Samples
import Testing

@testable import keydebounce

/// What can be seen of it without a device; the rest is tested in the virtual machine.
@Suite("keydebounce calibrate")
final class CalibrateCommandTests {
  private let home: Folder
  /// A folder with settings that let everything through, and a recording of a key that bounces: with these a line for it is
  /// better.
  private let (folder, recording): (String, String)

  init() throws {
    home = try WornRecording.folder()
    (folder, recording) = (home.path, home.path + "/worn.evemu")
  }

  /// Judges the recording, or another one, by the folder's settings.
  private func judge(_ path: String? = nil, _ options: String...) throws -> Command {
    try Command(
      arguments: ["calibrate", "--from", path ?? recording, "--config", folder] + options)
  }

  private func words(_ run: Command) -> String {
    run.output.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
  }

  @Test("says in a sentence that the default removes all, and writes nothing")
  func nothingToSet() throws {
    try FileManager.default.removeItem(atPath: folder + "/keydebounce.toml")
    let run = try judge(nil, "--apply")
    #expect(run.status == 0, "\(run.errors)")
    #expect(!run.output.contains("\u{1b}") && !run.output.contains("Clean or replace"))
    #expect(
      words(run).contains(
        "The default removes all 20 faults of KEY_E and takes none of your presses: nothing to set."
      ),
      "\(run.output)")
    #expect(run.errors.contains("there is nothing to set; no file is written"))
    #expect(!FileManager.default.fileExists(atPath: folder + "/calibrated.d"))
  }

  @Test("says the day that it is where the person is")
  func day() throws {
    // It is never the same day in both.
    let days = try ["XXX-14", "XXX12"].map { zone in
      let run = try Command(
        arguments: ["calibrate", "--from", recording, "--config", folder, "--json"],
        environment: ["TZ": zone])
      let object = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
      #expect(object?["method"] as? String == "recording")
      return object?["day"] as? String
    }
    #expect(days[0] != nil && days[1] != nil && days[0] != days[1])
  }

  @Test("neither judges by a folder that is not there, nor makes it", arguments: [[], ["--apply"]])
  func missingFolder(_ options: [String]) throws {
    let missing = folder + "/keydebuonce"
    let run = try Command(
      arguments: ["calibrate", "--from", recording, "--config", missing] + options)
    #expect(run.status == 78)
    #expect(run.output == "")
    #expect(run.errors.contains("is not there"), "\(run.errors)")
    #expect(!FileManager.default.fileExists(atPath: missing))
  }

  @Test("writes the file with --apply, once, and the configuration can be read with it")
  func apply() throws {
    let run = try judge(nil, "--apply")
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.contains("+KEY_E = { strategy = "))
    #expect(run.errors.contains("written: \(folder)/calibrated.d/worn-keyboard-"))
    let files = try FileManager.default.contentsOfDirectory(atPath: folder + "/calibrated.d")
    #expect(files.count == 1)
    #expect(try Command("check", "--config", folder).status == 0)
    // With the line in force nothing is better than it.
    let again = try judge(nil, "--apply")
    #expect(again.status == 0)
    #expect(again.errors.contains("already says this"), "\(again.errors)")
  }

  @Test("writes what everybody can read, with its folders, whatever the umask")
  func modes() throws {
    let process = try Process.run(
      URL(filePath: "/bin/sh"),
      arguments: [
        "-c", "umask 077; exec \"$@\" >/dev/null 2>&1", "sh", Command.program.path, "calibrate",
        "--from", recording, "--config", folder, "--apply",
      ])
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    let written = folder + "/calibrated.d"
    let files = try FileManager.default.subpathsOfDirectory(atPath: written)
    #expect(files.count == 1)
    for path in ["."] + files {
      let attributes = try FileManager.default.attributesOfItem(atPath: "\(written)/\(path)")
      let isFile = attributes[.type] as? FileAttributeType == .typeRegular
      #expect(attributes[.posixPermissions] as? Int == (isFile ? 0o644 : 0o755), "\(path)")
    }
  }

  @Test("leaves keys to the files that were written by hand")
  func yoursStand() throws {
    let own = "[device]\nname = \"worn*\"\n[keys]\nKEY_E = 33 # mine\n"
    try home.write(own, to: "devices.d/10.toml")
    let run = try judge(nil, "--apply")
    #expect(run.status == 0)
    #expect(run.errors.contains("you have set KEY_E yourself; calibrate changes nothing there"))
    #expect(!FileManager.default.fileExists(atPath: folder + "/calibrated.d"))
    #expect(try String(contentsOfFile: folder + "/devices.d/10.toml", encoding: .utf8) == own)
  }

  @Test("does not overwrite what it has not written, and writes nothing beside what is broken")
  func otherFiles() throws {
    let name = "calibrated.d/worn-keyboard-0001-0002.toml"
    let place = "\(folder)/\(name)"
    let byHand = "[device]\nname = \"worn*\"\n"
    try home.write(byHand, to: name)
    let run = try judge(nil, "--apply")
    #expect(run.status == 1)
    #expect(run.errors.contains("was not written by calibrate"))
    #expect(try String(contentsOfFile: place, encoding: .utf8) == byHand)

    // About another device it is not in the way.
    let other = "[device]\nname = \"x\"\n"
    try home.write(other, to: name)
    let beside = try judge(nil, "--apply")
    let second = folder + "/calibrated.d/worn-keyboard-0001-0002-2.toml"
    #expect(beside.errors.contains("written: \(second)"), "\(beside.errors)")
    #expect(try String(contentsOfFile: place, encoding: .utf8) == other)

    for path in [place, second] { try FileManager.default.removeItem(atPath: path) }
    try home.write("[device]\nnme = \"x\"\n", to: "calibrated.d/other.toml")
    let broken = try judge(nil, "--apply")
    #expect(broken.status == 78)
    // What was found is shown all the same.
    #expect(broken.output.contains("KEY_E worn"))
    #expect(!FileManager.default.fileExists(atPath: place))
  }

  @Test("says that events were lost where that leaves no stroke to judge")
  func losses() throws {
    let run = try judge(fixture("recordings/run.evemu"))
    #expect(run.output.hasPrefix("Worn keyboard: no stroke could be judged\n"), "\(run.output)")
    #expect(run.errors.contains("events were lost once: the strokes around that are left out"))
  }

  @Test("calls a knob a machine, and sets nothing for it")
  func knob() throws {
    try FileManager.default.removeItem(atPath: folder + "/keydebounce.toml")
    let run = try judge(fixture("recordings/machine-knob.evemu"))
    #expect(run.output.contains("no worn key found"), "\(run.output)")
    #expect(
      run.output.contains("A machine drives these, and nothing is set for them: KEY_VOLUMEUP\n"),
      "\(run.output)")
    #expect(!run.output.contains("FAULTY"), "\(run.output)")
    #expect(run.errors.contains("there is nothing to set"))
  }

  @Test("judges a mouse as the service treats it: left alone, unless a file is about it")
  func mouse() throws {
    try FileManager.default.removeItem(atPath: folder + "/keydebounce.toml")
    try FileManager.default.createDirectory(
      atPath: folder + "/devices.d", withIntermediateDirectories: true)
    // BTN_LEFT, BTN_RIGHT and BTN_MIDDLE.
    let bits = (0..<40).map { $0 == 34 ? " 07" : " 00" }
    let lines = stride(from: 0, to: 40, by: 8).map { bits[$0..<$0 + 8].joined() }
    let header = "N: Some Mouse\nI: 0003 046d c077 0111\n" + lines.map { "B: 01\($0)\n" }.joined()
    let text = WornRecording.text(header).replacing(" 0012 ", with: " 0110 ")
      .replacing(" 001e ", with: " 0111 ")
    // A recording need not say which keys the device has.
    let bare = text.split(separator: "\n").filter { !$0.hasPrefix("B: ") }
    for (text, isIgnored) in [
      (text, false), (bare.map { $0 + "\n" }.joined(), false), (text, true),
    ] {
      try home.write(text, to: "worn.evemu")
      if isIgnored {
        try home.write("[device]\nname = \"Some*\"\nignore = true\n", to: "devices.d/10.toml")
      }
      let run = try judge()
      let remedy =
        isIgnored
        ? "delete “ignore = true” in \(folder)/devices.d/10.toml)" : "“sudo keydebounce take” "
      let alone = "the strategy none, as keydebounce leaves this device alone (\(remedy)"
      #expect(words(run).contains(alone), "\(run.output)")
      #expect(words(run).contains("Now 20 of 20 faults come"), "\(run.output)")
    }
    try home.write("[device]\nname = \"Some*\"\n", to: "devices.d/10.toml")
    let named = try judge()
    #expect(named.output.contains("the strategy adaptive"), "\(named.output)")
  }

  @Test("judges no more strokes than there is memory for")
  func tooLong() throws {
    let settings = try LoadedSettings(readingFrom: ConfigurationPlaces(folder)).settings
    let error = #expect(throws: CommandError.self) {
      try CalibrationResult(ofRecording: self.recording, by: settings, upTo: 20)
    }
    #expect(error?.description.contains("has more than 10 strokes") == true)
  }

  @Test("leaves no half of a file where files may not grow, and is not killed")
  func smallFiles() throws {
    let run = try Command(
      arguments: ["calibrate", "--from", recording, "--config", folder, "--apply"],
      // Whoever runs the tests may ignore the signal.
      by: [
        "/usr/bin/env", "--default-signal=XFSZ",
        "/bin/sh", "-c", "ulimit -f 0; exec \"$@\" >/dev/null 2>&1", "sh",
      ])
    #expect(run.status == 1)
    let files = try FileManager.default.contentsOfDirectory(atPath: folder + "/calibrated.d")
    #expect(files.isEmpty)
  }

  @Test("ends with the codes of the other commands")
  func statuses() throws {
    let broken = fixture("recordings/backwards.evemu")
    #expect(try Command("calibrate", "--from", broken).status == 65)
    #expect(try Command("calibrate", "keyboard", "--from", broken).status == 64)
    #expect(try Command("calibrate", "--passive", "--from", broken).status == 64)
    #expect(try Command("calibrate", "--key", "KEY_E", "--from", broken).status == 64)
    #expect(try Command("calibrate", "--from", "/nowhere").status == 1)
    let missing = try Command("calibrate", "/dev/input/no-such-device")
    #expect(missing.status == 1)
    #expect(missing.errors.contains("there is no device"))
  }
}

/// A recording of a key that bounces in every third stroke.
enum WornRecording {
  static let identity = "N: worn keyboard\nI: 0003 0001 0002 0000\n"

  static func text(_ identity: String = identity) -> String {
    var text = "# EVEMU 1.3\n" + identity
    var now = 0
    func stroke(_ key: String, _ times: [Int]) {
      for (index, time) in (times + [300]).enumerated() {
        let fraction = String(now % 1000 * 1000)
        let stamp =
          "\(now / 1000).\(String(repeating: "0", count: 6 - fraction.count))\(fraction)"
        text += "E: \(stamp) 0001 \(key) \(index % 2 == 0 ? "0001" : "0000")\n"
        text += "E: \(stamp) 0000 0000 0000\n"
        now += time
      }
    }
    for index in 0..<60 {
      stroke("001e", [90])
      stroke("0012", index % 3 == 0 ? [8, 6, 80] : [85])
    }
    return text
  }

  /// A folder with settings that let that through, and the recording `worn.evemu`.
  static func folder() throws -> Folder {
    try Folder(["keydebounce.toml": "[defaults]\nstrategy = \"none\"\n", "worn.evemu": text()])
  }
}
