import Debounce
import Randomness
import Synchronization
import Testing

@testable import DebounceAsync

typealias Edge = ButtonEdge<String, ManualClock.Instant>

/// Edges as `A+0 A-20`: button, down or up, milliseconds.
private func edges(_ text: String) -> [Edge] {
  text.split(separator: " ").map { word in
    let sign = word.firstIndex { $0 == "+" || $0 == "-" } ?? word.startIndex
    let time = Double(word[word.index(after: sign)...]) ?? -1
    return Edge(
      String(word[..<sign]), isDown: word[sign] == "+",
      at: ManualClock.Instant(offset: .microseconds(Int(time * 1000))))
  }
}

private func text(_ edge: Edge) -> String {
  let (seconds, attoseconds) = edge.time.offset.components
  let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
  return "\(edge.button)\(edge.isDown ? "+" : "-")\(milliseconds)"
}

private func text(_ edges: [Edge]) -> String { edges.map(text).joined(separator: " ") }

/// A base that a test feeds by hand, and its end.
private struct Feed {
  let stream: AsyncThrowingStream<Edge, any Error>
  let continuation: AsyncThrowingStream<Edge, any Error>.Continuation

  init() {
    (stream, continuation) = AsyncThrowingStream.makeStream()
  }

  func send(_ words: String) {
    for edge in edges(words) { continuation.yield(edge) }
  }
}

private struct Broken: Error, Equatable {}

@Suite("Edges debounced as they come")
struct DebouncedSequenceTests {
  /// A base that has `edges`, and ends.
  private static func stream(_ edges: [Edge]) -> AsyncStream<Edge> {
    AsyncStream { continuation in
      for edge in edges { continuation.yield(edge) }
      continuation.finish()
    }
  }

  /// What `rules` make of such a base.
  private static func all(_ raw: [Edge], _ rules: ButtonRules<String>) async -> String {
    var clean: [Edge] = []
    for await edge in stream(raw).debounced(rules, clock: ManualClock()) { clean.append(edge) }
    return text(clean)
  }

  private static func all(_ words: String, _ strategy: Strategy) async -> String {
    await all(edges(words), ButtonRules(strategy))
  }

