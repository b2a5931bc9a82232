import Debounce
import Reports

/// A guided calibration: decides what to ask for next, how far it is, and when the answer is certain.
///
/// ```
///   typing ──▶ for each suspect:  taps ──▶ holds ──▶ doubles ──▶ … ──▶ taps again ──▶ done
///     ▲         (most suspicious first)             only of a worn      of worn keys, while more
///     └── again, as long as that finds worn keys    switch              would tell what to set
/// ```
///
/// It has no clock and no terminal: it receives frames and the time, both of the kernel's event clock, and says what to do
/// next: ``request``.
public struct GuidedSession: Sendable {
  /// How much is asked of the person.
  public struct Effort: Equatable, Sendable {
    /// How long the person types, in microseconds; how many strokes at least, and how many end it sooner.
    var typing: Microseconds = 120_000_000
    var leastStrokes = 300
    var enoughStrokes = 1200
    /// The number of single taps, and the time from one to the next in microseconds.
    var taps = 60
    var beat: Microseconds = 500_000
    /// The number of taps if faults were seen, but too few for a certain answer or to tell settings apart.
    var mostTaps = 200
    /// The number of taps in a repetition that may tell what to set, and of repetitions of each key.
    var moreTaps = 100
    var repeats = 3
    /// The number of long holds, and the length of each in microseconds.
    var holds = 5
    var hold: Microseconds = 2_000_000
    var doubles = 10
    /// The largest number of keys to look at closely after each typing, besides those that the person names.
    var suspects = 8
    /// The most times that the person is asked to type.
    var rounds = 4

    public init() {}

    var allMoreTaps: Int { moreTaps * repeats }
  }

  public struct Progress: Equatable, Sendable {
    public var fraction = 1.0
    /// The taps, holds, doubles or typed strokes that are done, and how many more are needed.
    var done = 0
    var remaining = 0
    /// How long to go on typing, in microseconds.
    var timeRemaining: Microseconds = 0
    /// Taps that came too soon, holds that were too short, and taps that made no double. They do not count.
    var uncounted = 0
    /// Faults of the key seen so far.
    var faults = 0
    /// How certain it is that the key's switch is worn, 0…1.
    var certainty = 0.0
  }

  /// The number of faults that is enough to tell settings apart.
  private static let enoughFaults = 20
  /// A longer pause does not count as typing.
  private static let rest: Microseconds = 2_000_000

  let effort: Effort
  private let inForce: InForce
  public private(set) var tape = Tape()
  /// The keys to look at closely, in their order. Those that are done come first.
  private(set) var suspects: [KeyCode] = []
  /// The suspects whose switches are certainly worn.
  private(set) var worn: Set<KeyCode> = []
  public private(set) var progress = Progress()
  /// The keys that look worn while the person types.
  private(set) var suspectsSoFar: [KeyCode] = []

  /// The exercise that is asked for; `nil` once all is done.
  public private(set) var request: Exercise? = .typing
  /// Each step so far, the present one last: the length of the tape, the suspects and the worn keys when it began.
  private var history: [(step: Exercise, length: Int, suspects: [KeyCode], worn: Set<KeyCode>)] = [
    (.typing, 0, [], [])
  ]
  private var named: [KeyCode] = []
  /// The number of presses when suspects were last looked for.
  private var looked = 0
  /// The faults and the wear that the key had shown before this step.
  private var before = (faults: 0, wear: SwitchWear())

  public init(_ effort: Effort = Effort(), inForce: InForce = InForce()) {
    self.effort = effort
    self.inForce = inForce
    advance()
  }

  /// The progress of the whole session, 0…1. It may fall a little when a suspect is found.
  public var fraction: Double {
    guard let step = request else { return 1 }
    guard !isAgain else { return 0.9 + progress.fraction / 10 }
    // Typing takes about twice as long as taps, holds or doubles.
    let typed = 2 * Double(rounds)
    let total = typed + 3 * Double(max(1, suspects.count))
    guard let index = step.key.map({ suspects.firstIndex(of: $0) ?? 0 }) else {
      return ((rounds > 1 ? total - 2 : 0) + 2 * progress.fraction) / total
    }
    let part = if case .taps = step { 0.0 } else if case .holds = step { 1.0 } else { 2.0 }
    return (typed + 3 * Double(index) + part + progress.fraction) / total
  }

