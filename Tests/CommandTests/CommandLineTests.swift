import Configuration
import Foundation
import Samples
import TestMachine
import Testing

@testable import keydebounce

@Suite("The command line")
struct CommandLineTests {
  @Test("completes no name of a device that a shell would not take as it stands")
  func hostileNames() {
    for name in ["Keychron K2", "Tästatur 2.4G", "/dev/input/by-id/usb-A_B-event-kbd", "漢字"] {
      #expect(NamedDevices.isPlain(name), "\(name)")
    }
    for name in [
      "", "Kbd $(touch x)", "a`b`", "a;b", "<(x)", "{a,b}", "a*", "~a", "\"a", "a:b", "a\\b",
    ] {
      #expect(!NamedDevices.isPlain(name), "\(name)")
    }
  }

  @Test(
    "names the nearest command for one that there is not",
    arguments: [("stauts", "status"), ("calibrat", "calibrate"), ("Check", "check")])
  func misspelt(word: String, meant: String) throws {
    let run = try Command(word, "--help")
    #expect(run.status == 64)
    #expect(
      run.errors.hasPrefix(
        "keydebounce: error: no command is called “\(word)”; did you mean “\(meant)”?\n"),
      "\(run.errors)")
    #expect(
      try Command("frobnicate").errors.hasPrefix(
        "keydebounce: error: no command is called “frobnicate”\n"))
    #expect(try Command("help", "status").status == 0)
    #expect(try Command("help", "frobnicate").errors.contains("no command is called “frobnicate”"))
  }

  @Test(
    "has every error begin one way, write nothing else, and end with the code of its kind",
    arguments: [
      (["nosuch"], 64), (["check", "--confg"], 64), (["check", "-", "--config", "x"], 64),
      (["record"], 64), (["record", "/dev/input/event0"], 64),
      (["monitor", "a", "--from", "b"], 64), (["replay"], 64), (["pause", "--for", "367d"], 64),
      (["calibrate", "--key", "KEY_EE"], 64), (["status", "--from"], 64),
      (["status", "--key", "KEY_E"], 64), (["status", "--history", "--keyboard"], 64),
      (["status", "--history", "--reset", "x"], 64), (["status", "--reset", "x", "--json"], 64),
      (["status", "--reset", "x", "--all"], 64), (["replay", "/nowhere"], 1), (["replay", "/"], 1),
      (["monitor", "--from", "/nowhere"], 1), (["status", "--from", "/nowhere"], 1),
      (["keys", "--device", "/dev/input/no-such-device"], 1),
      (["monitor", "/dev/input/no-such-device"], 1),
      (["replay", "--json", recording("backwards")], 65),
      (["replay", recording("run"), "--config", "/nowhere"], 78),
    ] as [([String], CInt)])
  func beginning(arguments: [String], status: CInt) throws {
    let run = try Command(arguments: arguments)
    #expect(run.status == status && run.output == "")
    #expect(run.errors.hasPrefix("keydebounce: error: "), "\(run.errors)")
    #expect(!run.errors.contains("Error:"))
    if arguments.contains("/nowhere"), status == 1 {
      let words = "keydebounce: error: cannot read /nowhere: No such file or directory\n"
      #expect(run.errors == words)
    }
  }

  @Test(
    "shows all mistakes of a configuration, each with the line of its file, and ends with 78",
    arguments: [["list"], ["monitor"], ["replay", recording("run")]])
  func mistakes(arguments: [String]) throws {
    let mistakes = deviceFile("mistakes")
    let run = try Command(arguments: arguments + ["--config", mistakes])
    #expect(run.status == 78 && run.output == "")
    let lines = run.errors.split(separator: "\n")
    #expect(lines.count { $0.hasPrefix("keydebounce: error: \(mistakes):") } == 7)
    #expect(lines.count == 21)
  }

  @Test(
    "breaks errors between words on a terminal, and only there",
    arguments: [
      ["run", "--config", "/nowhere/at/all"], ["run", "--device", "/nowhere/at/all"],
      ["replay", "/nowhere/at/all"], ["calibrate", "--from", "/nowhere/at/all"],
      ["calibrate", "--key", "KEY_EE", "--from", "x"], ["status", "--from", "/nowhere/at/all"],
      ["nosuch"],
    ])
  func terminal(arguments: [String]) throws {
    let whole = try Command(arguments: arguments, environment: ["LC_ALL": "C.UTF-8"]).errors
    let terminal = try PseudoTerminal()
    terminal.resize(columns: 40, rows: 24)
    let call = try WatchingProcess(
      ["TERM=xterm", "LC_ALL=C.UTF-8", Command.program.path] + arguments, on: terminal,
      isAsking: true, program: "/usr/bin/env")
    #expect(try call.waitForEnd() != 0)
    let shown = call.shownSoFar().split(whereSeparator: \.isNewline)
    #expect(shown.count > 1 && shown[0].hasPrefix("keydebounce: error: "), "\(shown)")
    // The last one is ArgumentParser's, and indented.
    #expect(shown.allSatisfy { $0.count <= 40 || $0.hasPrefix("  See ") }, "\(shown)")
    func words(_ text: String) -> [Substring] { text.split(whereSeparator: \.isWhitespace) }
    // `run` says in a log what is beside the places of errors on a terminal.
    #expect(words(whole).starts(with: words(shown.joined(separator: " "))), "\(whole)")
  }

  @Test("breaks no message of a command that is to be plain")
  func plain() throws {
    let terminal = try PseudoTerminal()
    terminal.resize(columns: 40, rows: 24)
    let call = try WatchingProcess(
      [
        "TERM=xterm", "LC_ALL=C.UTF-8", Command.program.path, "status", "--plain", "--from",
        "/nowhere/at/all",
      ], on: terminal, isAsking: true, program: "/usr/bin/env")
    #expect(try call.waitForEnd() != 0)
    #expect(call.shownSoFar().contains("cannot read /nowhere/at/all: No such file or directory"))
  }

  enum Shell: String, CaseIterable {
    case bash, zsh, fish

    var isInstalled: Bool {
      ["/bin/", "/usr/bin/"].contains {
        FileManager.default.isExecutableFile(atPath: $0 + rawValue)
      }
    }

    /// How it is started for a person, without any settings.
    var call: String {
      switch self {
      case .bash: "bash --norc -i"
      case .zsh: "zsh -f -i"
      case .fish: "fish --no-config -i"
      }
    }

    /// A line that has it complete by a script, and a command shown that would be run.
    func preparation(_ script: String) -> String {
      let shown =
        "keydebounce() { [[ $1 = ---completion ]] && command keydebounce \"$@\" || echo \"<<$*>>\"; }"
      return switch self {
      case .bash: ". \(script); \(shown)"
      case .zsh: "autoload -Uz compinit; compinit -u -D; . \(script); \(shown)"
      case .fish: "source \(script); function keydebounce; echo \"<<$argv>>\"; end"
      }
    }
  }

  @Test(
    "is completed by bash, zsh and fish, on a terminal",
    arguments: Shell.allCases.filter(\.isInstalled))
  func completion(shell: Shell) throws {
    let script = try Command("--generate-completion-script", shell.rawValue).output
    let folder = try Folder(["_keydebounce": script])
    let words = [
      "stat": "status", "calibrate --key KEY_LEFTSH": "calibrate --key KEY_LEFTSHIFT",
      "status --key KEY_SEMI": "status --key KEY_SEMICOLON",
    ]
    let typed =
      [shell.preparation(folder.path + "/_keydebounce")]
      + words.keys.map { "keydebounce \($0)\t" } + ["exit", ""]
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/script")
    process.arguments = ["-qec", shell.call, "/dev/null"]
    let path = Command.program.deletingLastPathComponent().path
    process.environment = [
      "PATH": path + ":/usr/bin:/bin", "HOME": folder.path, "TERM": "dumb", "LC_ALL": "C.UTF-8",
    ]
    let (input, output) = (Pipe(), Pipe())
    (process.standardInput, process.standardOutput) = (input, output)
    try process.run()
    try input.fileHandleForWriting.write(contentsOf: Data(typed.joined(separator: "\n").utf8))
    try input.fileHandleForWriting.close()
    let shown = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let ran = shown.matches(of: /<<([^<>$]*)>>/).map { String($0.1).withoutBlanksAtEnds }
    #expect(Set(ran) == Set(words.values), "\(shown)")
  }
}
