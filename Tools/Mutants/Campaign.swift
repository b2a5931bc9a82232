import Dispatch
import Foundation
import Glibc
import Synchronization

/// Prints a line at once, also into a file.
func report(_ line: String) {
  FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}

/// Why nothing can be said of the mutants.
struct Failure: Error, CustomStringConvertible {
  let description: String
}

/// The tests, once for each mutant that they reach.
final class Campaign: Sendable {
  private let trial: Trial
  private let reach: Reach
  private let results: Results
  private let equals: Equals
  private let jobs: Int
  /// How many mutants each slow part has noticed: the next mutant is shown first to the part that noticed most.
  private let noticed = Mutex<[String: Int]>([:])

  init(_ trial: Trial, _ reach: Reach, _ results: Results, _ equals: Equals, jobs: Int) {
    (self.trial, self.reach, self.results) = (trial, reach, results)
    (self.equals, self.jobs) = (equals, jobs)
  }

  /// Runs the tests for those mutants of which it is not known what becomes of them: the quick tests for all, and then the
  /// slow ones for what is left.
  ///
  /// In no order, so that what is known when it is stopped is a sample.
  func run(_ mutants: [Mutant]) throws {
    let open = mutants.filter { results.outcome(of: $0) == nil }.shuffled()
    report("\(mutants.count - open.count) are known from before, \(open.count) are tried")
    try pass(open, slow: false)
    // Those that are said to be equal come last: slow tests will hardly notice them.
    let all = mutants.filter { results.outcome(of: $0) == .doubtful }
    let doubtful = all.filter { !equals.contains($0) } + all.filter(equals.contains)
    report("\(doubtful.count) are tried with slow tests")
    try pass(doubtful, slow: true)
  }

  private func pass(_ open: [Mutant], slow: Bool) throws {
    let done = Atomic(0)
    _ = try open.concurrent(jobs: jobs) { mutant, _ in
      let (outcome, by) = try outcome(of: mutant, slow: slow)
      try results.note(outcome, of: mutant, by: by)
      let count = done.add(1, ordering: .relaxed).newValue
      if outcome != .killed { report("\(outcome.rawValue): \(mutant)") }
      if count % 50 == 0 { report("\(count) of \(open.count)") }
    }
  }

  private func outcome(of mutant: Mutant, slow: Bool) throws -> (Results.Outcome, by: String) {
    let all = reach.portions(for: mutant.number)
    if all.isEmpty { return (.unreached, "") }
    var portions = all.filter { $0.contains { $0.seconds > Reach.slow } == slow }
    if slow {
      let noticed = noticed.withLock { $0 }
      portions.sort { noticed[$0[0].name, default: 0] > noticed[$1[0].name, default: 0] }
    }
    for portion in portions {
      let usual = reach.start + portion.map(\.seconds).reduce(0, +)
      let (outcome, _) = try trial.run(
        mutant.number, filter: Reach.pattern(portion.map(\.name)), seconds: 3 + 5 * usual)
      let names = portion.map(\.name).joined(separator: " ")
      if outcome != .survived { noticed.withLock { $0[portion[0].name, default: 0] += 1 } }
      switch outcome {
      case .survived: continue
      case .failed(let test): return (.killed, by: test ?? "a crash in \(names)")
      case .tookTooLong: return (.killed, by: "too long: \(names)")
      }
    }
    return (portions.count == all.count || slow ? .survived : .doubtful, "")
  }
}

extension Mutant: CustomStringConvertible {
  var description: String { "\(file):\(line): \(key)\n    \(text)" }
}

