import Debounce

/// Leads a person through a calibration: what to ask for next, how far it is, and when the answer is certain.
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
    /// How long is typed, in microseconds, and how many strokes at least. So many strokes are enough sooner.
    public var typing: Microseconds = 120_000_000
    public var leastStrokes = 300
    public var enoughStrokes = 1200
    /// Single taps, and the time from one to the next.
    public var taps = 60
    /// So many where there are faults and the answer is not certain yet, or its threshold is not.
    public var mostTaps = 150
    public var beat: Microseconds = 500_000
    /// Long holds, and how long each is.
    public var holds = 5
    public var hold: Microseconds = 3_000_000
    /// Double taps.
    public var doubles = 20
    /// At most so many keys are looked at closely, besides those that the person names.
    public var suspects = 8

    public init() {}
  }

  /// What the person is asked to do.
  public enum Request: Equatable, Sendable {
    /// To type whatever they like, or what is shown.
    case type
    /// To tap the key once at every beat: so many microseconds apart.
    case tap(KeyCode, beat: Microseconds)
    /// To hold the key down for so long, again and again.
    case hold(KeyCode, Microseconds)
    /// To tap the key twice, as fast as they can, again and again.
    case doubleTap(KeyCode)
    /// Nothing more.
    case done
  }

  /// How far the present request is.
  public struct Progress: Equatable, Sendable {
    /// 0…1.
    public var fraction: Double
    /// Taps, holds or doubles done, and how many more are wanted; for typing, strokes.
    public var done: Int
    public var remaining: Int
    /// While typing: for how long yet, in microseconds.
    public var timeRemaining: Microseconds
    /// Taps that came too soon, and holds that were too short: they are not counted.
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

  /// So many faults tell enough of their gaps.
  private static let enoughFaults = 10

  public let effort: Effort
  /// What has been seen.
  public private(set) var observer = Observer()

  /// Keys to be looked at closely, in their order; those already done come first.
  public private(set) var suspects: [KeyCode] = []
  /// Keys that the person named.
  private var named: [KeyCode] = []

  /// The present step; `nil`: done.
  private var step: Step? = Step()
  /// The evidence of the key, and the count of strokes, when the step began.
  private var before = KeyEvidence()
  /// For how long was typed up to the last frame, pauses of more than two seconds not counted.
  private var typed: Microseconds = 0
  /// Up to when it was counted, and when the last edge came.
  private var counted: Microseconds?
  private var lastEdge: Microseconds?

  /// What had been seen when a step began. Not encoded: after a pause one cannot go back.
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

  /// - Throws: `DecodingError` if it is no session that could have come about: it may come from a file that somebody
  ///   has edited.
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

// What is asked, and how far it is.
extension GuidedSession {
  /// What to ask of the person now.
  public var request: Request {
    guard let step else { return .done }
    return switch step.kind {
    case nil: .type
    case .taps: .tap(step.key, beat: effort.beat)
    case .holds: .hold(step.key, effort.hold)
    case .doubles: .doubleTap(step.key)
    }
  }

  /// The phase that frames belong to now.
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

  /// How far the whole session is, 0…1: steps that are done, and the part of the present one. It may go back a little
  /// when a suspect is found.
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

// What happens.
extension GuidedSession {
  /// Hears a frame of the device, and goes on to the next request when this one is fulfilled.
  public mutating func receive(_ frame: borrowing Frame) {
    observer.receive(frame, during: phase)
    if frame.events.contains(where: { $0.type == EventType.key }) {
      advanceTyping(to: frame.time)
      lastEdge = frame.time
    }
    advance(to: frame.time)
  }

  /// Time has passed. To be called now and then, at the latest 200 ms after a frame, so that the last tap is counted.
  public mutating func advance(to time: Microseconds) {
    observer.advance(to: time)
    advanceTyping(to: time)
    while isFulfilled { goOn() }
  }

  /// Counts the time in which is typed: up to two seconds after the last edge.
  private mutating func advanceTyping(to time: Microseconds) {
    guard request == .type, let lastEdge else { return }
    let start = max(counted ?? lastEdge, lastEdge)
    let pause = lastEdge.addingReportingOverflow(2_000_000)
    let end = min(time, pause.overflow ? .max : pause.partialValue)
    if end > start { typed += end &- start }
    counted = max(start, end)
  }

  /// Goes on to the next request though this one is not fulfilled. What was seen is kept.
  public mutating func skip() {
    guard step != nil else { return }
    goOn()
  }

  /// Goes back to the request before; what was seen since it began is forgotten.
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

  /// Has a key looked at closely whatever the scan says: the person suspects it.
  public mutating func add(_ key: KeyCode) {
    guard key < EventType.keyCount, !named.contains(key) else { return }
    named.append(key)
    guard step?.kind != nil || step == nil else { return }
    if !suspects.contains(key) { suspects.append(key) }
    if step == nil { enter(Step(kind: .taps, key: key)) }
  }

  /// Events were lost, or the device was away: what was begun is dropped.
  public mutating func interrupt() {
    observer.interrupt()
    counted = nil
    lastEdge = nil
  }

  /// The diagnoses so far.
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

  private mutating func goOn() {
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
