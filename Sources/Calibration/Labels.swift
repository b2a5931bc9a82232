import Debounce

/// A stroke of a finger: one contact of its key, or several if the switch broke it.
public struct MeasuredStroke: Equatable, Sendable {
  /// From a press to the release after it.
  public struct Contact: Equatable, Sendable {
    public var press: Microseconds
    public var release: Microseconds
    /// Whether it is sure that a contact of the switch is seen, and how long it was.
    var isSeen = true
    /// Whether it is one of many that are even: then a stroke begins with it, however short the gap.
    var isTap = false

    var length: Microseconds { release - press }
  }

  public var key: KeyCode
  public var contacts: [Contact]
  /// What the person was asked for.
  public var exercise: Exercise
  public var certainty = Certainty.clear

  public enum Certainty: Sendable {
    /// It is known that this is one stroke.
    case clear
    /// A finger may have made two, and hardly ever does: on a worn key these are the switch's, if they are many.
    case doubtful
    /// Nobody can tell whose the contacts are: a machine typed, the receiver was late, or a finger was in haste.
    case unknown
  }

  public var isClear: Bool { certainty == .clear }

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
    guard contacts[0].length >= Chatter.shortHold else { return .pressBounce }
    return contacts[contacts.count - 1].length >= Chatter.shortHold ? .dropOut : .releaseBounce
  }
}

extension MeasuredStroke {
  fileprivate var isShort: Bool {
    contacts.allSatisfy { $0.length < Labels.engine.shortContact }
  }

  /// A contact that crackles looks like a machine, too, and has small gaps for as long as a finger's stroke.
  fileprivate var mayBeMachines: Bool {
    isShort
      && (release - press < Labels.engine.shortContact
        || gaps.allSatisfy { $0 >= Labels.engine.borderline })
  }
}

/// Which contacts of a tape are whose: what the person was asked for says it, or else what no finger does.
///
/// ```
///  ten taps    ▁█▁▁▁▁█▁▁▁█▁█▁▁▁█▁   a stroke a beat: whatever comes within one is the switch's
///  a hold      ▁████▁█████▁██████   one stroke
///  doubles     ▁█▁▁█▁▁▁▁█▁█▁▁█▁▁▁   two strokes a time: where there are more contacts, the shortest gaps are the switch's
///  typing      ▁█▁█▁▁▁▁▁▁██▁█▁▁▁▁   what no finger does is the switch's; what few fingers do is doubtful
///              ▁██▁██▁██▁██▁██▁▁▁   many in a row that are even: each is a stroke, however short the gaps
/// ```
///
/// How people double-tap was measured on 11 040 doubles of 911 people (Dhakal et al., CHI 2018). A contact below 30 ms beside
/// a gap below 50 ms is one in 5500 of them, a gap below 15 ms one in 700, one below 40 ms one in 37.
public struct Labels: Sendable {
  /// In the order of their presses.
  public private(set) var strokes: [MeasuredStroke] = []
  /// Taps that came too soon after another, holds that were let go too early, and doubles of which the second stroke came
  /// too late, by what was asked for. They are labelled as well; only the person has not done it then.
  public private(set) var undone: [Exercise: Int] = [:]
  /// Strokes that a machine made: a scanner, a macro, a knob. Nobody judges their switches.
  public private(set) var driven: [KeyCode: Int] = [:]
  /// Taps, holds and doubles that were done.
  public private(set) var done: [Exercise: Int] = [:]

  /// Taps that begin sooner than this after one another are no single ones.
  static let leastBeat: Microseconds = 250_000
  /// A shorter hold is none.
  public static let leastHold: Microseconds = 1_500_000
  /// A second stroke that comes later makes no double.
  public static let longestDouble: Microseconds = 300_000

  /// What the engine knows of fingers and machines.
  fileprivate static let engine = Adaptive()
  /// Contacts closer to each other than this may be one stroke, and strokes are a double.
  static let together = engine.recent
  /// Detents of a knob that is turned are no faster.
  private static let fastestDetents: Microseconds = 20_000
  /// As quick as fingers are that come back in less time now and then.
  static let quick = 2 * engine.healthySuspect
  /// Edges of several keys at once are late: a receiver held them back.
  private static let atOnce: Microseconds = 200

