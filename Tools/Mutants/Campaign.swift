import Dispatch
import Foundation
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
struct Campaign {
  let trial: Trial
  let reach: Reach
  let results: Results
  let jobs: Int

  /// Runs the tests for those mutants of which it is not known what becomes of them: the quick tests for all, and then the
  /// slow ones for what is left.
  ///
  /// In no order, so that what is known when it is stopped is a sample.
  func run(_ mutants: [Mutant]) throws {
    let open = mutants.filter { results.outcome(of: $0) == nil }.shuffled()
    report("\(mutants.count - open.count) are known from before, \(open.count) are tried")
    try pass(open, slow: false)
    let doubtful = mutants.filter { results.outcome(of: $0) == .doubtful }
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
    let portions = all.filter { $0.contains { $0.seconds > Reach.slow } == slow }
    for portion in portions {
      let usual = reach.start + portion.map(\.seconds).reduce(0, +)
      let (outcome, _) = try trial.run(
        mutant.number, filter: Reach.pattern(portion.map(\.name)), seconds: 3 + 5 * usual)
      let names = portion.map(\.name).joined(separator: " ")
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
