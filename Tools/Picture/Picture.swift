import ArgumentParser
import Foundation

/// Makes a picture of what a terminal shows, for the documentation.
@main
struct Picture: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "picture",
    abstract: "Turns text with colours, as a terminal shows it, into an SVG.",
    discussion: """
      Reads what keydebounce writes to a terminal from standard input, and writes to standard output.
      """)

  @Option(help: "What stands at the top of the window.")
  var title = ""

  func run() throws {
    let text = String(decoding: FileHandle.standardInput.readDataToEndOfFile(), as: UTF8.self)
    let picture = TerminalPicture(of: Screen(text), title: title)
    FileHandle.standardOutput.write(Data(picture.svg.utf8))
  }
}
