import ArgumentParser
import Foundation

/// Changes the program in one place at a time, and shows which changes no unit test notices.
@main struct Mutants: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Changes one operator, constant or condition at a time, and runs the unit tests.",
    subcommands: [Write.self, Run.self])

  struct Write: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Writes a copy of the package with all mutants in it.")

    @Argument(help: "The folder of the copy.")
    var folder: String

    func run() throws {
      let copy = try Copy(of: Mutants.package, Scope.all)
      try copy.write(from: Mutants.package, to: URL(filePath: folder))
      for (scope, mutants) in copy.mutants { print("\(scope.name): \(mutants.count) mutants") }
    }
  }

  struct Run: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Runs the tests of the copy that reach a mutant, once for each of them.",
      discussion: """
        What becomes of each is kept in FOLDER/results, so that a run that was stopped goes on.
        """)

    @Argument(help: "The folder of the copy.")
    var folder: String

    @Option(help: "The program with the tests.")
    var tests: String

    @Option(help: "What is changed: engine, lifecycle, selection, clone; all without.")
    var scope: [String] = []

    @Option(help: "How many run at once.")
    var jobs = 2

    @Option(help: "Which share of the mutants, in percent, must be noticed.")
    var least = 95.0

    @Flag(help: "Runs no tests, and prints what is known from before.")
    var known = false

    func run() throws {
      TestProcess.limit()
      let folder = URL(filePath: folder, directoryHint: .isDirectory)
      let copy = try Copy(of: Mutants.package, Scope.all)
      let all = copy.mutants.flatMap(\.mutants)
      let equals = Equals(
        try String(
          contentsOf: Mutants.package.appending(path: "Tools/Mutants/equal"), encoding: .utf8))
      let trial = Trial(program: URL(filePath: tests).path)
      let attributes = try FileManager.default.attributesOfItem(atPath: tests)
      let time = attributes[.modificationDate] as? Date
      let results = try Results(
        folder.appending(path: "results"),
        program: "\(time?.timeIntervalSince1970 ?? 0)-\(attributes[.size] ?? 0)")
      let chosen = copy.mutants.filter { scope.isEmpty || scope.contains($0.scope.name) }
      if !known {
        report("recording which tests reach what (a minute or two)")
        let reach = try Reach(trial, count: all.count, in: folder, jobs: jobs)
        let campaign = Campaign(trial, reach, results, equals, jobs: jobs)
        // The small ones first.
        for (_, mutants) in chosen.sorted(by: { $0.mutants.count < $1.mutants.count }) {
          try campaign.run(mutants)
        }
      }
      let tallies = chosen.map { Tally(scope: $0.scope.name, $0.mutants, results, equals) }
      for tally in tallies { report("\(tally)") }
      let stale = equals.stale(among: all)
      for entry in stale { report("no such mutant any more: \(entry)") }
      guard stale.isEmpty, tallies.allSatisfy({ $0.share >= least && $0.mistaken.isEmpty }) else {
        throw ExitCode.failure
      }
    }
  }

  private static var package: URL {
    URL(filePath: FileManager.default.currentDirectoryPath, directoryHint: .isDirectory)
  }
}
