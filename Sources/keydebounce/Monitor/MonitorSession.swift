import Debounce
import EventDevices
import Recording
import SystemPackage

/// What `monitor` does with the events of a device: compares and draws.
struct MonitorSession: DeviceWatcher {
  private(set) var comparison: EdgeComparison
  private let lines: MonitorLines
  private let output: Terminal
  /// Whether what is written has no reader any more.
  private var isUnread = false

  init(_ comparison: EdgeComparison, _ lines: MonitorLines, _ output: Terminal) throws {
    self.comparison = comparison
    self.lines = lines
    self.output = output
    if let header = lines.header { try write(header + "\n") }
  }

  mutating func receive(_ frame: borrowing Frame, from device: Int) {
    comparison.process(copy frame)
  }

  mutating func receive(_ outcome: Outcome) {
    comparison.receive(outcome)
  }

  mutating func resynchronise(held: KeySet, others: borrowing Frame) {
    comparison.resynchronise(held: held, others: copy others)
  }

  mutating func advance(to now: Microseconds) throws -> DeviceWatch.Next {
    comparison.advance(to: now)
    try draw()
    return isUnread ? .end : .wait(until: comparison.deadline)
  }

  mutating func resume(at now: Microseconds) {
    comparison.begin(held: KeySet(), at: now)
  }

  /// Draws what has been noted, with one write.
  private mutating func draw() throws {
    let text = comparison.steps.compactMap { lines.line(for: $0) }.map { $0 + "\n" }.joined()
    comparison.removeSteps()
    if !text.isEmpty { try write(text) }
  }

  private mutating func write(_ text: String) throws {
    do {
      try output.write(text)
    } catch let error as FileError where error.reason == .brokenPipe || error.reason == .ioError {
      isUnread = true
    }
  }
}
