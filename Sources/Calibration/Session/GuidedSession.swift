import Debounce

/// A guided calibration: decides what to ask for next, how far it is, and when the answer is certain.
///
/// ```
///   typing ──▶ for each suspect:  taps ──▶ holds ──▶ doubles ──▶ … ──▶ done
///               (most suspicious first)             only of a bad switch
/// ```
///
/// It has no clock and no terminal: it receives frames and the time, both of the kernel's event clock, and returns a
/// ``Request``. It can be encoded at any time and resumed later.
public struct GuidedSession: Sendable, Codable {
  /// How much is asked of the person.
  public struct Effort: Equatable, Sendable, Codable {
    /// How long the person types, in microseconds; how many strokes at least, and how many end it sooner.
    public var typing: Microseconds = 120_000_000
    public var leastStrokes = 300
    public var enoughStrokes = 1200
    /// The number of single taps, and the time from one to the next in microseconds.
    public var taps = 60
    /// The number of taps where faults were seen, but too few for a certain answer or for a threshold.
    public var mostTaps = 150
    public var beat: Microseconds = 500_000
    /// The number of long holds, and the length of each in microseconds.
    public var holds = 5
    public var hold: Microseconds = 3_000_000
    /// The number of double taps.
    public var doubles = 20
    /// The largest number of keys to look at closely, besides those that the person names.
    public var suspects = 8

    public init() {}
  }

  /// What the person is asked to do.
  public enum Request: Equatable, Sendable {
    /// To type whatever they like, or what is shown.
    case type
    /// To tap the key once at every beat, in microseconds.
    case tap(KeyCode, beat: Microseconds)
    /// To hold the key down for this long, in microseconds, repeatedly.
    case hold(KeyCode, Microseconds)
    /// To tap the key twice, as fast as possible, repeatedly.
    case doubleTap(KeyCode)
    /// Nothing more.
    case done
  }

  /// The progress of the present request.
  public struct Progress: Equatable, Sendable {
    /// 0…1.
    public var fraction: Double
    /// The number of taps, holds, doubles or typed strokes that are done, and how many more are needed.
    public var done: Int
    public var remaining: Int
    /// How long to go on typing, in microseconds.
    public var timeRemaining: Microseconds
    /// Taps that came too soon and holds that were too short, which do not count.
    public var uncounted: Int
    /// Faults of the key seen so far.
    public var faults: Int
    /// How certain it is that the key's switch is bad, 0…1.
    public var certainty: Double
  }

  private enum Kind: Int, Codable, Sendable { case taps, holds, doubles }

  private struct Step: Equatable, Codable, Sendable {
    var kind: Kind?
    var key: KeyCode = 0
  }

  /// The number of faults from which their gaps can be estimated.
  private static let enoughFaults = 10

  public let effort: Effort
  /// The evidence so far.
  public private(set) var observer = Observer()

  /// Keys to be looked at closely, in their order; those already done come first.
  public private(set) var suspects: [KeyCode] = []
  /// Keys that the person named.
  private var named: [KeyCode] = []

  /// The present step; `nil` if all are done.
  private var step: Step? = Step()
  /// The evidence of the key, and the count of strokes, when the step began.
  private var before = KeyEvidence()
  /// How long the person has typed, without pauses of more than two seconds.
  private var typed: Microseconds = 0
  /// Up to when typing was counted, and when the last edge came.
  private var counted: Microseconds?
  private var lastEdge: Microseconds?

  /// The state when a step began. Not encoded: a resumed session cannot go back.
  private struct Beginning: Sendable {
    var step: Step
    var observer: Observer
    var suspects: [KeyCode]
    var typed: Microseconds
  }

  /// The beginnings of the earlier steps, and of this one.
  private var history: [Beginning] = []
  private var beginning = Beginning(step: Step(), observer: Observer(), suspects: [], typed: 0)

  private enum CodingKeys: String, CodingKey {
    case effort, observer, suspects, named, step, before, typed
  }

  public init(_ effort: Effort = Effort()) {
    self.effort = effort
  }

