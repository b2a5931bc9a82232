import Foundation

/// Which tests reach which mutants, and how long they take.
struct Reach: Codable {
  /// Tests that are run together or not at all: a suite, or one test of a slow one.
  struct Part: Codable {
    /// The beginning of the names of its tests.
    let name: String
    /// In time of the processor, without what the program needs to start.
    let seconds: Double
    let mutants: Set<Int>
  }

  /// The quickest first.
  let parts: [Part]
  /// What the program needs to start, in seconds of the processor.
  let start: Double

  /// What takes longer, in seconds, is slow: the tests of such a suite are parts of their own, and each runs alone.
  static let slow = 2.0

  /// Runs all tests, a suite at a time, without a mutant.
  ///
  /// - Parameters:
  ///   - count: How many mutants there are.
  ///   - folder: For a file that is gone afterwards.
  init(_ trial: Trial, count: Int, in folder: URL, jobs: Int) throws {
    let tests = try trial.tests()
    let file = folder.appending(path: "reached-\(UUID().uuidString)").path
    let start = try trial.run(0, filter: "^none$", seconds: 600).seconds
    let suites = Dictionary(grouping: tests) { $0.split(separator: "/")[0] }
    @Sendable func part(_ name: String, _ job: Int) throws -> Part {
      let file = "\(file)-\(job)"
      _ = FileManager.default.createFile(atPath: file, contents: Data(count: count + 1))
      defer { try? FileManager.default.removeItem(atPath: file) }
      let (outcome, seconds) = try trial.run(
        0, filter: Self.pattern([name]), seconds: 3600, reached: file)
      guard outcome == .survived else {
        throw Failure(description: "“\(name)” fails without a mutant: \(outcome)")
      }
      let marks = try Data(contentsOf: URL(filePath: file))
      let mutants = marks.indices.filter { marks[$0] != 0 }
      return Part(name: name, seconds: max(0, seconds - start), mutants: Set(mutants))
    }
    let whole = try suites.keys.sorted().concurrent(jobs: jobs) { name, job in
      try part(String(name) + (suites[name] == [String(name)] ? "" : "/"), job)
    }
    let divided = whole.filter { part in
      part.seconds > Self.slow && tests.count { $0.hasPrefix(part.name) } > 1
    }.map(\.name)
    let split = try tests.filter { test in divided.contains { test.hasPrefix($0) } }
      .concurrent(jobs: jobs) { name, job in try part(name, job) }
    let parts = whole.filter { !divided.contains($0.name) } + split
    self.parts = parts.sorted { ($0.seconds, $0.name) < ($1.seconds, $1.name) }
    self.start = start
  }

  /// Tests that reach a mutant, in portions that are each run as a whole: what is quick first, and together.
  func portions(for mutant: Int) -> [[Part]] {
    var portions: [[Part]] = []
    var (sum, most) = (0.0, 0.2)
    for part in parts
    where part.mutants.contains(mutant) && !Scope.without.contains(where: part.name.contains) {
      if portions.isEmpty || sum + part.seconds > most || part.seconds > Self.slow {
        portions.append([])
        (sum, most) = (0, most * 3)
      }
      portions[portions.count - 1].append(part)
      sum += part.seconds
    }
    return portions
  }

  /// The pattern that only the names of these tests fit.
  static func pattern(_ names: [String]) -> String {
    let escaped = names.map { name in
      name.map { ".()+*?[]{}|^$\\".contains($0) ? "\\\($0)" : "\($0)" }.joined()
    }
    return "^(\(escaped.joined(separator: "|")))"
  }
}