  @Test("leave out what a bad contact made, and end with everything up")
  func finite() async {
    let strategy = Strategy.eagerDefer(threshold: .milliseconds(20))
    #expect(await Self.all("A+0 A-2 A+3 A-100", strategy) == "A+0 A-120")
    #expect(await Self.all("A+5 A-7 A+8", strategy) == "A+5 A-8")
    #expect(await Self.all("A+0 B+1 B-50 A-60", .none) == "A+0 B+1 B-50 A-60")
    #expect(await Self.all("", strategy) == "")
    #expect(
      await Self.all("A+0 A-50 A+200 A-250 A+600 A-650", .bounceKeys(delay: .milliseconds(300)))
        == "A+0 A-50 A+600 A-650")
  }

  @Test("a single press is delivered by the clock, and a long one while the button is down")
  func meanings() async throws {
    let clock = ManualClock()
    let feed = Feed()
    var iterator = feed.stream.debounced(
      ButtonRules(meanings: ["A": ButtonMeanings(single: "S", double: "D", hold: "H")]),
      clock: clock
    ).makeAsyncIterator()
    feed.send("B+0 B-10 A+20 A-80")
    #expect(try await iterator.next().map(text) == "B+0")
    #expect(try await iterator.next().map(text) == "B-10")
    await clock.untilSomebodySleeps(until: 270)
    clock.move(to: 270)
    #expect(try await iterator.next().map(text) == "S+270")
    #expect(try await iterator.next().map(text) == "S-270")
    feed.send("A+1000")
    await clock.untilSomebodySleeps(until: 1500)
    clock.move(to: 1500)
    #expect(try await iterator.next().map(text) == "H+1500")
    feed.send("A-1600 A+2000 A-2050 A+2100")
    #expect(try await iterator.next().map(text) == "H-1600")
    #expect(try await iterator.next().map(text) == "D+2100")
    // A button that is down comes up in the end.
    feed.continuation.finish()
    #expect(try await iterator.next().map(text) == "D-2100")
    #expect(try await iterator.next() == nil)
  }

  @Test("an edge that waits is delivered by the clock; a press before then withdraws it")
  func withdrawn() async throws {
    let clock = ManualClock()
    let feed = Feed()
    var iterator = feed.stream.debounced(
      ButtonRules(.eagerDefer(threshold: .milliseconds(20))), clock: clock
    ).makeAsyncIterator()
    feed.send("A+0 A-100")
    #expect(try await iterator.next().map(text) == "A+0")
    await clock.untilSomebodySleeps(until: 120)
    feed.send("A+110 A-200")
    // The clock wakes the sequence for nothing, and then for the deadline that has moved.
    clock.move(to: 120)
    await clock.untilSomebodySleeps(until: 220)
    clock.move(to: 220)
    #expect(try await iterator.next().map(text) == "A-220")
  }

  @Test("a deadline that is earlier than the one that is waited for is kept")
  func earlier() async throws {
    let clock = ManualClock()
    let feed = Feed()
    let strategy = Strategy.eagerDefer(press: .milliseconds(100), release: .milliseconds(20))
    var iterator = feed.stream.debounced(ButtonRules(strategy), clock: clock).makeAsyncIterator()
    feed.send("B+0 A+200 A-205")
    #expect(try await iterator.next().map(text) == "B+0")
    #expect(try await iterator.next().map(text) == "A+200")
    await clock.untilSomebodySleeps(until: 300)
    feed.send("B-210")
    await clock.untilSomebodySleeps(until: 230)
    clock.move(to: 230)
    #expect(try await iterator.next().map(text) == "B-230")
    await clock.untilSomebodySleeps(until: 300)
    clock.move(to: 300)
    #expect(try await iterator.next().map(text) == "A-300")
  }

  @Test("an error comes after the releases of what was down")
  func failure() async throws {
    let feed = Feed()
    var iterator = feed.stream.debounced(ButtonRules(.none), clock: ManualClock())
      .makeAsyncIterator()
    feed.send("A+0 B+10")
    feed.continuation.finish(throwing: Broken())
    var clean: [Edge] = []
    await #expect(throws: Broken.self) {
      while let edge = try await iterator.next() { clean.append(edge) }
    }
    #expect(text(clean) == "A+0 B+10 A-10 B-10")
    // And then the sequence has ended.
    #expect(try await iterator.next() == nil)
  }

  @Test("cancelling ends it, and lets every button go that is down")
  func cancellation() async throws {
    let clock = ManualClock()
    let feed = Feed()
    let (began, begin) = AsyncStream<Void>.makeStream()
    let stream = feed.stream
    let task = Task {
      var clean: [Edge] = []
      for try await edge in stream.debounced(ButtonRules(.none), clock: clock) {
        clean.append(edge)
        begin.yield()
      }
      return clean
    }
    feed.send("A+0")
    for await _ in began { break }
    clock.move(to: 70)
    task.cancel()
    #expect(try await text(task.value) == "A+0 A-70")
  }

  @Test("giving it up gives up the base")
  func givenUp() async throws {
    let feed = Feed()
    let (gone, goes) = AsyncStream<Void>.makeStream()
    feed.send("A+0")
    let base = Watched(base: feed.stream) { goes.yield() }
    for try await _ in base.debounced(ButtonRules(.none), clock: ManualClock()) { break }
    for await _ in gone { break }
  }

  @Test("a caller who is slow slows the base down")
  func backPressure() async throws {
    let base = Counted(edges: edges("A+0 A-100 A+200 A-300 A+400 A-500"))
    var iterator = base.debounced(ButtonRules(.none), clock: ManualClock()).makeAsyncIterator()
    #expect(await iterator.next().map(text) == "A+0")
    // The base may be asked for one more, which is kept; and for none after it, until that is taken.
    for _ in 0..<100 { await Task.yield() }
    #expect(base.count.value <= 2)
    #expect(await iterator.next().map(text) == "A-100")
    for _ in 0..<100 { await Task.yield() }
    #expect(base.count.value <= 3)
  }

  @Test("strokes are throttled whole, and siblings lock each other out")
  func wholeStrokes() async {
    let taps = "A+0 A-50 A+100 A-150 A+200 A-700"
    let half = Duration.milliseconds(500)
    #expect(await Self.all(taps, .throttle(interval: half, latest: false)) == "A+0 A-50")
    // As `throttle` of swift-async-algorithms.
    #expect(await Self.all(taps, .throttle(interval: half)) == "A+0 A-50 A+500 A-700")
    let siblings = ButtonRules<String>(siblings: [.init(["A", "B"], lockout: half)])
    #expect(
      await Self.all(edges("A+0 B+10 B-20 A-30 C+40 C-50 B+600 B-610"), siblings)
        == "A+0 A-30 C+40 C-50 B+600 B-610")
  }

  @Test("each button has rules of its own")
  func rules() async {
    let raw = edges("A+0 A-1 A+2 B+10 B-11 B+12 A-50 B-60 C+300 D+310 C-320 D-330")
    let rules = ButtonRules<String>(
      .none, buttons: ["B": .eagerDefer(threshold: .milliseconds(20))],
      siblings: [.init(["C", "D"], lockout: .milliseconds(50))])
    #expect(await Self.all(raw, rules) == "A+0 A-1 A+2 B+10 A-50 B-80 C+300 C-320")
  }

  @Test("every time of every strategy can be given as a duration")
  func durations() {
    let times = (1...3).map { Duration.milliseconds($0) }
    let given: [Strategy] = [
      .none, .defer(press: times[0], release: times[1]),
      .eager(press: times[0], release: times[1]), .eagerDefer(press: times[0], release: times[1]),
      .prompt(threshold: times[0]),
      .adaptive(confirm: times[0], dropout: times[1], suspect: times[2], within: 4),
      .throttle(interval: times[0], latest: true), .bounceKeys(delay: times[0]),
      .slowKeys(delay: times[0]),
    ]
    #expect(given.map(\.kind) == StrategyKind.allCases)
    #expect(
      given == [
        .none, .defer(Defer(press: 1000, release: 2000)), .eager(Eager(press: 1000, release: 2000)),
        .eagerDefer(EagerDefer(press: 1000, release: 2000)), .prompt(Prompt(quiet: 1000)),
        .adaptive(Adaptive(confirm: 1000, dropout: 2000, suspect: 3000, within: 4)),
        .throttle(Throttle(interval: 1000, latest: true)), .bounceKeys(BounceKeys(delay: 1000)),
        .slowKeys(SlowKeys(delay: 1000)),
      ])
    // What is not given is as it is packaged.
    let packaged: [Strategy] = [
      .none, .defer(), .eager(), .eagerDefer(), .prompt(), .adaptive(),
      .throttle(interval: .milliseconds(25), latest: false), .bounceKeys(), .slowKeys(),
    ]
    #expect(packaged == StrategyKind.allCases.map(\.packaged))
  }

  @Test("a threshold is that of the configuration, and what is named wins")
  func threshold() {
    let time = Duration.milliseconds(40)
    #expect(Strategy.adaptive(threshold: time) == .adaptive(Adaptive(threshold: 40_000)))
    #expect(Strategy.adaptive() == .adaptive(Adaptive()))
    #expect(Strategy.adaptive(isNamed: true).isNamed)
    #expect(
      Strategy.eager(threshold: time, press: .zero) == .eager(Eager(press: 0, release: 40_000)))
  }

  private static let strategies: [Strategy] = [
    .none, .defer(threshold: .milliseconds(20)), .eager(threshold: .milliseconds(20)),
    .eagerDefer(threshold: .milliseconds(20)), .prompt(threshold: .milliseconds(20)),
    .adaptive(threshold: .milliseconds(25)), .slowKeys(delay: .milliseconds(30)),
    .throttle(interval: .milliseconds(70)),
  ]

  /// Edges of three buttons, which come up in the end.
  private static func randomEdges(_ seed: Int) -> [Edge] {
    var random = SeededRandom(seed: UInt64(seed))
    var raw: [Edge] = []
    var down: [String: Bool] = [:]
    var time = 0
    for _ in 0..<60 {
      time += Int.random(in: 1...60, using: &random)
      let button = ["A", "B", "C"].randomElement(using: &random) ?? "A"
      down[button] = !(down[button] ?? false)
      raw.append(
        Edge(
          button, isDown: down[button] ?? false,
          at: ManualClock.Instant(offset: .milliseconds(time))))
    }
    for button in ["A", "B", "C"] where down[button] == true {
      time += 100
      raw.append(Edge(button, isDown: false, at: ManualClock.Instant(offset: .milliseconds(time))))
    }
    return raw
  }

  @Test("what comes out is what the engine makes of it", arguments: 0..<40)
  func random(_ seed: Int) async {
    let raw = Self.randomEdges(seed)
    let strategy = Self.strategies[seed % Self.strategies.count]
    let clean = await Self.all(raw, ButtonRules(strategy))
    #expect(clean == text(Self.engine(raw, strategy)), "seed \(seed): \(text(raw))")
  }

  /// What the engine by itself makes of the edges.
  private static func engine(_ raw: [Edge], _ strategy: Strategy) -> [Edge] {
    // In the order in which they first move: where several come up at once, the engine goes by their codes.
    var names: [String] = []
    for edge in raw where !names.contains(edge.button) { names.append(edge.button) }
    var engine = Debouncer(Rules(strategy: strategy))
    let origin = raw[0].time
    for edge in raw {
      let code = KeyCode(0x210 + (names.firstIndex(of: edge.button) ?? 0))
      let time = origin.duration(to: edge.time).inMicroseconds
      engine.process(Frame(time: time, [.key(code, down: edge.isDown)]))
    }
    engine.advance(to: .max)
    let end = engine.output.frames.map(\.time).max() ?? 0
    let last = raw.last.map { origin.duration(to: $0.time).inMicroseconds } ?? 0
    engine.close(at: max(end, last))
    return engine.output.frames.flatMap { frame in
      frame.events.map { event in
        Edge(
          names[Int(event.code) - 0x210], isDown: event.value == 1,
          at: origin.advanced(by: .microseconds(frame.time)))
      }
    }
  }
}

