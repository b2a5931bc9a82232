import Debounce

/// A stroke of a finger: one contact of its key, or several if the switch broke it.
public struct MeasuredStroke: Equatable, Sendable {
  /// From a press to the release after it.
  public struct Contact: Equatable, Sendable {
    public var press: Microseconds
    public var release: Microseconds
    /// Whether it is sure that a contact of the switch is seen, and how long it was.
    var isSeen = true

    var length: Microseconds { release - press }
  }

  public var key: KeyCode
  public var contacts: [Contact]
  /// What the person was asked for.
  public var exercise: Exercise
  /// Whether it is known that this is one stroke. What a finger and a switch do alike is judged by nobody.
  public var isClear = true

  public var press: Microseconds { contacts[0].press }
  public var release: Microseconds { contacts[contacts.count - 1].release }
  /// Whether the switch broke it.
  public var isFaulty: Bool { isClear && contacts.count > 1 }

  /// The times between its contacts.
  public var gaps: [Microseconds] {
    zip(contacts, contacts.dropFirst()).map { $1.press - $0.release }
  }

  /// What the switch did first.
  public var fault: Chatter? {
    guard isFaulty else { return nil }
    guard contacts[0].length >= Labels.shortContact else { return .pressBounce }
    return contacts[contacts.count - 1].length >= Labels.shortContact ? .dropOut : .releaseBounce
  }
}

/// Which contacts of a tape are whose: what the person was asked for says it, or else what no finger does.
///
/// ```
///  ten taps    ▁█▁▁▁▁█▁▁▁█▁█▁▁▁█▁   a stroke a beat: whatever comes within one is the switch's
///  a hold      ▁████▁█████▁██████   one stroke
///  doubles     ▁█▁▁█▁▁▁▁█▁█▁▁█▁▁▁   two strokes a time: where there are more contacts, the shortest gaps are the switch's
///  typing      ▁█▁█▁▁▁▁▁▁██▁█▁▁▁▁   what no finger does is the switch's; what some fingers do is unclear
/// ```
///
/// How people double-tap was measured on 11 040 doubles of 911 people (Dhakal et al., CHI 2018). A contact below 25 ms beside
/// a gap below 50 ms is one in 2500 of them, a gap below 12 ms one in 1400, one below 30 ms one in 130.
public struct Labels: Sendable {
  /// In the order of their presses.
  public private(set) var strokes: [MeasuredStroke] = []
  /// Taps that came too soon after another, holds that were let go too early, and doubles of which the second stroke came
  /// too late, by what was asked for. They are labelled as well; only the person has not done it then.
  public private(set) var undone: [Exercise: Int] = [:]
  /// Strokes that a machine made: a scanner, a macro, a knob. Nobody judges them.
  public private(set) var driven: [KeyCode: Int] = [:]
  /// Taps, holds and doubles that were done.
  public private(set) var done: [Exercise: Int] = [:]

  /// Taps that begin sooner than this after one another are no single ones.
  static let leastBeat: Microseconds = 250_000
  /// A shorter hold is none.
  public static let leastHold: Microseconds = 1_500_000
  /// A second stroke that comes later makes no double.
  public static let longestDouble: Microseconds = 300_000

  /// Contacts closer to each other than this may be one stroke.
  private static let together: Microseconds = 150_000
  /// No finger's contact is so short, …
  private static let fleeting: Microseconds = 12_000
  /// … and hardly any beside a short gap.
  static let shortContact: Microseconds = 25_000
  private static let shortGap: Microseconds = 50_000
  /// No finger comes back so soon, …
  private static let noGap: Microseconds = 12_000
  /// … and few come back so soon.
  private static let doubtfulGap: Microseconds = 30_000
  /// Edges of several keys at once are late: a receiver held them back.
  private static let atOnce: Microseconds = 200

