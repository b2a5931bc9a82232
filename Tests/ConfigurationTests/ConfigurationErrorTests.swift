import Configuration
import Foundation
import Testing

@Suite("A mistake in the configuration")
struct ConfigurationErrorTests {
  @Test(
    "is shown with its line, what was expected, and what was probably meant",
    arguments: [
      (
        "[debounce]\ntreshold = 25",
        """
        2: unknown name “treshold”; expected strategy, threshold, flush, short, settle, \
        suspect, confirm, dropout, learn, within or spurious; did you mean “threshold”?
        """
      ),
      (
        "\n[debounc]\n",
        """
        2: unknown table “debounc”; expected [device], [debounce], [keys] or [groups]; \
        did you mean “debounce”?
        """
      ),
      (
        "threshold = 25",
        "1: unknown name “threshold”; expected the tables [device], [debounce], [keys] or [groups]"
      ),
      (
        "[defaults]\nthreshold = 25",
        "1: [defaults] has no place here; expected it in keydebounce.toml"
      ),
      (
        "[debounce]\nstrategy = \"eager_defer\"",
        """
        2: unknown strategy “eager_defer”; expected none, defer, eager, eager-defer, \
        prompt, confirm, adaptive or throttle; did you mean “eager-defer”?
        """
      ),
      (
        "[debounce]\nflush = \"some\"",
        "2: unknown flush rule “some”; expected modifiers, all or none"
      ),
      (
        "[debounce]\nstrategy = 3",
        """
        2: “strategy” is 3; expected strategy: none, defer, eager, eager-defer, prompt, \
        confirm, adaptive or throttle
        """
      ),
      (
        "[debounce]\nthreshold = \"25\"",
        "2: “threshold” is the string “25”; expected a number of milliseconds"
      ),
      ("[debounce]\nthreshold = -1", "2: “threshold” is -1; expected milliseconds from 0 to 1000"),
      (
        "[debounce]\nthreshold = 1000.001",
        "2: “threshold” is 1000.001; expected milliseconds from 0 to 1000"
      ),
      (
        "[debounce]\nthreshold = nan", "2: “threshold” is nan; expected milliseconds from 0 to 1000"
      ),
      (
        "[debounce]\nthreshold = inf", "2: “threshold” is inf; expected milliseconds from 0 to 1000"
      ),
      (
        "[debounce]\nthreshold = 2024-01-01",
        "2: “threshold” is a date or time; expected a number of milliseconds"
      ),
      ("[debounce]\nlearn = 0", "2: “learn” is 0; expected a whole number from 1 to 8"),
      ("[debounce]\nlearn = 1.5", "2: “learn” is 1.5; expected a whole number from 1 to 8"),
      (
        "[debounce]\nstrategy = \"throttle\"\nlatest = 1",
        "3: “latest” is 1; expected true or false"
      ),
      (
        "[debounce]\nquiet = 3",
        """
        2: “quiet” is no parameter of the strategy “adaptive”; expected short, settle, \
        suspect, confirm, dropout, learn, within or spurious
        """
      ),
      (
        "[debounce]\nstrategy = \"none\"\npress = 3",
        "3: “press” is no parameter of the strategy “none”; expected none"
      ),
      ("debounce = 3", "1: “debounce” is 3; expected a table"),
      (
        "[keys]\nKEY_SPCAE = 3",
        """
        2: unknown key “KEY_SPCAE”; expected a name of libevdev's, as KEY_E or \
        BTN_LEFT; did you mean “KEY_SPACE”?
        """
      ),
      (
        "[keys]\nspace = 3",
        """
        2: unknown key “space”; expected a name of libevdev's, as KEY_E or BTN_LEFT; \
        did you mean “KEY_SPACE”?
        """
      ),
      (
        "[keys]\nkey_e = 3",
        """
        2: unknown key “key_e”; expected a name of libevdev's, as KEY_E or BTN_LEFT; \
        did you mean “KEY_E”?
        """
      ),
      ("[keys]\nKEY_E = 1001", "2: “KEY_E” is 1001; expected milliseconds from 0 to 1000"),
      (
        "[keys]\nKEY_E = \"egaer\"",
        """
        2: unknown strategy “egaer”; expected none, defer, eager, eager-defer, prompt, \
        confirm, adaptive or throttle; did you mean “eager”?
        """
      ),
      (
        "[keys]\nKEY_E = true",
        "2: “KEY_E” is true; expected a threshold, a strategy, or a table of both and parameters"
      ),
      (
        "[keys]\nKEY_E = { relase = 40, strategy = \"defer\" }",
        """
        2: unknown name “relase”; expected strategy, threshold, press or release; did \
        you mean “release”?
        """
      ),
      (
        "[keys.KEY_E]\nstrategy = \"defer\"\nflush = \"all\"",
        "3: unknown name “flush”; expected strategy, threshold, press or release"
      ),
      (
        "[keys]\nBTN_SOUTH = 3\nBTN_A = 4",
        "2: “BTN_SOUTH” is the same key as “BTN_A”; expected each key once"
      ),
      (
        "[device]\nvendor = 0x10000",
        "2: “vendor” is 65536; expected a number from 0 to 0xffff, as 0x3434"
      ),
      (
        "[device]\nvendor = \"3434\"",
        "2: “vendor” is the string “3434”; expected a number from 0 to 0xffff, as 0x3434"
      ),
      (
        "[device]\nname = 3",
        "2: “name” is 3; expected a string, with * and ? for what may differ"
      ),
      (
        "[device]\nvendro = 3",
        """
        2: unknown name “vendro”; expected name, vendor, product, version, phys, uniq \
        or ignore; did you mean “vendor”?
        """
      ),
      (
        "[[groups]]\nkeys = [\"KEY_A\"]\nlockout = 3",
        "1: a group of fewer than two keys; expected “keys” with more"
      ),
      (
        "[[groups]]\nkeys = [\"KEY_A\", \"KEY_B\"]",
        "1: a group without “lockout”; expected milliseconds"
      ),
      (
        "[[groups]]\nkeys = [\n \"KEY_A\",\n 3, \"KEY_B\"]\nlockout = 3",
        "2: an element of “keys” is 3; expected the name of a key"
      ),
      (
        """
        [[groups]]\nkeys = [\"KEY_A\", \"KEY_B\"]\nlockout = 3\n[[groups]]\nlockout = \
        3\nkeys = [\"KEY_C\", \"KEY_B\"]
        """,
        "6: “KEY_B” is in a group already; expected each key in one group, once"
      ),
      (
        "[groups]\nlockout = 3",
        "1: “groups” is a table; expected a list of tables: [[groups]]"
      ),
      (
        "[[groups]]\nkeys = [\"KEY_A\", \"KEY_B\"]\nlockout = 3\nlocks = 3",
        "4: unknown name “locks”; expected keys or lockout"
      ),
    ])
  func mistake(toml: String, expected: String) throws {
    #expect(try problems(toml) == [expected])
  }