/// A base that reports when its iterator is given up.
private struct Watched: AsyncSequence, Sendable {
  typealias Element = Edge

  private final class Token: Sendable {
    let onEnd: @Sendable () -> Void

    init(_ onEnd: @escaping @Sendable () -> Void) {
      self.onEnd = onEnd
    }

    deinit {
      onEnd()
    }
  }

  let base: AsyncThrowingStream<Edge, any Error>
  let onEnd: @Sendable () -> Void

  struct Iterator: AsyncIteratorProtocol {
    fileprivate var base: AsyncThrowingStream<Edge, any Error>.Iterator
    private let token: Token

    fileprivate init(_ watched: Watched) {
      base = watched.base.makeAsyncIterator()
      token = Token(watched.onEnd)
    }

    mutating func next() async throws -> Edge? { try await base.next() }
  }

  func makeAsyncIterator() -> Iterator { Iterator(self) }
}

/// A base that counts how many edges it was asked for.
private struct Counted: AsyncSequence, Sendable {
  typealias Element = Edge

  final class Count: Sendable {
    private let stored = Mutex(0)
    var value: Int { stored.withLock { $0 } }
    func add() { stored.withLock { $0 += 1 } }
  }

  let edges: [Edge]
  let count = Count()

  struct Iterator: AsyncIteratorProtocol {
    var rest: ArraySlice<Edge>
    let count: Count

    mutating func next(isolation actor: isolated (any Actor)?) async -> Edge? {
      count.add()
      return rest.popFirst()
    }

    mutating func next() async -> Edge? { await next(isolation: nil) }
  }

  func makeAsyncIterator() -> Iterator { Iterator(rest: edges[...], count: count) }
}
