import Debounce
import Recording
import Terminal

/// A recording as `monitor` shows it.
struct MonitorRecording {
  private var comparison: EdgeComparison
  private let output: Terminal
  private let isPlain: Bool
  private let showsOthers: Bool
  /// `nil` until the recording's first event, which counts as time 0.
  private var lines: MonitorLines?
  private var held = KeySet()

  init(
    _ rules: Rules, _ habits: LearnedHabits, _ output: Terminal, isPlain: Bool, showsOthers: Bool
  ) {
    comparison = EdgeComparison(rules, habits)
    self.output = output
    self.isPlain = isPlain
    self.showsOthers = showsOthers
  }

  var tally: EdgeTally { comparison.tally }

  /// Takes the next entry of the recording. What had been passed on in the run that was recorded changes
  /// nothing.
  mutating func take(_ entry: RecordingParser.Entry) throws {
    guard case .raw(let frame) = entry else { return }
    if lines == nil {
      let sheet = Sheet(for: output, isPlain: isPlain)
      let lines = MonitorLines(on: sheet, start: frame.time, showsOthers: showsOthers)
      if let header = lines.header { try output.write(header + "\n") }
      self.lines = lines
    }
    held = frame.keysHeld(before: held)
    if frame.saysEventsWereLost {
      comparison.resynchronise(held: held, others: frame)
    } else {
      comparison.process(frame)
    }
    try draw()
  }

  /// Lets all time pass that the recording leaves open.
  mutating func finish() throws {
    comparison.advance(to: .max)
    try draw()
  }

  private mutating func draw() throws {
    let text = comparison.steps.compactMap { lines?.line(for: $0) }.map { $0 + "\n" }.joined()
    comparison.removeSteps()
    if !text.isEmpty { try output.write(text) }
  }
}
