import Debounce
import Glibc

@testable import Service

/// A device in a table that does what its script says, and records in it what was done with it.
struct ScriptedDevice: DeviceInTable, ~Copyable {
  final class Script {
    let source = Pipe()
    let clone = Pipe()
    let nodePath: String

    // What the device answers with.
    var deadline = Instant.never
    var lifecycle = Lifecycle(grabAfter: nil, at: .now)
    var hasNews = false
    /// After how many turns there is more to read.
    var turnsWithMore = 0
    var panicsInTurn = false
    /// What is to become of its motions.
    var motions: [MotionTurn] = []

    // What was done with it.
    var turns = 0
    var cloneReads = 0
    var stores = 0
    var timesLetGo = 0
    var timesSlept = 0

    init() {
      nodePath = "/dev/input/test\(source.reading)"
      lifecycle.state = .awaitingKeys(since: .now, isReported: true)
    }
  }

  /// What stands for a device's file: it becomes readable in the same way.
  final class Pipe {
    let reading: CInt
    private let writing: CInt

    init() {
      var ends: [CInt] = [0, 0]
      pipe(&ends)
      (reading, writing) = (ends[0], ends[1])
    }

    deinit {
      close(reading)
      close(writing)
    }

    func send() { write(writing, "a", 1) }

    func drain() {
      var byte: UInt8 = 0
      read(reading, &byte, 1)
    }
  }

  private let script: Script
  private(set) var hasPanicked = false

  init(_ script: Script) {
    self.script = script
  }

  var nodePath: String { script.nodePath }
  var sourceDescriptor: CInt { script.source.reading }
  var feedbackDescriptor: CInt? { script.clone.reading }
  var lifecycle: Lifecycle { script.lifecycle }
  var deadline: Instant { script.deadline }
  var mayHaveNewState: Bool { true }
  var recreation: Recreation? { nil }

  mutating func finish() {}

  mutating func flushListeners() {}

  mutating func takeNews() -> Bool {
    defer { script.hasNews = false }
    return script.hasNews
  }

  mutating func takeTurn(now: Instant) -> Bool {
    script.turns += 1
    if script.panicsInTurn { hasPanicked = true }
    return script.turns <= script.turnsWithMore
  }

  var sendsMotion: Bool { !script.motions.isEmpty }

  mutating func passMotion() -> MotionTurn {
    guard !script.motions.isEmpty else { return .other }
    script.source.drain()
    return script.motions.removeFirst()
  }

  mutating func readClone() { script.cloneReads += 1 }

  mutating func hasSlept(now: Instant) { script.timesSlept += 1 }

  mutating func letGo(now: Instant) { script.timesLetGo += 1 }

  mutating func storeCounts(in background: Background) { script.stores += 1 }
}
