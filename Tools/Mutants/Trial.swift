import Glibc

/// Runs tests with a mutant chosen.
struct Trial {
  enum Outcome: Equatable {
    /// All tests passed.
    case survived
    /// A test failed, or the program crashed; which test was first, where that is known.
    case failed(String?)
    case tookTooLong
  }

  /// The program with the tests.
  let program: String

  /// Runs tests until the first of them fails.
  ///
  /// - Parameters:
  ///   - number: The mutant's number; 0 for none.
  ///   - filter: A pattern of the tests that are run.
  ///   - seconds: How long they may take, in time of the processor: other programs may be running beside them.
  ///   - reached: A file in which it is marked which mutants were reached.
  /// - Returns: What became of them, and how long they took, in seconds of the processor.
  func run(
    _ number: Int, filter: String, seconds: Double, reached: String? = nil
  ) throws -> (outcome: Outcome, seconds: Double) {
    let process = try TestProcess(
      program,
      ["--testing-library", "swift-testing", "--filter", filter, "--skip", Self.without],
      environment: [
        "KEYDEBOUNCE_MUTANT=\(number)", "KEYDEBOUNCE_STREAMS=10", "KEYDEBOUNCE_SEED=1",
        "KEYDEBOUNCE_EXHAUSTIVE=600", "SWIFT_BACKTRACE=enable=no",
      ] + (reached.map { ["KEYDEBOUNCE_REACHED=\($0)"] } ?? []))
    var outcome: Outcome?
    var unread = ""
    var stillness = Stillness()
    while outcome == nil {
      guard let text = process.read(milliseconds: 500) else { break }
      unread += text
      if let failure = Self.failure(in: unread) { outcome = .failed(failure) }
      unread = String(unread.suffix(1000))
      guard outcome == nil else { break }
      if process.seconds > seconds || (text.isEmpty && stillness.isOver(process)) {
        outcome = .tookTooLong
      }
    }
    let (status, used) = process.end(kill: outcome != nil)
    // A signal of its own, or an exit code.
    return (outcome ?? (status == 0 ? .survived : .failed(nil)), used)
  }

  /// The names of all tests but those that are left out.
  func tests() throws -> [String] {
    let process = try TestProcess(
      program, ["--testing-library", "swift-testing", "--list-tests"], environment: [])
    var text = ""
    while let more = process.read(milliseconds: -1) { text += more }
    guard process.end(kill: false).status == 0 else { throw Failure(description: text) }
    return text.split(separator: "\n").map(String.init).filter { name in
      name.contains(".") && !Scope.without.contains { name.contains($0) }
    }
  }

  private static let without = Scope.without.joined(separator: "|")

  /// The name of the first test that failed.
  private static func failure(in output: String) -> String? {
    guard let end = output.firstRange(of: " recorded an issue") else { return nil }
    let words = output[..<end.lowerBound].split(separator: "\n").last ?? ""
    guard let start = words.firstRange(of: "Test ") else { return String(words) }
    return String(words[start.upperBound...])
  }
}

/// How long a program has been doing nothing: one that waits for what never comes uses no time of the processor.
private struct Stillness {
  private var used = -1.0
  private var since = ContinuousClock.now

  mutating func isOver(_ process: TestProcess) -> Bool {
    if process.seconds != used || process.isRunnable {
      used = process.seconds
      since = .now
    }
    return since.duration(to: .now) > .seconds(60)
  }
}
