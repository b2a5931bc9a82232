import Configuration
import Debounce
import Devices
import Files
import Recording
import Status
import SystemPackage
import TerminalText

/// What `replay` writes: the clean events as they come, or a report in the end.
struct ReplayOutput {
  /// How many bytes are written at a time.
  private static let portion = 1 << 16

  private let isReport: Bool
  private var text = RecordingText(eventsSince: 0)
  /// The presses that were not passed on. Kept for a report only: they are few, but not constant.
  private var suppressed: [Suppression] = []
  private var counts: [Removal: Int] = [:]

  init(isReport: Bool) {
    self.isReport = isReport
  }

  /// Takes what has come out of the replay.
  mutating func append(_ replay: inout Replay) throws {
    if !replay.suppressed.isEmpty {
      for press in replay.suppressed { counts[press.kind, default: 0] += 1 }
      if isReport { suppressed += replay.suppressed }
      replay.removeSuppressed()
    }
    guard !isReport, !replay.output.isEmpty else { return }
    for index in 0..<replay.output.count {
      let time = replay.output.time(ofFrameAt: index)
      replay.output.withEvents(ofFrameAt: index) { text.append(raw: $0, at: time) }
    }
    if text.bytes.count >= Self.portion { try write() }
  }

  /// Writes what is left.
  mutating func finish(_ replay: Replay) throws {
    guard isReport else { return try write() }
    try FileDescriptor.standardOutput.writeAll(report(on: replay).utf8)
  }

  private mutating func write() throws {
    do {
      try FileDescriptor.standardOutput.writeAll(text.bytes)
    } catch let reason as Errno {
      throw FileError(operation: "write to", path: "standard output", reason: reason)
    }
    text.removeBytes()
  }

  /// The counts in words.
  func summary(of replay: Replay) -> String {
    let kinds = Removal.inWords { counts[$0] ?? 0 }
    return """
      \(replay.eventsIn.counted("event")) in; \
      \(replay.counters.pressesIn.counted("press")) in, \(replay.counters.pressesOut.grouped) out\
      \(kinds.isEmpty ? "; nothing removed" : "; removed: " + kinds.joined(separator: ", "))
      """
  }

  private func report(on replay: Replay) -> String {
    let list = suppressed.sorted { ($0.time, $0.key) < ($1.time, $1.key) }.map(\.json)
    return """
      {
        "events_in": \(replay.eventsIn),
        "presses_in": \(replay.counters.pressesIn),
        "presses_out": \(replay.counters.pressesOut),
        "suppressed": [\(list.map { "\n    " + $0 }.joined(separator: ","))\(list.isEmpty ? "" : "\n  ")]
      }

      """
  }
}

extension Suppression {
  fileprivate var json: String {
    """
    {"time": \(decimal(time, places: 6)), "key": "\(KeyNames.name(of: key))", \
    "class": "\(kind.rawValue)", \
    "gap": \(gap.map { decimal($0, places: 3) } ?? "null"), \
    "hold": \(hold.map { decimal($0, places: 3) } ?? "null")}
    """
  }

  /// A number of microseconds in a larger unit, exactly.
  private func decimal(_ time: Microseconds, places: Int) -> String {
    let unit: Microseconds = places == 6 ? 1_000_000 : 1000
    let fraction = String(time % unit)
    return "\(time / unit)." + String(repeating: "0", count: places - fraction.count) + fraction
  }
}