  /// - Parameter end: Up to when the tape goes. What may still go on then is left out.
  public init(of tape: Tape, until end: Microseconds = .max / 8) {
    var contacts: [KeyCode: [(contact: MeasuredStroke.Contact, exercise: Exercise)]] = [:]
    let late = Self.lateEdges(of: tape)
    let spans = Self.spans(of: tape)
    let even = Self.evenPresses(of: tape, spans)
    for span in spans {
      let (press, release) = (tape.edges[span.press], tape.edges[span.release])
      let isLate = late.contains(span.press) || late.contains(span.release)
      contacts[press.key, default: []].append(
        (
          .init(
            press: press.time, release: release.time, isSeen: !release.isAssumed && !isLate,
            isTap: even.contains(span.press)),
          press.exercise
        ))
    }
    for (key, contacts) in contacts { label(contacts, of: key, until: end) }
    excuseSlips()
    strokes.sort { ($0.press, $0.key) < ($1.press, $1.key) }
    excludeKnobs()
    excludeMachines(Self.drivenTimes(of: tape))
  }

  /// From each press to the release after it, by their indices, in the order of the presses.
  private static func spans(of tape: Tape) -> [(press: Int, release: Int)] {
    var pressed: [KeyCode: Int] = [:]
    var spans: [(press: Int, release: Int)] = []
    for (index, edge) in tape.edges.enumerated() {
      if edge.isDown {
        pressed[edge.key] = index
      } else if let press = pressed.removeValue(forKey: edge.key) {
        spans.append((press, index))
      }
    }
    return spans.sorted { $0.press < $1.press }
  }

  /// The presses of contacts, on whatever keys, that follow each other more evenly than a finger's.
  private static func evenPresses(
    of tape: Tape, _ spans: [(press: Int, release: Int)]
  ) -> Set<Int> {
    func isEven(_ one: Microseconds, _ other: Microseconds) -> Bool {
      abs(one - other) <= engine.pollingEvenness
    }
    var even: Set<Int> = []
    var run: [Int] = []
    var last: (press: Microseconds, length: Microseconds, period: Microseconds) = (0, 0, 0)
    for span in spans where !tape.edges[span.press].key.isModifier {
      let press = tape.edges[span.press].time
      let (length, period) = (tape.edges[span.release].time - press, press - last.press)
      if !isEven(length, last.length) || period < engine.fastestMachine
        || run.count > 1 && !isEven(period, last.period)
      {
        run = []
      }
      run.append(span.press)
      last = (press, length, period)
      if run.count >= engine.drivenContacts {
        even.formUnion(run.suffix(Int(engine.drivenContacts)))
      }
    }
    return even
  }

  /// When machines typed on a tape, as the engine judges, and on which keys.
  private static func drivenTimes(of tape: Tape) -> [KeyCode: Set<Microseconds>] {
    var engine = Debouncer()
    var times: [KeyCode: Set<Microseconds>] = [:]
    for edge in tape.edges {
      engine.process(Frame(time: edge.time, [.key(edge.key, down: edge.isDown)]))
      engine.output.removeAll()
      if engine.isDriven(edge.key) { times[edge.key, default: []].insert(edge.time) }
    }
    return times
  }

  /// Takes out what knobs send: keys whose strokes are mostly as short as detents, if the engine passes them on for that reason,
  /// or if several come at a time. A contact that crackles is faster.
  private mutating func excludeKnobs() {
    let typed = strokes.indices.filter { strokes[$0].exercise == .typing }
    for (key, own) in Dictionary(grouping: typed, by: { strokes[$0].key }) {
      let short = own.filter { strokes[$0].isShort }
      let turns = short.count { index in
        let (stroke, count) = (strokes[index], strokes[index].contacts.count)
        return count > 1
          && stroke.release - stroke.press >= Microseconds(count) * Self.fastestDetents
      }
      let isTurned = turns >= 3 && turns > own.count - short.count
      let isSpared = 2 * short.count > own.count && Rules().strategy(of: key) == .none
      guard isTurned || isSpared else { continue }
      for index in own { strokes[index].certainty = .unknown }
      driven[key] = own.count
    }
  }

