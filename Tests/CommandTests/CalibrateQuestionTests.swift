import Foundation
import Glibc
import Samples
import TestMachine
import Testing

@Suite("calibrate asks before it writes")
struct CalibrateQuestionTests {
  /// What is typed, whether the file is written then, and the exit code.
  private static let answers: [(typed: String, isWritten: Bool, status: CInt)] = [
    ("y\n", true, 0), ("Yes\n", true, 0), ("n\n", false, 0), ("\n", false, 0),
    ("yellow\n", false, 0), ("y\u{04}\u{04}", true, 0), ("\u{04}", false, 0),
    ("\u{03}", false, 128 + SIGINT), ("y\u{03}", false, 128 + SIGINT),
  ]

  @Test("and does so on a yes alone", arguments: answers.indices)
  func answer(_ index: Int) throws {
    let (typed, isWritten, status) = Self.answers[index]
    let files = try WornRecording.folder()
    let folder = files.path
    let terminal = try PseudoTerminal()
    let before = terminal.settings
    let calibrate = try WatchingProcess(
      [
        "calibrate", "--from", folder + "/worn.evemu", "--config", folder,
      ], on: terminal, isAsking: true, program: Command.program.path)
    let question = "Write \(folder)/calibrated.d/worn-keyboard-0001-0002.toml? [y/N] "
    try calibrate.waitForQuestion(endingIn: question)
    // Not before the answer.
    #expect(!FileManager.default.fileExists(atPath: folder + "/calibrated.d"))
    #expect(calibrate.shownSoFar().contains("+KEY_E = "))
    terminal.type(typed)
    #expect(try calibrate.waitForEnd() == status)
    #expect(FileManager.default.fileExists(atPath: folder + "/calibrated.d") == isWritten)
    let shown = calibrate.shownSoFar()
    #expect(shown.contains("keydebounce: written:") == isWritten, "\(shown)")
    if status == 0, !isWritten {
      #expect(shown.contains("keydebounce: nothing was written"), "\(shown)")
    }
    #expect(terminal.settings == before)
  }

  @Test("and not where nobody can be asked", arguments: [["--json"], []])
  func nobody(_ flags: [String]) throws {
    let files = try WornRecording.folder()
    let folder = files.path
    let run = try Command(
      arguments: [
        "calibrate", "--from", folder + "/worn.evemu", "--config", folder,
      ] + flags, input: Data("y\n".utf8))
    #expect(run.status == 0)
    #expect(!run.errors.contains("[y/N]"))
    #expect(run.errors.contains("nothing was written"))
    #expect(!FileManager.default.fileExists(atPath: folder + "/calibrated.d"))
  }
}
