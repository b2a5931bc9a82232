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

/// The mutants that nothing can notice: `Tools/Mutants/equal`.
///
/// An entry is four lines and an empty one: the file, the line of source, the change, and for people why it changes nothing.
struct Equals {
  struct Entry: Hashable {
    var file: String
    var text: String
    /// As ``Mutant/summary``, with the number of the occurrence in its line after a `#` if it is not the first.
    var change: String
  }

  private let entries: [Entry]

  init(_ text: String) {
    let blocks = text.split(separator: "\n", omittingEmptySubsequences: false).split(separator: "")
    entries = blocks.map { $0.filter { !$0.hasPrefix("#") } }.filter { $0.count >= 4 }.map {
      let lines = $0.map { $0.trimmingCharacters(in: .whitespaces) }
      return Entry(file: lines[0], text: lines[1], change: lines[2])
    }
  }

  func contains(_ mutant: Mutant) -> Bool { entries.contains(mutant.entry) }

  /// The entries that fit no mutant any more.
  func stale(among mutants: [Mutant]) -> [Entry] {
    let fitting = Set(mutants.map(\.entry))
    return entries.filter { !fitting.contains($0) }
  }
}

extension Mutant {
  fileprivate var entry: Equals.Entry { .init(file: file, text: text, change: key) }

  /// The change, so that it can be told from others of its line.
  var key: String { occurrence == 1 ? summary : "\(summary) #\(occurrence)" }
}

/// What became of the mutants of one scope.
struct Tally: CustomStringConvertible {
  let scope: String
  private(set) var killed = 0
  private(set) var equal = 0
  /// Those that no test notices, and of which nobody has said why.
  private(set) var survivors: [(mutant: Mutant, outcome: Results.Outcome)] = []
  /// Those that are said to be equal, and that a test notices.
  private(set) var mistaken: [Mutant] = []

  init(scope: String, _ mutants: [Mutant], _ results: Results, _ equals: Equals) {
    self.scope = scope
    for mutant in mutants {
      let isEqual = equals.contains(mutant)
      switch results.outcome(of: mutant) {
      case nil: continue
      case .killed?:
        killed += isEqual ? 0 : 1
        if isEqual { mistaken.append(mutant) }
      case let outcome?:
        if isEqual { equal += 1 } else { survivors.append((mutant, outcome)) }
      }
    }
  }

  /// How many percent were noticed, of those that can be.
  var share: Double {
    killed + survivors.count == 0 ? 100 : 100 * Double(killed) / Double(killed + survivors.count)
  }

  var description: String {
    let tenths = Int((share * 10).rounded(.down))
    return
      (survivors.map { "\($0.outcome.rawValue): \($0.mutant)" }
      + mistaken.map { "noticed, though said to be equal: \($0)" }
      + [
        "\(scope): \(killed) killed, \(survivors.count) survived, \(equal) known to be equal: \(tenths / 10).\(tenths % 10) %"
      ]).joined(separator: "\n")
  }
}

/// What is changed.
struct Scope {
  let name: String
  /// The module, whose sources are in the folder of the same name.
  let module: String
  /// Files whose paths in that folder begin so; none for all.
  let files: [String]

  static let all = [
    Scope(name: "engine", module: "Debounce", files: []),
    Scope(name: "lifecycle", module: "Service", files: ["Lifecycle"]),
    Scope(name: "selection", module: "Configuration", files: ["Selection"]),
    Scope(name: "clone", module: "EventDevices", files: ["DeviceCapabilities"]),
  ]

  /// The targets with the tests that are to notice. The others look at these modules from afar, and take long.
  static let tests = [
    "DebounceTests", "ServiceTests", "EventDevicesTests", "RecordingTests",
    "ConfigurationTests", "ReportsTests", "StatusTests",
  ]

  /// Tests that are left out: they measure what the switches cost, change the engine themselves, or try what people may have
  /// written or stored, which takes long and says nothing of what is changed.
  static let without = [
    "CostTests", "ReloadMemoryTests", "UnusedMemoryTests", "itFailsOfItsMutant",
    "disturbedMutants", "LifecycleGraphTests/mutants", "AnyConfigurationTests", "BadRecordingTests",
    "UnreadableFileTests", "MistakeTests", "StatisticsStoreTests", "DayStoreTests",
  ]

  /// The files, by their paths from the package's folder, in order.
  func paths(in package: URL) throws -> [String] {
    let folder = "Sources/\(module)/"
    return try FileManager.default.subpathsOfDirectory(atPath: package.appending(path: folder).path)
      .filter { path in
        path.hasSuffix(".swift") && (files.isEmpty || files.contains { path.hasPrefix($0) })
      }.sorted().map { folder + $0 }
  }
}
