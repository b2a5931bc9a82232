import Foundation
@testable import Notices
import Testing

@Suite("The terminal in which the status is shown")
struct TerminalProgramTests {
  /// A folder with programs of these names.
  private func withPrograms(_ names: [String], _ body: (String) throws -> Void) throws {
    let folder = NSTemporaryDirectory() + "programs-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for name in names {
      _ = FileManager.default.createFile(
        atPath: "\(folder)/\(name)", contents: Data(), attributes: [.posixPermissions: 0o755])
    }
    try body(folder)
  }

  @Test("is the preferred one, or the first that is there")
  func choice() throws {
    try withPrograms(["xterm", "konsole", "mine"]) { folder in
      func first(_ preferred: String?) -> [String]? {
        TerminalProgram.first(preferred: preferred, path: "/nowhere:\(folder)")?.arguments
      }
      #expect(first(nil) == ["\(folder)/konsole", "-e"])
      #expect(first("") == ["\(folder)/konsole", "-e"])
      #expect(first("mine") == ["\(folder)/mine", "-e"])
      #expect(first("\(folder)/mine") == ["\(folder)/mine", "-e"])
      // One that is not there.
      #expect(first("gnome-terminal") == ["\(folder)/konsole", "-e"])
    }
    try withPrograms(["xdg-terminal-exec", "gnome-terminal"]) { folder in
      #expect(
        TerminalProgram.first(preferred: nil, path: folder)?.arguments
          == ["\(folder)/xdg-terminal-exec"])
      #expect(
        TerminalProgram.first(preferred: "gnome-terminal", path: folder)?.arguments
          == ["\(folder)/gnome-terminal", "--"])
    }
    try withPrograms([]) { folder in
      #expect(TerminalProgram.first(preferred: "xterm", path: folder) == nil)
    }
  }

  @Test("stays until it was read, whatever the program is called")
  func call() throws {
    let call = TerminalProgram(arguments: ["/usr/bin/env"]).call(
      showingStatusWith: "/bin/e\"c $(ho")
    #expect(call.last == "/bin/e\"c $(ho" && call[1...2] == ["/bin/sh", "-c"])
    #expect(call[3].contains(#""$1" status"#) && call[3].contains("read"))
  }
}