  @Test("of TOML's own is shown with the parser's line")
  func notTOML() throws {
    let found = try problems("[keys]\nKEY_E = = 3")
    #expect(found.count == 1)
    #expect(found.first?.hasPrefix("2: not TOML: ") == true)
    #expect(try problems("[keys]\nKEY_E = 3\nKEY_E = 4").first?.hasPrefix("3: not TOML: ") == true)
  }

  @Test(
    "may be one that TOML's parser cannot refuse",
    arguments: [
      "a = [}]", "a = [1,\t}]", "a = [{b = [}]}]", "[=]", "[.a]", "[é]", "[[é]]", "[\n]", "[#]",
      "\u{FEFF}[=]", "  [ =]", "[[",
    ])
  func fault(line: String) throws {
    let found = try problems("[keys]\n\(line)").first
    #expect(found?.hasPrefix("2: not TOML: ") == true)
    let alone = try problems(line).first
    #expect(alone?.hasPrefix("1: not TOML: ") == true)
    // What is wrong before it comes first.
    #expect(try problems("a = = 3\n\(line)").first?.hasPrefix("1: not TOML: ") == true)
  }

  @Test("may be that it is no text")
  func noText() throws {
    #expect(try problems("a = \"\u{0}\"") == [" found bytes that are no text; expected TOML"])
  }

  @Test("may be that it is not there")
  func missing() throws {
    let folder = try Folder(["keydebounce.toml": ""])
    #expect(
      folder.problems(in: "devices.toml")
        == ["devices.toml: cannot be read: No such file or directory"])
  }

  @Test("does not hide the others: all are shown, in order, from all files")
  func all() throws {
    let mistakes = try String(
      contentsOf: URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fixtures/devices/mistakes.toml"), encoding: .utf8)
    let folder = try Folder([
      "keydebounce.toml": "[default]", "devices.d/20.toml": mistakes,
      "devices.d/10.toml": "[keys]\nKEY_E = 40\nKEY_T = -1",
    ])
    let places = folder.problems().map { $0.prefix { $0 != " " } }
    #expect(
      places == [
        "keydebounce.toml:1:", "devices.d/10.toml:3:", "devices.d/20.toml:3:",
        "devices.d/20.toml:6:", "devices.d/20.toml:7:", "devices.d/20.toml:10:",
        "devices.d/20.toml:11:", "devices.d/20.toml:12:", "devices.d/20.toml:14:",
      ])
  }
}
