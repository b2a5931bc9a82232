import Foundation

/// The package's folder.
public let project = URL(filePath: #filePath).deletingLastPathComponent()
  .deletingLastPathComponent().deletingLastPathComponent()

/// The files of the tests.
public let fixtures = project.appending(path: "Tests/Fixtures")

/// The path of a file in ``fixtures``.
public func fixture(_ path: String) -> String { fixtures.appending(path: path).path }

/// The text that a file in ``fixtures`` has.
///
/// - Parameter text: What is written to the file before, with `KEYDEBOUNCE_WRITE_FIXTURES` in the environment: git then
///   shows what a change does to it.
public func fixture(_ path: String, rewrittenAs text: String) throws -> String {
  let file = fixtures.appending(path: path)
  if ProcessInfo.processInfo.environment["KEYDEBOUNCE_WRITE_FIXTURES"] != nil {
    try Data(text.utf8).write(to: file)
  }
  return try String(contentsOf: file, encoding: .utf8)
}