  /// - Throws: `DecodingError` if the session cannot be genuine. The file may have been edited.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    effort = try values.decode(Effort.self, forKey: .effort)
    observer = try values.decode(Observer.self, forKey: .observer)
    suspects = try values.decode([KeyCode].self, forKey: .suspects)
    named = try values.decode([KeyCode].self, forKey: .named)
    step = try values.decodeIfPresent(Step.self, forKey: .step)
    before = try values.decode(KeyEvidence.self, forKey: .before)
    typed = try values.decode(Microseconds.self, forKey: .typed)
    guard isPlausible else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "no session that can be"))
    }
    if let step {
      beginning = Beginning(step: step, observer: observer, suspects: suspects, typed: typed)
    }
  }

  private var isPlausible: Bool {
    guard effort.isPlausible, observer.isPlausible, before.isPlausible,
      (suspects + named).allSatisfy({ $0 < EventType.keyCount }),
      Set(suspects).count == suspects.count,
      (0...1000 * Microseconds(KeyEvidence.most)).contains(typed)
    else { return false }
    guard let step else { return true }
    return (step.kind == nil || suspects.contains(step.key)) && done(in: step) >= 0
      && observer[step.key].uncounted >= before.uncounted
  }
}

// MARK: - Requests and progress

extension GuidedSession {
  /// What the person is asked to do now.
  public var request: Request {
    guard let step else { return .done }
    return switch step.kind {
    case nil: .type
    case .taps: .tap(step.key, beat: effort.beat)
    case .holds: .hold(step.key, effort.hold)
    case .doubles: .doubleTap(step.key)
    }
  }

  /// The phase to which frames belong now.
  public var phase: Phase {
    switch request {
    case .type, .done: .typing
    case .tap(let key, _): .taps(key)
    case .hold(let key, _): .holds(key)
    case .doubleTap(let key): .doubles(key)
    }
  }

  public var progress: Progress {
    guard let step else {
      return Progress(
        fraction: 1, done: 0, remaining: 0, timeRemaining: 0, uncounted: 0, faults: 0, certainty: 0)
    }
    let evidence = observer[step.key]
    let done = done(in: step)
    var progress = Progress(
      fraction: 0, done: done, remaining: max(0, wanted(in: step) - done), timeRemaining: 0,
      uncounted: evidence.uncounted - before.uncounted, faults: evidence.faults.total,
      certainty: evidence.test.certainty)
    if step.kind == nil {
      progress.timeRemaining = max(0, effort.typing - typed)
      let byTime = min(
        Double(typed) / Double(effort.typing), Double(done) / Double(effort.leastStrokes))
      progress.fraction = max(byTime, Double(done) / Double(effort.enoughStrokes))
      progress.uncounted = 0
      progress.faults = 0
      progress.certainty = 0
    } else {
      progress.fraction = Double(done) / Double(max(1, wanted(in: step)))
    }
    progress.fraction = min(1, max(0, progress.fraction))
    return progress
  }

  /// The progress of the whole session, 0…1. It may decrease a little when a suspect is found.
  public var fraction: Double {
    guard let step else { return 1 }
    let each = 3.0
    let total = 2 + each * Double(max(1, suspects.count))
    guard let kind = step.kind else { return 2 * progress.fraction / total }
    let index = suspects.firstIndex(of: step.key) ?? 0
    return (2 + each * Double(index) + Double(kind.rawValue) + progress.fraction) / total
  }

  private func wanted(in step: Step) -> Int {
    switch step.kind {
    case nil: effort.leastStrokes
    case .taps: isInDoubt(step.key) ? max(effort.taps, effort.mostTaps) : effort.taps
    case .holds: effort.holds
    case .doubles: effort.doubles
    }
  }

  private func done(in step: Step) -> Int {
    let evidence = observer[step.key]
    return switch step.kind {
    case nil: observer.typedStrokes
    case .taps: evidence.taps.strokes - before.taps.strokes
    case .holds: evidence.holds.strokes - before.holds.strokes
    case .doubles: evidence.askedDoubles - before.askedDoubles
    }
  }
}

// MARK: - Events