extension Collection where Element: Sendable, Index == Int, Self: Sendable {
  /// What `body` returns of each element, in order, some at once; throws the first error.
  ///
  /// - Parameter body: Receives an element, and which of the jobs it is for.
  func concurrent<Value: Sendable>(
    jobs: Int, _ body: @Sendable (Element, _ job: Int) throws -> Value
  ) throws -> [Value] {
    let values = Mutex<[(Int, Value)]>([])
    let failure = Mutex<(any Error)?>(nil)
    let next = Atomic(0)
    DispatchQueue.concurrentPerform(iterations: jobs) { job in
      while case let index = next.add(1, ordering: .relaxed).oldValue, index < count,
        failure.withLock({ $0 == nil })
      {
        do {
          let value = try body(self[startIndex + index], job)
          values.withLock { $0.append((index, value)) }
        } catch {
          failure.withLock { $0 = error }
        }
      }
    }
    if let error = failure.withLock({ $0 }) { throw error }
    return values.withLock { $0.sorted { $0.0 < $1.0 }.map(\.1) }
  }
}

/// Which tests reach which mutants, and how long they take.
struct Reach {
  /// Tests that are run together or not at all: a suite, or one test of a slow one.
  struct Part {
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

/// A program that runs tests, and what it prints.
struct TestProcess {
  private let id: pid_t
  private let output: CInt

  init(_ program: String, _ arguments: [String], environment: [String]) throws {
    // A pipe that no other program inherits which is begun at this moment.
    var ends: [CInt] = [-1, -1]
    let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
      throw Failure(description: "no pipe: \(String(cString: strerror(errno)))")
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO)
    let inherited = ProcessInfo.processInfo.environment.map { "\($0)=\($1)" }
      .filter { !$0.hasPrefix("KEYDEBOUNCE_") }
    let argv = ([program] + arguments).map { strdup($0) } + [nil]
    let envp = (environment + inherited).map { strdup($0) } + [nil]
    defer { (argv + envp).forEach { free($0) } }
    var id: pid_t = 0
    let error = posix_spawn(&id, program, &actions, nil, argv, envp)
    close(ends[1])
    guard error == 0 else {
      close(ends[0])
      throw Failure(description: "\(program): \(String(cString: strerror(error)))")
    }
    self.id = id
    output = ends[0]
  }

  /// What it has printed; nothing if it printed nothing for so long; `nil` when it prints no more.
  func read(milliseconds: CInt) -> String? {
    var waited = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
    guard poll(&waited, 1, milliseconds) > 0 else { return "" }
    let bytes = [UInt8](unsafeUninitializedCapacity: 65536) { buffer, count in
      count = max(0, Glibc.read(output, buffer.baseAddress, buffer.count))
    }
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }

  /// How long it has run so far, in seconds of the processor.
  var seconds: Double {
    let ticks = fields(of: "/proc/\(id)/stat").dropFirst(11).prefix(2).compactMap { Double($0) }
    return ticks.reduce(0, +) / Double(sysconf(CInt(_SC_CLK_TCK)))
  }

  /// Whether any of its threads runs, or would if it could.
  var isRunnable: Bool {
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(id)/task")) ?? []
    return threads.contains {
      ["R", "D"].contains(fields(of: "/proc/\(id)/task/\($0)/stat").first)
    }
  }

  /// The fields after the name, from the state on.
  private func fields(of file: String) -> [Substring] {
    guard let text = try? String(contentsOfFile: file, encoding: .utf8),
      let name = text.lastIndex(of: ")")
    else { return [] }
    return text[text.index(after: name)...].split(separator: " ")
  }

  /// Waits until it has ended.
  ///
  /// - Parameter kill: Whether to end it first.
  /// - Returns: Its status as of `wait4`, and how long it ran, in seconds of the processor.
  func end(kill ends: Bool) -> (status: CInt, seconds: Double) {
    if ends { kill(id, SIGKILL) }
    var (status, usage) = (CInt(0), rusage())
    while wait4(id, &status, 0, &usage) < 0, errno == EINTR {}
    close(output)
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    return (status, seconds(usage.ru_utime) + seconds(usage.ru_stime))
  }

  /// Keeps those that a mutant sends astray from taking all memory, and from leaving cores behind.
  static func limit() {
    var memory = rlimit(rlim_cur: 4 << 30, rlim_max: 4 << 30)
    setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &memory)
    var core = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &core)
  }
}
