import Foundation

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
  /// - Parameter environment: What it finds in its environment besides ours.
  init(
    arguments: [String], environment: [String: String] = [:], input: Data = Data()
  ) throws {
    // To files: pipes would fill while nobody reads them.
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "keydebounce-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    func path(_ name: String) -> String { folder.appending(path: name).path }
    try input.write(to: folder.appending(path: "input"))

    for name in ["output", "errors"] {
      try Data().write(to: folder.appending(path: name))
    }
    let process = Process()
    process.executableURL = Self.program
    process.arguments = arguments
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

/// The files of the tests.
let fixtures = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .appending(path: "Fixtures")
