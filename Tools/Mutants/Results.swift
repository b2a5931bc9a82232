import Foundation
import Synchronization

/// What became of each mutant, in a file, so that a campaign that was stopped goes on.
///
/// A mutant that was killed stays so until its file changes; one that survived is tried again when a test has changed.
final class Results: Sendable {
  enum Outcome: String {
    case killed
    case survived
    /// The quick tests do not notice it; the slow ones have not been run.
    case doubtful
    /// No test reaches it.
    case unreached
  }

  private struct Line {
    let outcome: Outcome
    let program: String
    let by: String
  }

  private let file: URL
  private let program: String
  private let lines: Mutex<[String: Line]>

  /// - Parameter program: What tells one build of the tests from another.
  init(_ file: URL, program: String) throws {
    self.file = file
    self.program = program
    let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    var lines: [String: Line] = [:]
    for line in text.split(separator: "\n") {
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      guard fields.count == 4, let outcome = Outcome(rawValue: fields[1]) else { continue }
      lines[fields[0]] = Line(outcome: outcome, program: fields[2], by: fields[3])
    }
    self.lines = Mutex(lines)
  }

  func outcome(of mutant: Mutant) -> Outcome? {
    lines.withLock { lines in
      guard let line = lines[mutant.identity] else { return nil }
      return line.outcome == .killed || line.program == program ? line.outcome : nil
    }
  }

  /// - Parameter by: What noticed it.
  func note(_ outcome: Outcome, of mutant: Mutant, by: String) throws {
    let by = String(by.map { $0.isWhitespace ? " " : $0 })
    let line = Line(outcome: outcome, program: program, by: by)
    try lines.withLock { lines in
      lines[mutant.identity] = line
      let text = "\(mutant.identity)\t\(outcome.rawValue)\t\(program)\t\(by)\n"
      if !FileManager.default.fileExists(atPath: file.path) {
        _ = FileManager.default.createFile(atPath: file.path, contents: nil)
      }
      let handle = try FileHandle(forWritingTo: file)
      try handle.seekToEnd()
      try handle.write(contentsOf: Data(text.utf8))
      try handle.close()
    }
  }
}