  /// - Parameter end: Up to when the tape goes. What may still go on then is left out.
  public init(of tape: Tape, until end: Microseconds = .max / 8) {
    var contacts: [KeyCode: [(contact: MeasuredStroke.Contact, exercise: Exercise)]] = [:]
    var pressed: [KeyCode: Int] = [:]
    let late = Self.lateEdges(of: tape)
    for (index, edge) in tape.edges.enumerated() {
      if edge.isDown {
        pressed[edge.key] = index
      } else if let press = pressed.removeValue(forKey: edge.key) {
        contacts[edge.key, default: []].append(
          (
            .init(
              press: tape.edges[press].time, release: edge.time,
              isSeen: !edge.isAssumed && !late.contains(press) && !late.contains(index)),
            tape.edges[press].exercise
          ))
      }
    }
    for (key, contacts) in contacts { label(contacts, of: key, until: end) }
    excuseSlips()
    strokes.sort { ($0.press, $0.key) < ($1.press, $1.key) }
    excludeMachines(Self.drivenTimes(of: tape))
  }

  /// When machines typed on a tape, as the engine judges, and on which keys.
  private static func drivenTimes(of tape: Tape) -> [KeyCode: [Microseconds]] {
    var engine = Debouncer()
    var output = FrameQueue()
    var times: [KeyCode: [Microseconds]] = [:]
    for edge in tape.edges {
      engine.process(Frame(time: edge.time, [.key(edge.key, down: edge.isDown)]), into: &output)
      output.removeAll()
      if engine.isDriven(edge.key) { times[edge.key, default: []].append(edge.time) }
    }
    return times
  }

  /// Takes out the strokes at these times, and those of the same burst before them, by which the machine was known.
  private mutating func excludeMachines(_ times: [KeyCode: [Microseconds]]) {
    guard !times.isEmpty else { return }
    let known = times.mapValues { Set($0) }
    var burst: Microseconds?
    for index in strokes.indices.reversed() {
      let stroke = strokes[index]
      let isKnown = stroke.contacts.contains {
        known[stroke.key]?.contains($0.press) ?? false
          || known[stroke.key]?.contains($0.release) ?? false
      }
      guard isKnown || burst.map({ $0 - stroke.release < Self.together }) ?? false else {
        // Where a machine types at times, short contacts alone may be strokes of its as well.
        if stroke.isFaulty, stroke.contacts.allSatisfy({ $0.length < 2 * Self.shortContact }) {
          strokes[index].isClear = false
        }
        continue
      }
      burst = stroke.press
      strokes[index].isClear = false
      driven[stroke.key, default: 0] += 1
    }
  }

  /// Labels by whoever knows.
  init(_ strokes: [MeasuredStroke]) {
    self.strokes = strokes
  }

  /// The edges that came together with two or more of other keys.
  private static func lateEdges(of tape: Tape) -> Set<Int> {
    var late: Set<Int> = []
    var start = 0
    for index in 1..<max(1, tape.length + 1) {
      if index < tape.length, tape.edges[index].time - tape.edges[start].time <= atOnce { continue }
      let moment = start..<min(index, tape.length)
      if moment.count > 2, Set(tape.edges[moment].map(\.key)).count > 1 { late.formUnion(moment) }
      start = index
    }
    return late
  }

  private mutating func label(
    _ contacts: [(contact: MeasuredStroke.Contact, exercise: Exercise)], of key: KeyCode,
    until now: Microseconds
  ) {
    var run: [MeasuredStroke.Contact] = []
    var exercise = Exercise.typing
    var limit = Self.together
    for (contact, itsExercise) in contacts {
      if let last = run.last, itsExercise != exercise || contact.press - last.release >= limit {
        end(run, of: key, exercise)
        run = []
      }
      exercise = itsExercise
      if case .doubles = exercise { limit = Self.longestDouble } else { limit = Self.together }
      run.append(contact)
    }
    if let last = run.last, now - last.release >= limit { end(run, of: key, exercise) }
  }