extension GuidedSession {
  /// Receives a frame of the device, and moves on to the next request when this one is fulfilled.
  public mutating func receive(_ frame: borrowing Frame) {
    observer.receive(frame, during: phase)
    if frame.events.contains(where: { $0.type == EventType.key }) {
      advanceTyping(to: frame.time)
      lastEdge = frame.time
    }
    advance(to: frame.time)
  }

  /// Notes that time has passed. Must be called within 200 ms after a frame, so that the last tap counts.
  public mutating func advance(to time: Microseconds) {
    observer.advance(to: time)
    advanceTyping(to: time)
    while isFulfilled { moveOn() }
  }

  /// Counts the time spent typing: up to two seconds after the last edge.
  private mutating func advanceTyping(to time: Microseconds) {
    guard request == .type, let lastEdge else { return }
    let start = max(counted ?? lastEdge, lastEdge)
    let pause = lastEdge.addingReportingOverflow(2_000_000)
    let end = min(time, pause.overflow ? .max : pause.partialValue)
    if end > start { typed += end &- start }
    counted = max(start, end)
  }

  /// Moves on to the next request though this one is not fulfilled. The evidence is kept.
  public mutating func skip() {
    guard step != nil else { return }
    moveOn()
  }

  /// Goes back to the previous request. The evidence since it began is dropped.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  public mutating func back() -> Bool {
    guard let earlier = history.popLast() else { return false }
    observer = earlier.observer
    suspects = earlier.suspects
    typed = earlier.typed
    counted = nil
    lastEdge = nil
    beginning = earlier
    step = earlier.step
    before = observer[earlier.step.key]
    return true
  }

  /// Adds a key to be looked at closely, because the person suspects it.
  public mutating func add(_ key: KeyCode) {
    guard key < EventType.keyCount, !named.contains(key) else { return }
    named.append(key)
    guard step?.kind != nil || step == nil else { return }
    if !suspects.contains(key) { suspects.append(key) }
    if step == nil { enter(Step(kind: .taps, key: key)) }
  }

  /// Drops strokes in progress: events were lost, or the device was away.
  public mutating func interrupt() {
    observer.interrupt()
    counted = nil
    lastEdge = nil
  }

  /// The analysis of the evidence so far.
  public func analysis(costs: Costs = Costs()) -> Analysis { Analysis(observer, costs: costs) }

  private var isFulfilled: Bool {
    guard let step else { return false }
    let done = done(in: step)
    let evidence = observer[step.key]
    switch step.kind {
    case nil:
      return done >= effort.enoughStrokes || (typed >= effort.typing && done >= effort.leastStrokes)
    case .taps:
      if done >= wanted(in: step) { return true }
      return evidence.test.isCertain && !isInDoubt(step.key) && done >= min(20, effort.taps)
    case .holds:
      return done >= effort.holds
    case .doubles:
      return done >= effort.doubles
    }
  }

  /// Whether the key has shown faults, but too few for certainty, or for a threshold.
  private func isInDoubt(_ key: KeyCode) -> Bool {
    let evidence = observer[key]
    return evidence.taps.faults > 0
      && !(evidence.test.isCertain && evidence.faults.total >= Self.enoughFaults)
  }

  private mutating func moveOn() {
    guard let step else { return }
    observer.interrupt()
    switch step.kind {
    case nil:
      let found = Analysis(observer).suspects().filter { !named.contains($0) }.prefix(
        effort.suspects)
      suspects = named + found
      enter(suspects.first.map { Step(kind: .taps, key: $0) })
    case .taps:
      enter(Step(kind: .holds, key: step.key))
    case .holds where observer[step.key].test.isCertain:
      enter(Step(kind: .doubles, key: step.key))
    case .holds, .doubles:
      let index = suspects.firstIndex(of: step.key) ?? suspects.count
      enter(suspects.dropFirst(index + 1).first.map { Step(kind: .taps, key: $0) })
    }
  }

  private mutating func enter(_ step: Step?) {
    if self.step != nil { history.append(beginning) }
    if let step {
      beginning = Beginning(step: step, observer: observer, suspects: suspects, typed: typed)
    }
    self.step = step
    before = observer[step?.key ?? 0]
  }
}
