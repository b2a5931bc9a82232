import ArgumentParser
import EventDevices
import Foundation
import Glibc
import TestMachine

@main
struct Benchmark: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "benchmark-devices",
    abstract:
      "Measure keydebounce beside bare C, keyd and interception-tools, on real uinput devices.",
    discussion: """
      The subjects take turns, so that whatever else the machine does meets them alike. Times are medians of the \
      rounds; what counts is their ratio to the first one's.
      """)

  @Option(help: "How often each load is played to each subject.")
  var rounds = 3

  @Option(help: "How much of each load is played.")
  var size = 1

  @Option(help: "Only this load; may be given several times.")
  var load: [String] = []

  @Option(
    help: "Only this subject; may be given several times. Besides the usual ones: watched, stopped."
  )
  var subject: [String] = []

  @Flag(help: "Leave out memory, starting and idling.")
  var loadsOnly = false

  @Flag(
    help: """
      On a machine that somebody uses: count no calls. Only devices that are made here are taken, and nobody else reads them.
      """)
  var here = false

  private var subjects: [Subject] {
    subject.isEmpty ? Subject.usual : subject.compactMap(Subject.init(rawValue:))
  }

  func run() throws {
    // Or else the kernel would let it sleep for 50 microseconds longer than asked.
    try "1".write(toFile: "/proc/self/timerslack_ns", atomically: false, encoding: .utf8)
    let loads = load.isEmpty ? Load.allCases : load.compactMap(Load.init(rawValue:))
    for load in loads { try measure(load) }
    if !loadsOnly { try measureRest() }
  }

  /// Plays the load to all subjects in turn, and prints their rows.
  private func measure(_ load: Load) throws {
    var results = Dictionary(uniqueKeysWithValues: Subject.allCases.map { ($0, Result()) })
    let devices = try load.makeDevices()
    // To start as many programs as a crowd needs takes minutes.
    let rounds = load == .crowd ? 1 : rounds
    for round in 0..<(here ? rounds : rounds + 1) {
      for subject in subjects where subject.canBeMeasured(on: devices) {
        let running = try RunningSubject(subject, on: devices)
        // Once more, for its calls: to count them takes time.
        let calls = round == rounds ? try Calls() : nil
        awaitMinuteWithRoom()
        let before = running.usage
        let play = try load.play(on: devices[0], into: running.sinks[0], size: size)
        if let calls {
          results[subject]?.calls = try calls.end(of: running.threads).map {
            (Calls.names[$0.key] ?? "call \($0.key)", Double($0.value) / Double(play.frames))
          }.filter { $0.1 >= 0.005 }.sorted { $0.1 > $1.1 }
        } else {
          results[subject]?.add(play, time: running.usage.time - before.time)
        }
      }
    }
    Self.say(load, results)
  }

  /// Waits until a load can be played before the next whole minute of the kernel's clock. keydebounce stores its counts then, which
  /// no frame costs.
  private func awaitMinuteWithRoom() {
    let (now, minute) = (monotonicNow(), Int64(60_000_000))
    if now % minute > 2 * minute / 3 { sleep(until: (now / minute + 1) * minute + 1_000_000) }
  }

  /// Measures what does not depend on a load: memory and the time of starting with 8 devices, and wake-ups when nothing
  /// happens.
  private func measureRest() throws {
    var columns = Columns(
      "8 devices", "start, CPU ms", "written memory, KB", "share of all, KB",
      "wake-ups in 5 s idle")
    let devices = try (0..<8).map {
      try SourceDevice(.keyboard, name: "benchmark keyboard \($0)")
    }
    for subject in subjects where subject.canBeMeasured(on: devices) {
      let running = try RunningSubject(subject, on: devices)
      for (device, sink) in zip(devices, running.sinks) {
        _ = try Strokes.typist(5).play(on: device, into: sink)
      }
      // What is still to be done after strokes is done by then.
      sleep(until: monotonicNow() + 2_000_000)
      let before = running.usage
      sleep(until: monotonicNow() + 5_000_000)
      let waits = running.usage.waits - before.waits
      let memory = running.memory
      columns.add([
        subject.title, Self.number(Double(running.start) / 1e6, 1), "\(memory.own)",
        "\(memory.share)", "\(waits)",
      ])
    }
    Self.say(columns)
  }

  private static func say(_ load: Load, _ results: [Subject: Result]) {
    let measured = Subject.allCases.filter { results[$0]?.time.isEmpty == false }
    guard let floor = measured.first.flatMap({ results[$0] }) else { return }
    var columns = Columns(
      load.title, "p50 µs", "ratio", "p99 µs", "ratio", "p99.9 µs", "ratio", "max µs", "ratio",
      "CPU µs/frame", "ratio", "calls/frame", "")
    for subject in measured {
      guard let result = results[subject] else { continue }
      func cells(_ digits: Int, _ value: (Result) -> Double?) -> [String] {
        guard let own = value(result) else { return ["–", "–"] }
        return [number(own, digits), value(floor).map { number(own / $0, 2) } ?? "–"]
      }
      let calls = result.calls.map { "\($0.name) \(number($0.count, 2))" }
      columns.add(
        [subject.title] + cells(0) { $0.median.median } + cells(0) { $0.high.median }
          + cells(0) { $0.rare } + cells(0) { $0.highest.max() } + cells(2) { $0.time.median }
          + [
            calls.isEmpty ? "–" : number(result.calls.reduce(0) { $0 + $1.count }, 2),
            calls.joined(separator: ", "),
          ])
    }
    say(columns)
  }

  /// Prints a table at once: the next one takes its time.
  private static func say(_ columns: Columns) {
    FileHandle.standardOutput.write(Data((columns.text + "\n\n").utf8))
  }

  private static func number(_ value: Double, _ digits: Int) -> String {
    String(format: "%.\(digits)f", value)
  }
}