  /// Labels contacts that may be one stroke.
  private mutating func end(_ run: [MeasuredStroke.Contact], of key: KeyCode, _ exercise: Exercise)
  {
    guard let first = run.first, let last = run.last else { return }
    switch exercise {
    case .typing: split(run, of: key, exercise)
    case .taps, .holds:
      let length = last.release - first.press
      var isDone = true
      if case .holds = exercise {
        isDone = length >= Self.leastHold
      } else if let before = strokes.last(where: { $0.exercise == exercise }) {
        isDone = first.press - before.press >= Self.leastBeat
      }
      if isDone { done[exercise, default: 0] += 1 } else { undone[exercise, default: 0] += 1 }
      add(run, of: key, exercise, isClear: true)
    case .doubles: pair(run, of: key, exercise)
    }
  }

  private mutating func add(
    _ run: [MeasuredStroke.Contact], of key: KeyCode, _ exercise: Exercise, isClear: Bool
  ) {
    strokes.append(
      MeasuredStroke(
        key: key, contacts: run, exercise: exercise, isClear: isClear && run.allSatisfy(\.isSeen)))
  }

  /// What two contacts are, where nothing was asked for.
  private enum Pair { case oneStroke, unclear, twoStrokes }

  private static func pair(
    _ one: MeasuredStroke.Contact, _ other: MeasuredStroke.Contact
  ) -> Pair {
    let gap = other.press - one.release
    let contact = min(one.length, other.length)
    if contact < fleeting || gap < noGap || (contact < shortContact && gap < shortGap) {
      return .oneStroke
    }
    return contact < shortContact || gap < doubtfulGap ? .unclear : .twoStrokes
  }

  /// Labels by what no finger does.
  private mutating func split(
    _ run: [MeasuredStroke.Contact], of key: KeyCode, _ exercise: Exercise
  ) {
    var stroke = [run[0]]
    var isClear = true
    for (one, other) in zip(run, run.dropFirst()) {
      switch Self.pair(one, other) {
      case .oneStroke: stroke.append(other)
      case .unclear:
        stroke.append(other)
        isClear = false
      case .twoStrokes:
        add(stroke, of: key, exercise, isClear: isClear)
        (stroke, isClear) = ([other], true)
      }
    }
    add(stroke, of: key, exercise, isClear: isClear)
  }

  /// Labels a double: two strokes, whatever the switch made of them.
  private mutating func pair(
    _ run: [MeasuredStroke.Contact], of key: KeyCode, _ exercise: Exercise
  ) {
    let gaps = zip(run, run.dropFirst()).map { $1.press - $0.release }
    let sorted = gaps.sorted(by: >)
    guard let longest = sorted.first, let place = gaps.firstIndex(of: longest),
      run.count == 2 ? Self.pair(run[0], run[1]) != .oneStroke : longest >= 2 * sorted[1]
    else {
      undone[exercise, default: 0] += 1
      return split(run, of: key, exercise)
    }
    done[exercise, default: 0] += 1
    add(Array(run[...place]), of: key, exercise, isClear: true)
    add(Array(run[(place + 1)...]), of: key, exercise, isClear: true)
  }

  /// A person taps twice now and then where one tap was asked for, and lets a hold go and presses again: what looks like a
  /// finger's double is unclear there, as long as there is no more of it than people do.
  private mutating func excuseSlips() {
    let asked = Dictionary(grouping: strokes.indices.filter { strokes[$0].exercise != .typing }) {
      strokes[$0].exercise
    }
    for (exercise, strokes) in asked {
      if case .doubles = exercise { continue }
      let slips = strokes.filter { index in
        let contacts = self.strokes[index].contacts
        return zip(contacts, contacts.dropFirst()).contains {
          Self.pair($0, $1) == .twoStrokes && $1.press - $0.release >= Self.shortGap / 5 * 4
        }
      }
      guard slips.count <= max(2, strokes.count / 10) else { continue }
      for index in slips { self.strokes[index].isClear = false }
    }
  }
}