  /// Takes out what machines typed: runs of short strokes, between pauses or a finger's strokes, in which one was known.
  private mutating func excludeMachines(_ known: [KeyCode: Set<Microseconds>]) {
    guard !known.isEmpty else { return }
    func isKnown(_ index: Int) -> Bool {
      let times = known[strokes[index].key, default: []]
      return strokes[index].contacts.contains {
        times.contains($0.press) || times.contains($0.release)
      }
    }
    for part in typedBetweenPauses {
      let runs = part.split { !strokes[$0].isShort && !strokes[$0].key.isModifier }
      let isBesideFinger = runs.first?.count != part.count
      for run in runs {
        let isMachines =
          run.contains(where: isKnown)
          && (!isBesideFinger
            || run.allSatisfy { strokes[$0].mayBeMachines || strokes[$0].key.isModifier })
        for index in run where isMachines || strokes[index].mayBeMachines {
          strokes[index].certainty = .unknown
          if isMachines { driven[strokes[index].key, default: 0] += 1 }
        }
        // The machine's last stroke may be taken for the beginning of the next one.
        if isMachines, run.endIndex < part.endIndex, isKnown(part[run.endIndex]) {
          strokes[part[run.endIndex]].certainty = .unknown
        }
      }
    }
  }

  /// The strokes that were typed, parted where a machine that is slow would have ended.
  private var typedBetweenPauses: [[Int]] {
    var parts: [[Int]] = []
    var end = Microseconds.min / 2
    for index in strokes.indices where strokes[index].exercise == .typing {
      if strokes[index].press - end >= Self.engine.slowPause { parts.append([]) }
      parts[parts.count - 1].append(index)
      end = max(end, strokes[index].release)
    }
    return parts
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
      add(run[...], of: key, exercise)
    case .doubles: pair(run, of: key, exercise)
    }
  }

  private mutating func add(
    _ run: ArraySlice<MeasuredStroke.Contact>, of key: KeyCode, _ exercise: Exercise,
    _ certainty: MeasuredStroke.Certainty = .clear
  ) {
    strokes.append(
      MeasuredStroke(
        key: key, contacts: Array(run), exercise: exercise,
        certainty: run.allSatisfy(\.isSeen) ? certainty : .unknown))
  }

  /// Contacts between which the gaps are shorter than a finger's.
  private struct Group {
    var contacts: ArraySlice<MeasuredStroke.Contact>
    var press: Microseconds { contacts.first?.press ?? 0 }
    var release: Microseconds { contacts.last?.release ?? 0 }
    var length: Microseconds { release - press }
    var isTap: Bool { contacts.first?.isTap ?? false }
    /// Whether it is as long as a finger's stroke.
    var isLong: Bool { length >= Chatter.shortHold }
    /// When the last contact ended that is as long; what came after that was a blip.
    var end: Microseconds { contacts.last { $0.length >= Chatter.shortHold }?.release ?? release }
  }

  private static func groups(_ contacts: [MeasuredStroke.Contact]) -> [Group] {
    var groups: [Group] = []
    var start = 0
    for index in contacts.indices
    where index + 1 == contacts.count || contacts[index + 1].isTap
      || contacts[index + 1].press - contacts[index].release >= engine.borderline
    {
      groups.append(Group(contacts: contacts[start...index]))
      start = index + 1
    }
    return groups
  }

  /// What two contacts are, where nothing was asked for, or two groups of contacts that crackle.
  private enum Pair { case oneStroke, doubtful, twoStrokes }

  private static func pair(_ one: Group, _ other: Group) -> Pair {
    let gap = other.press - one.release
    let contact = min(one.length, other.length)
    if contact < engine.blip || gap < engine.borderline
      || (contact < Chatter.shortHold && gap < Chatter.longGap)
    {
      return .oneStroke
    }
    return contact < Chatter.shortHold || gap < engine.healthySuspect ? .doubtful : .twoStrokes
  }

  /// Taps in a row. A finger's, and a machine's, come at even times and are held evenly; the contacts of a stroke that the
  /// switch breaks are not.
  private struct Rhythm {
    private let period: Microseconds
    private let length: Microseconds
    private var taps = 1

    /// Whether there may be one, so that short gaps say nothing.
    var isPossible: Bool { taps >= 3 }
    var isCertain: Bool { taps >= 5 }

    /// - Returns: `nil` if it is none, or too slow for gaps as short as a switch's.
    init?(of groups: [Group]) {
      let periods = zip(groups, groups.dropFirst()).map { $1.press - $0.press }.sorted()
      let lengths = groups.map(\.length).sorted()
      length = lengths[lengths.count / 2]
      period = periods.isEmpty ? 0 : periods[periods.count / 2]
      guard (engine.fastestMachine..<together).contains(period) else { return nil }
      var last = groups[0].press
      var others = 0
      for group in groups.dropFirst() {
        guard isTap(after: group.press - last, held: group.length) else {
          others += 1
          continue
        }
        if 5 * (group.press - last) <= 8 * period { taps += 1 } else { others += 1 }
        last = group.press
      }
      // A worn switch breaks some of them.
      if 3 * others > groups.count { return nil }
    }

    /// Whether a contact is a tap: so long after the one before, and so long.
    func isTap(after time: Microseconds, held: Microseconds) -> Bool {
      8 * time >= 5 * period && 2 * held >= length
    }
  }

  /// Labels by what no finger does.
  private mutating func split(
    _ run: [MeasuredStroke.Contact], of key: KeyCode, _ exercise: Exercise
  ) {
    var run = run
    let rhythm = Rhythm(of: Self.groups(run))
    if let rhythm, rhythm.isCertain {
      var last = run[0].press
      run[0].isTap = true
      for index in run.indices.dropFirst()
      where rhythm.isTap(after: run[index].press - last, held: run[index].length) {
        run[index].isTap = true
        last = run[index].press
      }
    }
    let groups = Self.groups(run)
    var starts = [0]
    var unknown: Set<Int> = []
    let long = groups.indices.filter { groups[$0].isLong || groups[$0].isTap }
    for (one, other) in zip(long, long.dropFirst()) {
      // Blips may come between two strokes of a finger.
      let gap = groups[other].press - groups[one].end
      let isDirect = other == one + 1
      if groups[other].isTap || gap >= Self.quick
        || isDirect && Self.pair(groups[one], groups[other]) == .twoStrokes
      {
        // A blip is the nearer stroke's.
        let gaps = (one + 1...other).map { (groups[$0].press - groups[$0 - 1].release, $0) }
        starts.append(gaps.max { $0.0 < $1.0 }?.1 ?? other)
      } else if gap >= Self.engine.healthySuspect {
        unknown.insert(other)
      }
    }
    for (start, end) in zip(starts, starts.dropFirst() + [groups.count]) {
      let stroke = groups[start..<end]
      let isDoubtful = zip(stroke, stroke.dropFirst()).contains { Self.pair($0, $1) == .doubtful }
      let isUnknown =
        isDoubtful && rhythm?.isPossible == true || !unknown.isDisjoint(with: start..<end)
      add(
        run[groups[start].contacts.startIndex..<groups[end - 1].contacts.endIndex], of: key,
        exercise, isUnknown ? .unknown : isDoubtful ? .doubtful : .clear)
    }
  }

  /// Labels a double: two strokes, whatever the switch made of them.
  private mutating func pair(
    _ run: [MeasuredStroke.Contact], of key: KeyCode, _ exercise: Exercise
  ) {
    let gaps = zip(run, run.dropFirst()).map { $1.press - $0.release }
    let sorted = gaps.sorted(by: >)
    guard let longest = sorted.first, let place = gaps.firstIndex(of: longest),
      run.count == 2
        ? Self.pair(Group(contacts: run[..<1]), Group(contacts: run[1...])) != .oneStroke
        : longest >= 2 * sorted[1]
    else {
      undone[exercise, default: 0] += 1
      return split(run, of: key, exercise)
    }
    done[exercise, default: 0] += 1
    add(run[...place], of: key, exercise)
    add(run[(place + 1)...], of: key, exercise)
  }

  /// A person taps twice now and then where one tap was asked for, and lets a hold go and presses again: what looks like a
  /// finger's double is nobody's there, as long as there is no more of it than people do.
  private mutating func excuseSlips() {
    let asked = Dictionary(grouping: strokes.indices.filter { strokes[$0].exercise != .typing }) {
      strokes[$0].exercise
    }
    for (exercise, strokes) in asked {
      if case .doubles = exercise { continue }
      let slips = strokes.filter { index in
        let groups = Self.groups(self.strokes[index].contacts)
        return zip(groups, groups.dropFirst()).contains { Self.pair($0, $1) == .twoStrokes }
      }
      guard slips.count <= max(2, strokes.count / 10) else { continue }
      for index in slips { self.strokes[index].certainty = .unknown }
    }
  }

  /// Counts what is doubtful of these keys as their switches'.
  mutating func settleDoubts(of keys: Set<KeyCode>) {
    for index in strokes.indices
    where strokes[index].certainty == .doubtful && keys.contains(strokes[index].key) {
      strokes[index].certainty = .clear
    }
  }
}
