import Debounce

/// The engine with a sequence's own types, and the clean edges that nobody has taken yet: no task, no clock, no lock.
struct EdgeMachine<Button: Hashable & Sendable, Instant: InstantProtocol>: Sendable
where Instant.Duration == Swift.Duration {
  typealias Edge = ButtonEdge<Button, Instant>

  private var engine: Debouncer
  private var codes: ButtonCodes<Button>
  /// The time of the first edge, from which the engine's time counts.
  private var origin: Instant?
  /// The latest time that was received.
  private var last: Microseconds = 0
  private var clean: [Edge] = []

  init(_ rules: ButtonRules<Button>) {
    var codes = ButtonCodes<Button>()
    engine = Debouncer(rules.rules(&codes))
    self.codes = codes
  }

  /// When ``advance(to:)`` must be called if no edge comes before; `nil` for never.
  var deadline: Instant? {
    guard let origin, let deadline = engine.deadline else { return nil }
    return origin.advanced(by: .microseconds(deadline))
  }

  /// Whether there are clean edges that nobody has taken.
  var hasOutput: Bool { !clean.isEmpty }

  /// Takes the next clean edge.
  mutating func next() -> Edge? { clean.isEmpty ? nil : clean.removeFirst() }

  mutating func receive(_ edge: Edge) {
    let time = time(of: edge.time)
    engine.process(Frame(time: time, [.key(codes.code(of: edge.button), down: edge.isDown)]))
    takeOutput()
  }

  mutating func advance(to now: Instant) {
    guard origin != nil else { return }
    engine.advance(to: time(of: now))
    takeOutput()
  }

  /// Emits what waits, without waiting for it: no edge will come that could change what it is. Then lets every button go.
  mutating func finish() {
    engine.advance(to: .max)
    engine.close(at: max(last, engine.output.frames.last?.time ?? last))
    takeOutput()
  }

  /// Drops what waits, and lets every button go.
  mutating func cancel(at now: Instant) {
    guard origin != nil else { return }
    engine.close(at: time(of: now))
    takeOutput()
  }

  /// The engine's time, which begins with the first edge.
  private mutating func time(of instant: Instant) -> Microseconds {
    let origin = self.origin ?? instant
    self.origin = origin
    let time = origin.duration(to: instant).inMicroseconds
    last = max(last, time)
    return time
  }

  private mutating func takeOutput() {
    guard let origin else { return engine.output.removeAll() }
    engine.output.drain { events, time in
      let instant = origin.advanced(by: .microseconds(time))
      for event in events {
        guard let button = codes.button(of: event.code) else { continue }
        clean.append(Edge(button, isDown: event.value != 0, at: instant))
      }
    }
  }
}
