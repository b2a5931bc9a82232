import AllocationCounter
import Debounce
import Randomness
import Testing

/// What an event costs.
@Suite struct CostTests {
  private static let strategies =
    StrategyKind.allCases.map { $0.strategy(threshold: 25.ms) }
    + [.throttle(Throttle(interval: 25.ms, latest: true))]

  @Test("Allocations are counted")
  func counting() {
    let before = allocation_count()
    var numbers = ContiguousArray<Int>()
    numbers.reserveCapacity(1000)
    let after = allocation_count()
    #expect(numbers.capacity >= 1000)
    #expect(after > before || before < 0)
  }

  @Test(
    "A million events allocate nothing",
    .enabled(if: allocation_count() >= 0, "a sanitizer counts allocations"))
  func million() {
    let events = 1_000_000
    let meanings = Dictionary(
      uniqueKeysWithValues: (KeyCode(16)..<40).map { key in
        (key, Meanings(single: key + 100, double: 300, hold: key % 2 == 0 ? 301 : nil))
      })
    let rules =
      Self.strategies.map { Rules(strategy: $0, groups: [Typing.group], flush: .all) }
      + [Rules(meanings: meanings)]
    for each in rules {
      var typing = Typing(each)
      typing.type(events: 10_000)
      let before = allocation_count()
      typing.type(events: events / rules.count)
      #expect(allocation_count() == before, "\(each.strategy)")
    }
  }
}

/// Typing with rollover and chatter, without an end.
private struct Typing {
  static let group = Group(keys: [.a, .s], lockout: 1.ms)

  /// A piece of typing that ends as it began, and how long it takes.
  private var frames: [Frame]
  private let length: Microseconds = 10_000.ms
  private var next = 0

  private var engine: Debouncer
  /// How many frames came out.
  private(set) var passed = 0

  init(_ rules: Rules) {
    engine = Debouncer(rules)
    var random = SeededRandom(seed: 1)
    var frames: [Frame] = []
    for stroke in 0..<64 {
      let key = KeyCode(16 + stroke % 30)
      let begin = Microseconds(stroke) * 120.ms + .random(in: 0..<60.ms, using: &random)
      let end = begin + .random(in: 60.ms..<160.ms, using: &random)
      var times = [begin, end]
      switch stroke % 16 {
      case 0: times = [begin, begin + 8.ms, begin + 14.ms, end]
      case 1: times = [begin, end, end + 8.ms, end + 14.ms]
      case 2: times = [begin, begin + 40.ms, begin + 49.ms, end]
      default: break
      }
      for (index, time) in times.enumerated() {
        let key = Event.key(key, down: index % 2 == 0)
        frames.append(Frame(time: time, [.scan(Int32(key.code)), key]))
      }
    }
    self.frames = frames.sorted { $0.time < $1.time }
  }

  mutating func type(events: Int) {
    for _ in 0..<events {
      engine.process(frames[next])
      passed += engine.output.count
      engine.output.removeAll()
      frames[next].time += length
      next = (next + 1) % frames.count
    }
  }
}