  /// How many steps were begun. One that is asked for again counts again.
  public var steps: Int { history.count }

  /// How many times the person was asked to type.
  var rounds: Int { times(.typing) }

  /// Whether taps of a key are asked for again, to tell what to set.
  var isAgain: Bool { if case .taps? = request { request.map(times) ?? 0 > 1 } else { false } }

  private func times(_ step: Exercise) -> Int { history.count { $0.step == step } }
}

// MARK: - Events

extension GuidedSession {
  /// Receives a frame of the device, and moves on to the next request when this one is fulfilled.
  public mutating func receive(_ frame: borrowing Frame) {
    tape.receive(frame, during: request ?? .typing)
    advance(to: frame.time)
  }

  /// Works out how far the step is, and moves on when it is done. A stroke that may still go on is left out.
  ///
  /// Call it within 200 ms after a frame, so that the last tap counts.
  public mutating func advance(to time: Microseconds = .max) {
    let time = min(max(time, .min / 8), .max / 8)
    while let step = request {
      measure(step, at: time)
      guard isFulfilled(step) else { return }
      moveOn()
    }
    progress = Progress()
  }

  /// Moves on to the next request though this one is not fulfilled. What was measured is kept.
  public mutating func skip() {
    guard request != nil else { return }
    moveOn()
    advance()
  }

  /// Goes back to the previous request, and drops what came since that request began.
  public mutating func back() {
    if request != nil {
      guard history.count > 1 else { return }
      history.removeLast()
    }
    guard let earlier = history.last else { return }
    tape.cut(to: earlier.length)
    (request, suspects, worn) = (earlier.step, earlier.suspects, earlier.worn)
    begin()
    advance()
  }

  /// Adds a key to be looked at closely, because the person suspects it.
  public mutating func add(_ key: KeyCode) {
    guard key < EventType.keyCount, !named.contains(key) else { return }
    named.append(key)
    guard request != .typing else { return }
    if !suspects.contains(key) { suspects.append(key) }
    if request == nil { enter(.taps(key)) }
  }

  /// Notes that events were lost; see ``Tape/lose(until:)``.
  public mutating func lose(until time: Microseconds) {
    tape.lose(until: time)
  }
}

// MARK: - Steps

extension GuidedSession {
  private mutating func measure(_ step: Exercise, at time: Microseconds) {
    progress = Progress()
    let part = tape.part(from: history.last?.length ?? 0)
    guard let key = step.key else {
      progress.done = part.presses
      // Each look reads all that was typed, so that it is not done for every stroke.
      if part.presses != looked, part.presses < 60 || part.presses % 20 == 0 {
        looked = part.presses
        suspectsSoFar = newSuspects(at: time)
      }
      progress.remaining = max(0, effort.leastStrokes - part.presses)
      let typed = Self.typed(in: part, until: time)
      progress.timeRemaining = max(0, effort.typing - typed)
      let byTime = min(
        Double(typed) / Double(effort.typing), Double(part.presses) / Double(effort.leastStrokes))
      progress.fraction = min(1, max(byTime, Double(part.presses) / Double(effort.enoughStrokes)))
      return
    }
    let labels = Labels(of: part, until: time)
    let strokes = labels.strokes.filter { $0.exercise == step && $0.isClear }
    let faults = strokes.count(where: \.isFaulty)
    var wear = before.wear
    wear.add(faults: faults, strokes: strokes.count, allowed: Findings.errors)
    progress.done = labels.done[step] ?? 0
    progress.uncounted = labels.undone[step]?.count ?? 0
    progress.faults = before.faults + faults
    progress.certainty = wear.certainty
    if wear.isCertain { worn.insert(key) }
    let wanted = wanted(in: step)
    progress.remaining = max(0, wanted - progress.done)
    progress.fraction = min(1, Double(progress.done) / Double(max(1, wanted)))
  }

