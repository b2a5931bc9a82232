import Foundation
import Samples
import Testing

@Suite("The command line")
struct CommandLineTests {
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
  }

  @Test(
    "has every error begin one way",
    arguments: [
      ["check", "--confg"], ["record"], ["monitor", "a", "--from", "b"], ["replay", "/nowhere"],
      ["calibrate", "--key", "KEY_EE"], ["keys", "no such key"], ["nosuch"], ["status", "--from"],
    ])
  func beginning(arguments: [String]) throws {
    let run = try Command(arguments: arguments)
    #expect(run.status != 0)
    #expect(run.errors.hasPrefix("keydebounce: error: "), "\(run.errors)")
    #expect(!run.errors.contains("Error:"))
  }

  enum Shell: String, CaseIterable {
    case bash, zsh, fish

    var isInstalled: Bool {
      ["/bin/", "/usr/bin/"].contains {
        FileManager.default.isExecutableFile(atPath: $0 + rawValue)
      }
    }

    /// A script that prints, a line each, how the shell completes a command line that ends in a tab; of zsh, which completes
    /// on a terminal alone, the command line that it makes of it.
    func script(completing words: [String], by file: String) -> String {
      let line = (["keydebounce"] + words).joined(separator: " ")
      return switch self {
      case .bash:
        """
        . \(file)
        COMP_LINE='\(line)'; COMP_POINT=${#COMP_LINE}; COMP_WORDS=(\(line)); COMP_CWORD=\(words.count)
        _keydebounce keydebounce '\(words.last ?? "")' '\(words.dropLast().last ?? "keydebounce")'
        printf '%s\\n' "${COMPREPLY[@]}"
        """
      case .fish: "source \(file); complete --do-complete '\(line)'"
      case .zsh:
        """
        zmodload zsh/zpty; zpty shell zsh -f -i
        zpty -w shell 'PS1= RPS1= ; autoload -Uz compinit; compinit -u -D; . \(file)'
        zpty -w shell 'keydebounce() { [[ $1 = ---completion ]] && command keydebounce "$@" || print -r -- "<""<$*>"">"; }'
        zpty -w shell $'\(line)\\t'; zpty -w shell 'exit'
        zpty -r shell text '*<<*>>*' && print -r -- "$text"
        """
      }
    }
  }

  @Test(
    "is completed by bash, zsh and fish", arguments: Shell.allCases.filter(\.isInstalled),
    [
      (["stat"], "status"), (["help", "cali"], "calibrate"),
      (["calibrate", "--key", "KEY_LEFTSH"], "KEY_LEFTSHIFT"), (["keys", "BTN_LEF"], "BTN_LEFT"),
      (["status", "--key", "KEY_SEMI"], "KEY_SEMICOLON"),
    ])
  func completion(shell: Shell, case: (words: [String], expected: String)) throws {
    let completions = try Command("--generate-completion-script", shell.rawValue)
    let folder = try Folder(["_keydebounce": completions.output])
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments =
      [shell.rawValue] + (shell == .zsh ? ["-f"] : [])
      + ["-c", shell.script(completing: `case`.words, by: folder.path + "/_keydebounce")]
    let path = Command.program.deletingLastPathComponent().path
    process.environment = ProcessInfo.processInfo.environment.merging([
      "PATH": path + ":/usr/bin:/bin", "HOME": folder.path, "TERM": "dumb", "LC_ALL": "C.UTF-8",
    ]) { $1 }
    let output = Pipe()
    process.standardOutput = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let words = text.split { $0.isWhitespace || "<>".contains($0) }
    #expect(words.contains(`case`.expected[...]), "\(text)")
  }
}
