import Foundation
import Samples
import Testing

@Suite("Where the locale is not UTF-8")
struct LocaleTests {
  private static let calls = [
    ["status", "--help"], ["calibrate", "--help"], ["calibrate", "--key", "é"], ["monitor", "--é"],
    ["replay", "/nowhere/é"], ["check", "--config", deviceFile("mistakes")],
  ]

  @Test("help, errors and messages have plain quotes and signs", arguments: calls)
  func plain(_ arguments: [String]) throws {
    let plain = try Command(arguments: arguments, environment: ["LC_ALL": "C"])
    let text = plain.output + plain.errors
    #expect(!text.isEmpty)
    #expect(text.utf8.allSatisfy { $0 < 0x80 }, "\(text)")
    let full = try Command(arguments: arguments, environment: ["LC_ALL": "C.UTF-8"])
    #expect(full.status == plain.status)
    #expect(!(full.output + full.errors).utf8.allSatisfy { $0 < 0x80 })
  }

  @Test("the line of a file is shown with its own bytes, and the marker below them")
  func bytes() throws {
    let folder = try Folder(["a.toml": "[device]\nname = “x”\n"])
    for command in ["check", "list"] {
      let plain = try Command(
        arguments: [command, "--config", folder.path + "/a.toml"], environment: ["LC_ALL": "C"])
      #expect(
        plain.errors.contains(
          #"    name = \xe2\x80\x9cx\xe2\x80\x9d"# + "\n           ^~~~~~~~~~~~~~~~~~~~~~~~~\n"),
        "\(plain.errors)")
    }
  }

  @Test("completion scripts and the source of the manual are the same")
  func generated() throws {
    for argument in ["--generate-completion-script=zsh", "--experimental-dump-help"] {
      let plain = try Command(arguments: [argument], environment: ["LC_ALL": "C"])
      let full = try Command(arguments: [argument], environment: ["LC_ALL": "C.UTF-8"])
      #expect(plain.status == 0 && !plain.output.isEmpty)
      #expect(plain.output == full.output)
    }
  }
}