/// What was measured of a subject under a load, a value a round.
struct Result {
  /// Latencies in microseconds.
  var median: [Double] = []
  var high: [Double] = []
  var highest: [Double] = []
  /// All of them, for what is too rare for a round.
  private var all: [Int64] = []
  /// Time on a processor for each frame, in microseconds.
  var time: [Double] = []
  /// Calls of the kernel for each frame, by name.
  var calls: [(name: String, count: Double)] = []

  /// The latency that one frame in a thousand exceeds, of all rounds; `nil` of fewer than a thousand frames.
  var rare: Double? {
    all.count < 1000 ? nil : Double(all.sorted()[all.count * 999 / 1000])
  }

  mutating func add(_ play: Play, time: UInt64) {
    self.time.append(Double(time) / 1000 / Double(play.frames))
    let sorted = play.latencies.sorted()
    guard !sorted.isEmpty else { return }
    median.append(Double(sorted[sorted.count / 2]))
    high.append(Double(sorted[min(sorted.count - 1, sorted.count * 99 / 100)]))
    highest.append(Double(sorted[sorted.count - 1]))
    all += sorted
  }
}

extension [Double] {
  /// The middle one; `nil` if there is none.
  var median: Double? {
    isEmpty ? nil : sorted()[count / 2]
  }
}

/// Rows of text in columns: the first from the left, the others from the right, but for a last one without a title.
struct Columns {
  private var rows: [[String]]

  init(_ titles: String...) {
    rows = [titles]
  }

  mutating func add(_ cells: [String]) {
    rows.append(cells)
  }

  var text: String {
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    let lines = rows.map { row in
      row.enumerated().map { column, cell in
        let space = String(repeating: " ", count: widths[column] - cell.count)
        return column == 0 || rows[0][column].isEmpty ? cell + space : space + cell
      }.joined(separator: "  ")
    }
    return lines.joined(separator: "\n")
  }
}

/// Counts the calls that threads make of the kernel, with the kernel's own tracing.
struct Calls {
  private static let folder = "/sys/kernel/tracing/events/raw_syscalls/sys_enter"
  private static let histogram = "hist:keys=common_pid,id:size=2048"

  /// Begins to count.
  init() throws {
    if !FileManager.default.fileExists(atPath: Self.folder) {
      mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, nil)
    }
    try Self.histogram.write(toFile: Self.folder + "/trigger", atomically: false, encoding: .utf8)
  }

  /// Ends counting.
  ///
  /// - Returns: How many calls the threads have made, by the call's number.
  func end(of threads: [pid_t]) throws -> [Int: Int] {
    let text = try String(contentsOfFile: Self.folder + "/hist", encoding: .utf8)
    try ("!" + Self.histogram).write(
      toFile: Self.folder + "/trigger", atomically: false, encoding: .utf8)
    var counts: [Int: Int] = [:]
    // { common_pid:        142, id:          1 } hitcount:         12
    for line in text.split(separator: "\n") where line.hasPrefix("{ common_pid:") {
      let numbers = line.split { !$0.isNumber }.compactMap { Int($0) }
      guard numbers.count == 3, threads.contains(pid_t(numbers[0])) else { continue }
      counts[numbers[1], default: 0] += numbers[2]
    }
    return counts
  }

  /// The names of the calls that a forwarder may make for every frame.
  static let names = [
    0: "read", 1: "write", 7: "poll", 16: "ioctl", 20: "writev", 202: "futex", 228: "clock_gettime",
    232: "epoll_wait", 233: "epoll_ctl", 270: "pselect", 281: "epoll_pwait", 286: "timerfd_settime",
  ]
}
