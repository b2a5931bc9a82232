import Foundation

/// A run of the built `keydebounce`.
struct Command {
  /// The exit code; a number above 128 means that a signal ended it.
  let status: CInt
  let output: String
  let errors: String

  /// Runs it to its end.
  init(_ arguments: String..., input: Data = Data()) throws {
    // To files: pipes would fill while nobody reads them.
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "keydebounce-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    func file(_ name: String, _ contents: Data) throws -> URL {
      let url = folder.appending(path: name)
      try contents.write(to: url)
      return url
    }

    let process = Process()
    process.executableURL = Self.program
    process.arguments = arguments
    process.standardInput = try FileHandle(forReadingFrom: file("input", input))
    let output = try file("output", Data())
    let errors = try file("errors", Data())
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: errors)
    try process.run()
    process.waitUntilExit()
    status =
      process.terminationReason == .exit
      ? process.terminationStatus : 128 + process.terminationStatus
    self.output = try String(contentsOf: output, encoding: .utf8)
    self.errors = try String(contentsOf: errors, encoding: .utf8)
  }

  /// The program, which is built beside the tests.
  private static let program = URL(filePath: CommandLine.arguments[0])
    .deletingLastPathComponent().appending(path: "keydebounce")
}

/// The files of the tests.
let fixtures = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .appending(path: "Fixtures")
