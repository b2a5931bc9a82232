import Foundation
import Samples

/// A run of the built `keydebounce`.
struct Command {
  /// The exit code; a number above 128 means that a signal ended it.
  let status: CInt
  let output: String
  let errors: String

  /// Runs it to its end.
  init(_ arguments: String..., input: Data = Data()) throws {
    try self.init(arguments: arguments, input: input)
  }

  /// Runs it to its end.
  ///
  /// - Parameters:
  ///   - environment: What it finds in its environment besides ours.
  ///   - caller: A program that runs it, and that program's arguments.
  init(
    arguments: [String], environment: [String: String] = [:], input: Data = Data(),
    by caller: [String] = []
  ) throws {
    // To files: pipes would fill while nobody reads them.
    let folder = try Folder(["output": "", "errors": ""])
    let place = folder.path
    func path(_ name: String) -> String { "\(place)/\(name)" }
    try input.write(to: URL(filePath: path("input")))

    let process = Process()
    let words = caller + [Self.program.path] + arguments
    process.executableURL = URL(filePath: words[0])
    process.arguments = Array(words.dropFirst())
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = FileHandle(forReadingAtPath: path("input"))
    process.standardOutput = FileHandle(forWritingAtPath: path("output"))
    process.standardError = FileHandle(forWritingAtPath: path("errors"))
    try process.run()
    process.waitUntilExit()
    status =
      process.terminationReason == .exit
      ? process.terminationStatus : 128 + process.terminationStatus
    output = try String(contentsOfFile: path("output"), encoding: .utf8)
    errors = try String(contentsOfFile: path("errors"), encoding: .utf8)
  }

  /// The program, which is built beside the tests.
  static let program = URL(filePath: CommandLine.arguments[0])
    .deletingLastPathComponent().appending(path: "keydebounce")
}

// The paths of fixtures.
func trace(_ name: String) -> String { fixture("traces/\(name).evemu") }
func recording(_ name: String) -> String { fixture("recordings/\(name).evemu") }
func deviceFile(_ name: String) -> String { fixture("devices/\(name).toml") }
