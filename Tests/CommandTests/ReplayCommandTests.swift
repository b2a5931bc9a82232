import Foundation
import Recording
import Samples
import Testing

@testable import keydebounce

@Suite("keydebounce replay")
struct ReplayCommandTests {
  @Test("writes the clean events as evemu does, and a summary elsewhere")
  func events() throws {
    let run = try Command("replay", recording("run"))
    #expect(run.status == 0)
    #expect(
      run.output == """
        E: 0.000000 0001 001e 0001
        E: 0.000000 0000 0000 0000
        E: 0.500000 0001 001e 0000
        E: 0.500000 0001 001f 0001
        E: 0.500000 0000 0000 0000
        E: 1.250000 0001 001f 0000
        E: 1.250000 0000 0000 0000

        """)
    #expect(
      run.errors == """
        keydebounce: “Worn keyboard”, with the packaged defaults: 6 events in; 3 presses in, 2 out; removed: \
        1 press bounce

        """)
    let piped = try Command(
      "replay", "-", input: Data(contentsOf: URL(filePath: recording("run"))))
    #expect(piped.status == 0 && piped.output == run.output)
  }

  @Test("emits what strokes mean, and reports what they meant")
  func meanings() throws {
    let (file, pedal) = (recording("meanings"), deviceFile("pedal"))
    let run = try Command("replay", file, "--config", pedal)
    #expect(run.status == 0)
    let keys: [String] = run.output.matches(of: #/ 0001 (\w{4}) 0001/#).map { String($0.1) }
    #expect(
      keys == [
        "0100", "0100", "001c", "0100", "001e", "0080", "0101", "00a3", "0071", "0039", "0100",
        "0100",
      ])
    #expect(
      run.errors.hasSuffix("; meant: 7 single presses, 3 double presses, 1 long press\n"),
      "\(run.errors)")
    let report = try Command("replay", file, "--config", pedal, "--json").output
    let first =
      #"{"decided_at":0.25,"emitted":"BTN_0","key":"BTN_0","meaning":"single","time":0}"#
    #expect(report.filter { !$0.isWhitespace }.contains(first), "\(report)")
    #expect(report.components(separatedBy: "\"meaning\" : \"double\"").count == 4)
    #expect(report.components(separatedBy: "\"emitted\" : \"KEY_STOP\"").count == 2)
    // A recording of a device without meanings has no such list.
    #expect(try !Command("replay", "--json", recording("run")).output.contains("meanings"))
  }

  @Test("leaves out a step of a wheel backwards, and says how many")
  func wheel() throws {
    let run = try Command(
      "replay", recording("wheel"), "--config", deviceFile("worn-wheel"))
    #expect(run.status == 0)
    #expect(run.errors.contains("; wheel: 4 steps removed"), "\(run.errors)")
    let report = try Command(
      "replay", "--json", recording("wheel"), "--config", deviceFile("worn-wheel"))
    #expect(try json(report.output)?["wheel_steps_removed"] as? Int == 4)
    // Without a setting, everything passes.
    let all = try Command("replay", recording("wheel"))
    #expect(all.output.components(separatedBy: " 0008 -001\n").count == 5)
  }

  @Test("reports as JSON, and nothing else")
  func report() throws {
    let run = try Command("replay", "--json", trace("kbdcheck-modelm-chatter"))
    #expect(run.status == 0)
    #expect(run.errors == "")
    #expect(
      try json(run.output)
        == json(
          """
          {
            "events_in": 18,
            "presses_in": 9,
            "presses_out": 7,
            "suppressed": [
              {"time": 0.581679, "key": "KEY_7", "class": "release-bounce", "gap": 11.758, "hold": 18.187},
              {"time": 2.783925, "key": "KEY_7", "class": "release-bounce", "gap": 12.047, "hold": 15.713}
            ]
          }
          """))
    // For people who look: a line each, and the numbers as they are.
    #expect(run.output.contains("\n      \"gap\" : 11.758,\n"))
  }

  private func json(_ text: String) throws -> NSDictionary? {
    try JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSDictionary
  }

  @Test("reports nothing suppressed, and what has no end, as JSON")
  func reportAtTheEdges() throws {
    let clean = try Command("replay", "--json", trace("x11libre-3451-xev"))
    #expect(try json(clean.output)?["suppressed"] as? [NSDictionary] == [])
    let open = try Command("replay", "--json", trace("invictus-ceed6af"))
    let presses = try json(open.output)?["suppressed"] as? [NSDictionary]
    #expect(presses?.contains { $0["gap"] as? Double == 16 && $0["hold"] is NSNull } == true)
  }

  @Test("takes the settings that the device would get, from a file or a folder")
  func configuration() throws {
    let file = try Command(
      "replay", recording("evemu-1.3"), "--config", deviceFile("eager-defer"))
    #expect(file.status == 0)
    // The release waits.
    #expect(file.output.contains("E: 0.338907 0001 001e 0000"))
    #expect(file.errors.contains("with the settings of \(deviceFile("eager-defer")): "))

    let other = try Command(
      "replay", trace("unshaky-40"), "--config", deviceFile("desk-keyboard"))
    #expect(other.status == 0)
    #expect(other.errors.contains("with the packaged defaults, as no device file matches: "))

    // One folder too deep.
    let deep = try Folder(["devices.d/10.toml": "[device]\nname = \"a\"\n"])
    let nothing = try Command("replay", trace("unshaky-40"), "--config", deep.path + "/devices.d")
    #expect(
      nothing.errors.contains("devices.d: no settings are read there; expected a device file, "))

    // It does not say what its device is called.
    let lines = Data("E: 1.5 1 30 1\nE: 1.5 0 0 0\n".utf8)
    let nameless = try Command("replay", "-", input: lines)
    #expect(nameless.errors.hasPrefix("keydebounce: “(no name)”, with the packaged defaults"))

    let folder = try Folder([
      "keydebounce.toml": "[defaults]\nstrategy = \"defer\"\nthreshold = 12.5"
    ])
    let defaults = try Command(
      "replay", trace("x11libre-3451-xev"), "--config", folder.path)
    #expect(
      defaults.output == """
        E: 0.012500 0001 0020 0001
        E: 0.012500 0000 0000 0000
        E: 0.114500 0001 0020 0000
        E: 0.114500 0000 0000 0000

        """)
    #expect(defaults.errors.contains(", with the defaults of \(folder.path)/keydebounce.toml: "))
    let alike = try Folder([
      "devices.d/10.toml": "[device]\nname = \"x11libre*\"",
      "devices.d/20.toml": "[device]\nname = \"*3451-xev\"",
    ])
    let tie = try Command("replay", trace("x11libre-3451-xev"), "--config", alike.path)
    #expect(tie.status == 78)
    #expect(tie.errors.contains("match “x11libre-3451-xev” equally well"))
    #expect(tie.output == "")
  }

  @Test("says that a recording breaks off")
  func brokenOff() throws {
    let run = try Command("replay", "--json", recording("cut-off"))
    #expect(run.status == 0 && run.output.contains("\"presses_in\""))
    #expect(run.errors.hasPrefix("keydebounce: \(recording("cut-off")):"), "\(run.errors)")
    #expect(run.errors.contains("breaks off"))
  }

  @Test(
    "reads a recording that is packed, and says what is wrong with a package",
    arguments: ["gzip", "xz", "zstd"])
  func packed(program: String) throws {
    let whole = recording("evemu-1.3")
    let folder = try packed(String(contentsOfFile: whole, encoding: .utf8), by: program)
    let path = folder.path + "/recording"
    let (plain, packed) = try (Command("replay", whole), Command("replay", path))
    #expect(packed.status == 0 && packed.output == plain.output && !plain.output.isEmpty)
    let bytes = try Data(contentsOf: URL(filePath: path))
    // No more than what says how it is packed.
    try bytes.prefix(20).write(to: URL(filePath: path))
    let broken = try Command("replay", path)
    #expect(broken.status == 65, "\(broken.errors)")
    #expect(
      broken.errors.contains("\(program) finds it broken, and could unpack nothing"),
      "\(broken.errors)")
  }

  @Test("reads a packed recording without root's rights")
  func packedForOthers() throws {
    let folder = try packed(text(ofStrokes: 1))
    let path = folder.path + "/recording"
    // Root without its capabilities is a user as others are.
    let caller = ["/usr/bin/setpriv", "--inh-caps=-all", "--bounding-set=-all"]
    let run = try Command(arguments: ["replay", path], by: geteuid() == 0 ? caller : [])
    #expect(run.status == 0 && !run.output.isEmpty, "\(run.errors)")
    let missing = try Command(arguments: ["replay", path], environment: ["PATH": folder.path])
    #expect(missing.status == 65 && missing.errors.contains("Install gzip"), "\(missing.errors)")
  }

  @Test("takes a pause in a run that was recorded for one, as monitor does")
  func paused() throws {
    func edges(_ edges: (Double, Int)...) -> String {
      edges.map { time, value in
        let stamp = String(format: "%.6f", time)
        return "E: \(stamp) 0001 001e \(value)\nE: \(stamp) 0000 0000 0\n"
      }.joined()
    }
    let text =
      "# EVEMU 1.3\nN: Worn keyboard\n" + edges((0, 1), (0.08, 0)) + "# paused: 0.200000\n"
      + edges((0.3, 1), (0.308, 0), (0.316, 1), (0.4, 0)) + "# resumed: 0.600000\n"
      + edges((0.8, 1), (0.808, 0), (0.816, 1), (0.9, 0))
    let sum = "5 presses in, 4 out; removed: 1 press bounce"
    for command in [["replay", "-"], ["monitor", "--from", "-"]] {
      let run = try Command(arguments: command, input: Data(text.utf8))
      #expect(run.status == 0 && run.errors.contains(sum), "\(command): \(run.errors)")
    }
  }

  @Test("reads what a package holds before the place where it is cut off, and says so")
  func packageCutOff() throws {
    let folder = try packed(text(ofStrokes: 10_000))
    let path = folder.path + "/recording"
    let bytes = try Data(contentsOf: URL(filePath: path))
    try bytes.prefix(bytes.count / 2).write(to: URL(filePath: path))
    let whole = try Command("replay", path)
    #expect(whole.status == 0, "\(whole.errors)")
    #expect(whole.errors.contains("\(path): gzip finds it broken, perhaps cut off"))
    let presses = whole.output.split(separator: "\n").count { $0.hasSuffix(" 0001") }
    #expect((1000..<10_000).contains(presses), "\(presses)")
  }

  @Test("reads a package only up to a limit: a small one may unpack to more than the memory holds")
  func packageLimit() throws {
    let text = text(ofStrokes: 10)
    let folder = try packed(text)
    let path = folder.path + "/recording"
    func read(upTo limit: Int) throws {
      var reader = try InputFile(path).recording(unpackedUpTo: limit)
      while try reader.next() != nil {}
    }
    try read(upTo: text.utf8.count)
    let error = #expect(throws: CommandError.self) { try read(upTo: text.utf8.count - 1) }
    #expect(error?.description.contains("when it is unpacked") == true)
  }

  @Test("ends with 65 on what is no recording, and says where it is from")
  func badRecording() throws {
    let empty = try Command("replay", "-")
    #expect(empty.status == 65)
    #expect(empty.errors.hasPrefix("keydebounce: error: standard input:1: found an empty file"))
    #expect(try Command("replay", "").errors.contains("cannot read “”: No such file"))
  }

  @Test("needs no more memory for a long recording than for a short one")
  func memory() throws {
    let short = try peakOfMemory(strokes: 1000)
    let long = try peakOfMemory(strokes: 10_000)
    // The long one has two megabytes of text.
    #expect(long - short < 1_000_000)
  }

  /// A folder with a recording, packed by a program.
  private func packed(_ text: String, by program: String = "gzip") throws -> Folder {
    let folder = try Folder(["plain": text])
    let script = "\(program) -c < \"$1/plain\" > \"$1/recording\""
    try Process.run(
      URL(filePath: "/bin/sh"), arguments: ["-c", script, "sh", folder.path]
    ).waitUntilExit()
    return folder
  }

  /// The most memory that a replay has used, in bytes.
  private func peakOfMemory(strokes: Int) throws -> Int {
    let process = Process()
    process.executableURL = Command.program
    process.arguments = ["replay", "-"]
    let input = Pipe()
    process.standardInput = input
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    defer { process.waitUntilExit() }
    try input.fileHandleForWriting.write(contentsOf: Data(text(ofStrokes: strokes).utf8))
    // A pipe holds little: almost all has been read by now. The process waits for more meanwhile.
    let status = try String(
      contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
    try input.fileHandleForWriting.close()
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    let kilobytes = try #require(line).filter { $0.isNumber }
    return try #require(Int(kilobytes)) * 1024
  }

  private func text(ofStrokes count: Int) -> String {
    var text = "N: Generated\n"
    for stroke in 0..<count {
      for (edge, value) in [(0, 1), (80_000, 0)] {
        let time = stroke * 200_000 + edge
        let stamp = "\(time / 1_000_000).\(String(time % 1_000_000 + 1_000_000).dropFirst())"
        text += "E: \(stamp) 0001 \(String(stroke % 50 + 2, radix: 16)) 000\(value)\n"
        text += "E: \(stamp) 0000 0000 0000\t# ------------ SYN_REPORT (0) ---------- +80ms\n"
      }
    }
    return text
  }
}