  /// How long the person has typed, in microseconds, pauses left out.
  private static func typed(in part: Tape, until time: Microseconds) -> Microseconds {
    let times = part.edges.map(\.time)
    return zip(times, times.dropFirst() + [time]).reduce(0) {
      $0 + min(max(0, $1.1 - $1.0), rest)
    }
  }

  /// The number of strokes, taps, holds or doubles that a step asks for.
  private func wanted(in step: Exercise) -> Int {
    switch step {
    case .typing: effort.leastStrokes
    case .taps: isAgain ? effort.moreTaps : isInDoubt ? effort.mostTaps : effort.taps
    case .holds: effort.holds
    case .doubles: effort.doubles
    }
  }

  /// Whether the key has shown faults, but too few for a certain answer or to tell settings apart.
  private var isInDoubt: Bool {
    progress.faults > 0 && !(progress.certainty >= 1 && progress.faults >= Self.enoughFaults)
  }

  private func isFulfilled(_ step: Exercise) -> Bool {
    switch step {
    case .typing:
      progress.done >= effort.enoughStrokes
        || (progress.timeRemaining == 0 && progress.remaining == 0)
    case .taps:
      progress.remaining == 0
        || (progress.certainty >= 1 && !isInDoubt && !isAgain
          && progress.done >= min(20, effort.taps))
    case .holds, .doubles: progress.remaining == 0
    }
  }

  private mutating func moveOn() {
    guard let step = request else { return }
    tape.interrupt()
    switch step {
    case .typing:
      let looked = suspects.count
      suspects += named.filter { !suspects.contains($0) }
      suspects += newSuspects().prefix(effort.suspects)
      enter(suspects.dropFirst(looked).first.map(Exercise.taps) ?? next)
    // A person who skips repeated taps is asked for no more of them.
    case .taps where isAgain: enter(isFulfilled(step) ? next : nil)
    case .taps(let key): enter(.holds(key))
    case .holds(let key) where worn.contains(key): enter(.doubles(key))
    case .holds(let key), .doubles(let key):
      let index = suspects.firstIndex(of: key) ?? suspects.count
      enter(suspects.dropFirst(index + 1).first.map(Exercise.taps) ?? next)
    }
  }

  /// The keys that typing makes suspicious and that were not looked at yet.
  private func newSuspects(at time: Microseconds = .max / 8) -> [KeyCode] {
    Findings.suspects(of: Labels(of: tape, until: time)).filter {
      !suspects.contains($0) && !named.contains($0)
    }
  }

  /// The step after the last suspect. More typing comes first if the last typing has led to a worn key, because there may be
  /// others. Taps follow, of keys for which some more would tell what to set.
  private var next: Exercise? {
    guard !worn.isEmpty else { return nil }
    let known = history.last { $0.step == .typing }?.worn ?? []
    if rounds < effort.rounds, !worn.isSubset(of: known) { return .typing }
    let undecided = Findings(of: tape, inForce: inForce).keys
      .filter { $0.strokesToDecide ?? .max <= effort.allMoreTaps + effort.moreTaps }
      .map { Exercise.taps($0.key) }
    return undecided.min { times($0) < times($1) }.flatMap {
      times($0) <= effort.repeats ? $0 : nil
    }
  }

  private mutating func enter(_ step: Exercise?) {
    request = step
    guard let step else { return }
    looked = 0
    history.append((step, tape.length, suspects, worn))
    begin()
  }

  /// Notes what is known of the step's key before it begins.
  private mutating func begin() {
    before = (0, SwitchWear())
    guard let key = request?.key else { return }
    let labels = Labels(of: tape)
    before.faults = labels.strokes.count { $0.key == key && $0.isFaulty }
    before.wear = Findings.wear(of: key, labels)
  }
}
