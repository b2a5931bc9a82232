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
      On a machine that somebody uses: leave its bus as it is, and count no calls. Only devices that are made here are \
      taken, and nobody else reads them.
      """)
  var here = false

  private var subjects: [Subject] {
    subject.isEmpty ? Subject.usual : subject.compactMap(Subject.init(rawValue:))
  }

  func run() throws {
    // Every system has one. Without, the daemon would watch for it to come, which costs every program's reads and writes.
    let bus = here ? nil : try SystemBus()
    defer { bus?.stop() }
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

  /// Measures what does not depend on a load: memory and the time of starting with 8 devices, and wake-ups when nothing
  /// happens.
  private func measureRest() throws {
    var columns = Columns(
      "8 devices", "start, CPU ms", "own memory, KB", "with its share, KB", "wake-ups in 5 s idle")
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
