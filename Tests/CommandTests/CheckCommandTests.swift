import Configuration
import Debounce
import Foundation
import Samples
import Terminal
import TestMachine
import Testing

@testable import keydebounce

@Suite("keydebounce check")
struct CheckCommandTests {
  private static let shipped = project.appending(path: "packaging/configuration")

  /// What the packaged strategy costs, below the line of a key.
  private let adaptive = """
        a press soon after a release comes 25 ms late, and is lost if shorter
        on a bad key every release comes 25 ms late, and a key that is pressed again within 25 ms loses that press
        on a bad key a press within 60 ms of the key's last release comes late, and is lost if it is short
    """

  /// What is said besides notes, which are about the devices of the machine that runs the tests.
  private func errors(_ run: Command) -> String {
    run.errors.replacing(/.*: note: .*\n(?: {4}.*\n)*/, with: "")
  }

  @Test("reads standard input: a device file, or one with defaults")
  func input() throws {
    func check(_ text: String) throws -> (CInt, String) {
      let run = try Command("check", "-", "--verbose", input: Data(text.utf8))
      return (run.status, run.output + errors(run))
    }
    let device = try check("[device]\nname = \"K2\"\n[keys]\nKEY_E = 40")
    #expect(device.0 == 0 && device.1.contains("standard input: name “K2”\n"), "\(device)")
    let defaults = try check(" [defaults]\nthreshold = 60")
    #expect(defaults.0 == 0)
    #expect(defaults.1.contains("\nstandard input:2:13: warning: "), "\(defaults)")
    let wrong = try check("[keys]\nKEY_EE = 40")
    #expect(
      wrong.0 == 78 && wrong.1.hasPrefix("standard input:2:1: error: unknown key"), "\(wrong)")
    let bytes = try Command("check", "-", input: Data([0x5b, 0xff]))
    #expect(bytes.status == 78 && bytes.errors.contains("not text"))
  }

  @Test("says nothing of the folder that is installed")
  func installed() throws {
    let file = Self.shipped.appending(path: "keydebounce.toml")
    let folder = try Folder(["keydebounce.toml": String(contentsOf: file, encoding: .utf8)])
    let run = try Command("check", "--config", folder.path)
    #expect((run.status, run.output, run.errors) == (0, "", ""))
  }

  @Test("says of a broken device file that nothing of it holds")
  func brokenDeviceFile() throws {
    let folder = try Folder(["devices.d/bad.toml": "[device\nname = \"B\"\n"])
    let run = try Command("check", "--verbose", "--config", folder.path)
    #expect(run.status == 78)
    #expect(run.output.hasPrefix("devices without a file: adaptive"), "\(run.output)")
    #expect(run.output.contains("bad.toml: nothing of it holds, because of its errors\n"))
  }

  @Test("ends with 78 on errors, and shows all of them as compilers do")
  func mistakes() throws {
    let run = try Command("check", "--config", deviceFile("mistakes"))
    #expect(run.status == 78)
    #expect(run.output == "")
    let lines = run.errors.split(separator: "\n")
    #expect(lines.count == 21)
    #expect(
      lines.prefix(3) == [
        """
        \(deviceFile("mistakes")):3:1: error: unknown name “nam”; did you mean “name”? Expected name, vendor, product, \
        version, phys, uniq, link, seat, property, ignore, virtual, panic, grab-after, clone-name or claim-links
        """, "    nam = \"Worn keyboard*\"", "    ^~~",
      ])
    // No colours where no terminal is.
    #expect(!run.errors.contains("\u{1b}"))
    #expect(try Command("check", deviceFile("mistakes")).errors == run.errors)
  }

  @Test("ends with 0 on warnings alone")
  func warnings() throws {
    let folder = try Folder([
      "10.toml": "[keys]\nKEY_E = { strategy = \"eager-defer\", threshold = 60 }"
    ])
    let path = folder.path + "/10.toml"
    let run = try Command("check", "--config", path)
    #expect(run.status == 0)
    #expect(
      errors(run) == """
        \(path):2:49: warning: “threshold” is 60, more than 50 ms: every release comes 60 ms late, and a \
        key that is pressed again within 60 ms loses that press
            KEY_E = { strategy = "eager-defer", threshold = 60 }
                                                            ^~

        """)
  }

  @Test("says what it has read if that is wanted")
  func verbose() throws {
    let run = try Command("check", "--verbose", "--config", deviceFile("desk-keyboard"))
    #expect(run.status == 0)
    #expect(errors(run) == "")
    let named = try #require(
      NamedKeyCost(of: .adaptive(Adaptive(threshold: 40_000, isNamed: true))))
    #expect(
      run.output == """
        devices without a file: adaptive
        \(adaptive.replacing("    ", with: "  "))
        \(deviceFile("desk-keyboard")): name “Worn keyboard*”, vendor 0x3434, product 0x0120
          all keys: adaptive
        \(adaptive)
          KEY_E: adaptive, bad from the start
            \(named.sentences.joined(separator: "\n    "))
          KEY_SPACE: eager-defer
            a key that is let go within 25 ms seems to be held that long, and a key that is pressed again within 25 ms \
        loses that press
            every release comes 40 ms late, and a key that is pressed again within 40 ms loses that press
          KEY_VOLUMEUP: none
          BTN_LEFT: eager-defer
            a key that is let go within 20 ms seems to be held that long, and a key that is pressed again within 20 ms \
        loses that press
            every release comes 20 ms late, and a key that is pressed again within 20 ms loses that press
          BTN_TRIGGER, BTN_THUMB: a press of one locks the others out for 500 ms

        """)
  }

  @Test("says what waits, for how long, and what is emitted then")
  func meanings() throws {
    let run = try Command("check", "--verbose", "--config", deviceFile("pedal"))
    #expect(run.status == 0)
    #expect(errors(run) == "")
    #expect(
      run.output.contains(
        """
            single press: BTN_0, waits until it is 250 ms after the press, or before another key that is pressed meanwhile
            double press: KEY_ENTER, with the second press, if that comes within 250 ms of the first
          BTN_1: adaptive
        \(adaptive)
            single press: BTN_1, waits until the key is let go and it is 250 ms after the press, or before another key \
        that is pressed meanwhile
            double press: KEY_NEXTSONG, with the second press, if that comes within 250 ms of the first
            long press: KEY_STOP, once the key has been down for 400 ms
          BTN_2: adaptive
        \(adaptive)
            single press: KEY_MUTE, at once
            double press: KEY_SPACE, with the second press, if that comes within 250 ms of the first; KEY_MUTE has been \
        pressed by then

        """.split(separator: "\n").joined(separator: "\n")), "\(run.output)")
  }

  @Test("says what waits of a wheel")
  func wheel() throws {
    let run = try Command("check", "--verbose", "--config", deviceFile("worn-wheel"))
    #expect(run.status == 0)
    #expect(
      run.output.contains(
        """
          wheel: a step back within 80 ms of the last one waits
          wheel: the first step after a rest of 320 ms comes up to 80 ms late

        """))
  }

  @Test("breaks its lines between words on a terminal, and only there")
  func terminal() throws {
    let problems = try #require(
      #expect(throws: ConfigurationErrors.self) {
        try LoadedSettings(readingFrom: deviceFile("mistakes"))
      }
    ).findings
    let narrow = problems.flatMap { $0.lines(on: Sheet(columns: 60)) }
    #expect(problems[0].lines(on: Sheet(columns: 60)).count > 3)
    // What cannot be broken is a path alone, or the line of the file.
    #expect(
      narrow.allSatisfy {
        $0.count <= 60 || $0.hasPrefix("    ") || $0.hasPrefix("/") && $0.hasSuffix(":")
      }, "\(narrow)")
    #expect(problems[0].lines(on: Sheet(columns: .max)).count == 3)
    let terminal = try PseudoTerminal()
    terminal.resize(columns: 40, rows: 24)
    let check = try WatchingProcess(
      ["check", "--verbose", "--config", deviceFile("desk-keyboard")], on: terminal,
      program: Command.program.path)
    #expect(try check.waitForEnd() == 0)
    let shown = check.shownSoFar().split(whereSeparator: \.isNewline)
    #expect(shown.contains("    a press within 96 ms of the key's"), "\(shown)")
    #expect(shown.allSatisfy { $0.count <= 40 || !$0.dropFirst(8).contains(" ") }, "\(shown)")
  }

  @Test("ends with 78 where no settings are read, as in a folder of device files")
  func nothing() throws {
    let folder = try Folder(["devices.d/10.toml": "[device]\nname = 7\n"])
    let deep = try Command("check", folder.path + "/devices.d")
    #expect(deep.status == 78)
    #expect(
      deep.errors.contains("/devices.d: no settings are read there; expected a device file, or "))
    let misnamed = try Folder(["devices.d/10-desk.conf": "[device]\n"])
    let config = try Command("check", "--config", misnamed.path)
    #expect(config.status == 78)
    #expect(config.errors.contains("/10-desk.conf: warning: is not read; expected a name that "))
    #expect(config.errors.contains("\(misnamed.path): no settings are read there; "))
  }

  @Test("notes that a file is about every keyboard")
  func everyKeyboard() throws {
    for (text, place) in [("", ""), ("[device]\n# name = \"K2\"\n", ":1:2")] {
      let folder = try Folder(["devices.d/10.toml": text + "[keys]\nKEY_E = 25\n"])
      let run = try Command("check", folder.path)
      #expect(run.status == 0)
      #expect(
        run.errors.contains(
          "/devices.d/10.toml\(place): note: no line in [device] says which device the file is about: it holds for "
            + "every keyboard that no other file is about\n"), "\(run.errors)")
    }
  }

  @Test("ends with 78 where nothing is that was asked for")
  func missing() throws {
    let missing = try Command("check", "--config", "/nowhere")
    #expect(missing.status == 78)
    #expect(missing.errors.hasPrefix("/nowhere: error: is not there; expected a folder with "))
    // A variable in a script may be unset.
    #expect(try Command("check", "").errors.hasPrefix("“”: error: is not there; "))
  }
}
