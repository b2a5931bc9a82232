import Debounce

/// A stroke of a finger: one contact of its key, or several if the switch broke it.
struct MeasuredStroke: Equatable, Sendable {
  /// The time from a press to the release after it.
  struct Contact: Equatable, Sendable {
    var press: Microseconds
    var release: Microseconds
    /// Whether both edges came in time. A lost or late edge tells nothing of the contact's length.
    var isSeen = true
    /// Whether the contact certainly begins a stroke, however short the gap before it is.
    var beginsStroke = false

    var length: Microseconds { release - press }
  }

  enum Certainty: Sendable {
    /// The contacts are certainly one stroke.
    case clear
    /// A finger may have made two strokes here, and hardly ever does. Many of them on a worn key are the switch's.
    case doubtful
    /// The contacts could be a finger's or the switch's: a machine typed, the receiver was late, or the finger was in haste.
    case unknown
  }

  var key: KeyCode
  var contacts: [Contact]
  /// The exercise that the person was asked for.
  var exercise: Exercise
  var certainty = Certainty.clear

  var isClear: Bool { certainty == .clear }

  var press: Microseconds { contacts[0].press }
  var release: Microseconds { contacts[contacts.count - 1].release }
  /// Whether the switch broke the stroke.
  var isFaulty: Bool { isClear && contacts.count > 1 }

  var gaps: [Microseconds] {
    zip(contacts, contacts.dropFirst()).map { $1.press - $0.release }
  }

  /// The kind of the fault, by the first thing that the switch did.
  var fault: Chatter? {
    guard isFaulty else { return nil }
    guard contacts[0].length >= Chatter.shortHold else { return .pressBounce }
    return contacts[contacts.count - 1].length >= Chatter.shortHold ? .dropOut : .releaseBounce
  }
}

/// The strokes of a tape, each with the contacts that belong to it.
///
/// The exercise tells how contacts belong together. In typing, the rules below tell a finger's strokes from a switch's faults:
///
/// ```
///  ten taps    ▁█▁▁▁▁█▁▁▁█▁█▁▁▁█▁   a stroke a beat: all other contacts are the switch's
///  a hold      ▁████▁█████▁██████   one stroke
///  doubles     ▁█▁▁█▁▁▁▁█▁█▁▁█▁▁▁   two strokes a time: where there are more contacts, the longest gap parts them
///  typing      ▁█▁█▁▁▁▁▁▁██▁█▁▁▁▁   contacts too quick for any finger are the switch's; for most fingers, doubtful
/// ```
///
/// The tape is cut into runs: contacts of one key that may be one stroke, because they follow each other soon. In typing,
/// each run is cut into strokes by these rules:
///
/// * ``Group``: a contact that crackles counts as one.
/// * ``Bond``: the gap between two groups, and the shorter group's length, tell whether both are one stroke.
/// * ``Rhythm``: taps in a row each begin a stroke. ``markEvenContacts(among:)``: so do contacts as even as a machine's.
///
/// Some contacts could be a finger's or the switch's. They are left unknown: late edges (``lateEdges(of:)``), contacts around
/// a loss, a second tap where one was asked for (``excuseSlips()``), a knob's and a machine's (``excludeKnobs()``,
/// ``excludeMachines(_:)``).
///
/// A contact that begins a stroke does so whatever its bond. An unknown stroke stays unknown. Doubtful strokes become clear
/// faults if a key has too many of them (``settleDoubts(of:)``).
///
/// How people double-tap was measured on 11 040 doubles of 911 people (Dhakal et al., CHI 2018). A contact below 30 ms beside
/// a gap below 50 ms is one in 5500 of them, a gap below 15 ms one in 700, one below 40 ms one in 37.
struct Labels: Sendable {
  /// The strokes in the order of their presses.
  private(set) var strokes: [MeasuredStroke] = []
  /// How many taps, holds and doubles were done as asked.
  private(set) var done: [Exercise: Int] = [:]
  /// When tries began that do not count: taps too soon after another or several at once, holds let go too early, doubles whose
  /// second stroke came too late. They are among the strokes, too.
  private(set) var undone: [Exercise: Set<Microseconds>] = [:]
  /// How many strokes a machine made: a scanner, a macro, a knob. They tell nothing of switches.
  private(set) var driven: [KeyCode: Int] = [:]

  /// Taps that begin sooner after one another are not single ones.
  static let leastBeat: Microseconds = 250_000
  /// A shorter hold does not count.
  static let leastHold: Microseconds = 1_500_000
  /// The share of taps that people make twice by mistake.
  private static let slips = 0.1
  /// A second stroke that begins later makes no double.
  static let longestDouble: Microseconds = 300_000

  /// The engine's figures of fingers and machines.
  fileprivate static let engine = Adaptive()
  /// Contacts closer to each other may be one stroke, and strokes closer to each other are a double.
  static let together = engine.recent
  /// A finger that makes gaps shorter than this makes still shorter ones now and then.
  static let quick = 2 * engine.healthySuspect

  /// - Parameter end: The end of the tape. A stroke that may still go on then is left out.
  init(of tape: Tape, until end: Microseconds = .max / 8) {
    var runs: [KeyCode: Run] = [:]
    for next in Self.contacts(of: tape) {
      if let run = runs[next.key], run.exercise == next.exercise,
        next.press - run.release < run.limit
      {
        runs[next.key]?.contacts += next.contacts
      } else if let before = runs.updateValue(next, forKey: next.key) {
        label(before)
      }
    }
    for run in runs.values where end - run.release >= run.limit { label(run) }
    excuseSlips()
    strokes.sort { ($0.press, $0.key) < ($1.press, $1.key) }
    excludeKnobs()
    excludeMachines(Self.drivenTimes(of: tape))
  }

  /// Labels of strokes that are known beforehand.
  init(_ strokes: [MeasuredStroke]) {
    self.strokes = strokes
  }

  /// Counts the doubtful strokes of these keys as faults of their switches.
  mutating func settleDoubts(of keys: Set<KeyCode>) {
    for index in strokes.indices
    where strokes[index].certainty == .doubtful && keys.contains(strokes[index].key) {
      strokes[index].certainty = .clear
    }
  }
}

// MARK: - From edges to runs of contacts

extension MeasuredStroke {
  /// The longest gap before a contact that still belongs to this run.
  fileprivate var limit: Microseconds {
    if case .doubles = exercise { Labels.longestDouble } else { Labels.together }
  }
}

extension Labels {
  /// Contacts of one key that may be one stroke.
  private typealias Run = MeasuredStroke

  /// The contacts of all keys, in the order of their presses, each a run of its own. Keys that are still held at the end are
  /// left out.
  private static func contacts(of tape: Tape) -> [Run] {
    let late = lateEdges(of: tape)
    var runs: [Run] = []
    var held: [KeyCode: Int] = [:]
    for (index, edge) in tape.edges.enumerated() {
      let isSeen = !edge.isAssumed && !late.contains(index)
      if edge.isDown {
        held[edge.key] = runs.count
        let contact = MeasuredStroke.Contact(press: edge.time, release: edge.time, isSeen: isSeen)
        runs.append(Run(key: edge.key, contacts: [contact], exercise: edge.exercise))
      } else if let run = held.removeValue(forKey: edge.key) {
        runs[run].contacts[0].release = edge.time
        if !isSeen { runs[run].contacts[0].isSeen = false }
      }
    }
    for run in held.values.sorted(by: >) { runs.remove(at: run) }
    // Missing contacts may belong to the strokes right before and after.
    var losses = tape.losses[...]
    for (index, run) in runs.enumerated() {
      losses = losses.drop { $0.upperBound < run.press - together }
      guard let loss = losses.first, loss.lowerBound <= run.release + together else { continue }
      runs[index].contacts[0].isSeen = false
    }
    markEvenContacts(among: &runs)
    return runs
  }

  /// The edges of three or more at once, not all of one key. A receiver held them back, so that their times are wrong.
  private static func lateEdges(of tape: Tape) -> Set<Int> {
    let atOnce: Microseconds = 200
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

  /// Marks contacts that follow each other more evenly than a finger's, on whatever keys, as beginning strokes: many in a row
  /// of the same length and at the same pace.
  private static func markEvenContacts(among runs: inout [Run]) {
    func isEven(_ one: Microseconds, _ other: Microseconds) -> Bool {
      abs(one - other) <= engine.pollingEvenness
    }
    var even: [Int] = []
    var last: (press: Microseconds, length: Microseconds, period: Microseconds) = (0, 0, 0)
    for (index, run) in runs.enumerated() where !run.key.isModifier {
      let (length, period) = (run.release - run.press, run.press - last.press)
      if !isEven(length, last.length) || period < engine.fastestMachine
        || even.count > 1 && !isEven(period, last.period)
      {
        even = []
      }
      even.append(index)
      last = (run.press, length, period)
      guard even.count >= engine.drivenContacts else { continue }
      for index in even.suffix(Int(engine.drivenContacts)) {
        runs[index].contacts[0].beginsStroke = true
      }
    }
  }
}

// MARK: - What was asked for

extension Labels {
  private mutating func label(_ run: Run) {
    let exercise = run.exercise
    let isDone: Bool
    switch exercise {
    case .typing: return labelTyping(run)
    case .doubles:
      if let second = Self.secondOfDouble(run.contacts) {
        isDone = true
        add(run.contacts[..<second], of: run)
        add(run.contacts[second...], of: run)
      } else {
        isDone = false
        labelTyping(run)
      }
    case .taps:
      let before = strokes.last { $0.exercise == exercise }
      isDone = before.map { run.press - $0.press >= Self.leastBeat } ?? true
      add(run.contacts[...], of: run)
    case .holds:
      isDone = run.release - run.press >= Self.leastHold
      add(run.contacts[...], of: run)
    }
    if isDone {
      done[exercise, default: 0] += 1
    } else {
      undone[exercise, default: []].insert(run.press)
    }
  }

  private mutating func add(
    _ contacts: ArraySlice<MeasuredStroke.Contact>, of run: Run,
    _ certainty: MeasuredStroke.Certainty = .clear
  ) {
    var stroke = run
    stroke.contacts = Array(contacts)
    stroke.certainty = contacts.allSatisfy(\.isSeen) ? certainty : .unknown
    strokes.append(stroke)
  }

  /// The contact with which the second stroke of a double begins: the one after the longest gap, if that stands out. The
  /// switch may have broken both strokes.
  private static func secondOfDouble(_ contacts: [MeasuredStroke.Contact]) -> Int? {
    let gaps = zip(contacts, contacts.dropFirst()).map { $1.press - $0.release }
    let sorted = gaps.sorted(by: >)
    guard let longest = sorted.first, let place = gaps.firstIndex(of: longest) else { return nil }
    let standsOut =
      gaps.count == 1
      ? Bond(Group(contacts: contacts[..<1]), Group(contacts: contacts[1...])) != .oneStroke
      : longest >= 2 * sorted[1]
    return standsOut ? place + 1 : nil
  }

  /// Takes slips out. People tap twice now and then where one tap was asked for, or let a hold go and press again. Contacts
  /// that look like a finger's double are therefore unknown there, unless there are certainly more than people make.
  private mutating func excuseSlips() {
    let asked = Dictionary(grouping: strokes.indices) { strokes[$0].exercise }
    for (exercise, own) in asked {
      switch exercise {
      case .typing, .doubles: continue
      case .taps, .holds: break
      }
      let slips = own.filter { index in
        let groups = Group.all(of: strokes[index].contacts)
        return zip(groups, groups.dropFirst()).contains { Bond($0, $1) == .twoStrokes }
      }
      let rate = FaultRate(faults: slips.count, strokes: own.count)
      guard slips.count <= 2 || rate.interval.lowerBound <= Self.slips else { continue }
      for index in slips {
        strokes[index].certainty = .unknown
        if case .taps = exercise { undone[exercise, default: []].insert(strokes[index].press) }
      }
    }
  }
}

// MARK: - What no finger does

extension Labels {
  /// A contact that crackles: several contacts with gaps between them that are too short for a finger.
  private struct Group {
    var contacts: ArraySlice<MeasuredStroke.Contact>

    var press: Microseconds { contacts.first?.press ?? 0 }
    var release: Microseconds { contacts.last?.release ?? 0 }
    var length: Microseconds { release - press }
    var beginsStroke: Bool { contacts.first?.beginsStroke ?? false }
    /// Whether it is long enough for a stroke. A shorter one is a blip.
    var isStroke: Bool { beginsStroke || length >= Chatter.shortHold }
    /// When the last contact ended that is long enough for a finger. Contacts behind it were blips.
    var end: Microseconds { contacts.last { $0.length >= Chatter.shortHold }?.release ?? release }

    static func all(of contacts: [MeasuredStroke.Contact]) -> [Group] {
      var groups: [Group] = []
      var start = 0
      for index in contacts.indices
      where index + 1 == contacts.count || contacts[index + 1].beginsStroke
        || contacts[index + 1].press - contacts[index].release >= engine.borderline
      {
        groups.append(Group(contacts: contacts[start...index]))
        start = index + 1
      }
      return groups
    }
  }

  /// How two groups that follow each other belong together, by the gap between them and the shorter one's length.
  private enum Bond {
    case oneStroke, doubtful, twoStrokes

    init(_ one: Group, _ other: Group) {
      let gap = other.press - one.release
      let contact = min(one.length, other.length)
      if contact < engine.blip || gap < engine.borderline
        || (contact < Chatter.shortHold && gap < Chatter.longGap)
      {
        self = .oneStroke
      } else if contact < Chatter.shortHold || gap < engine.healthySuspect {
        self = .doubtful
      } else {
        self = .twoStrokes
      }
    }
  }

  /// Taps in a row. A finger and a machine tap at even times and hold evenly. A switch that breaks a stroke does neither.
  private struct Rhythm {
    private let period: Microseconds
    private let length: Microseconds
    private var taps = 1

    /// Whether there may be a rhythm, so that short gaps tell nothing.
    var isPossible: Bool { taps >= 3 }
    /// Whether each of its taps begins a stroke.
    var isCertain: Bool { taps >= 5 }

    /// - Returns: `nil` if there is no rhythm, or one too slow for gaps as short as a switch's.
    init?(of groups: [Group]) {
      let periods = zip(groups, groups.dropFirst()).map { $1.press - $0.press }.sorted()
      let lengths = groups.map(\.length).sorted()
      length = lengths[lengths.count / 2]
      period = periods.isEmpty ? 0 : periods[periods.count / 2]
      guard (engine.fastestMachine..<together).contains(period) else { return nil }
      var last = groups[0].press
      var others = 0
      for group in groups.dropFirst() {
        let time = group.press - last
        let isNext = mayBeTap(after: time, held: group.length)
        if isNext, 5 * time <= 8 * period { taps += 1 } else { others += 1 }
        if isNext { last = group.press }
      }
      // A worn switch breaks some of them.
      if 3 * others > groups.count { return nil }
    }

    /// Whether a contact is late enough and long enough for the next tap.
    private func mayBeTap(after time: Microseconds, held: Microseconds) -> Bool {
      8 * time >= 5 * period && 2 * held >= length
    }

    /// Marks each tap as beginning a stroke.
    func mark(_ contacts: inout [MeasuredStroke.Contact]) {
      var last = contacts[0].press
      contacts[0].beginsStroke = true
      for index in contacts.indices.dropFirst()
      where mayBeTap(after: contacts[index].press - last, held: contacts[index].length) {
        contacts[index].beginsStroke = true
        last = contacts[index].press
      }
    }
  }

  private mutating func labelTyping(_ run: Run) {
    var contacts = run.contacts
    let rhythm = Rhythm(of: Group.all(of: contacts))
    if let rhythm, rhythm.isCertain { rhythm.mark(&contacts) }
    let groups = Group.all(of: contacts)
    // The groups with which strokes begin, and those with which they may.
    var starts = [0]
    var unknown: Set<Int> = []
    let strokes = groups.indices.filter { groups[$0].isStroke }
    for (one, other) in zip(strokes, strokes.dropFirst()) {
      // Blips may stand between two strokes of a finger.
      let gap = groups[other].press - groups[one].end
      let isNext = other == one + 1
      if groups[other].beginsStroke || gap >= Self.quick
        || isNext && Bond(groups[one], groups[other]) == .twoStrokes
      {
        // A blip belongs to the nearer stroke.
        let gaps = (one + 1...other).map { (groups[$0].press - groups[$0 - 1].release, $0) }
        starts.append(gaps.max { $0.0 < $1.0 }?.1 ?? other)
      } else if gap >= Self.engine.healthySuspect {
        unknown.insert(other)
      }
    }
    for (start, end) in zip(starts, starts.dropFirst() + [groups.count]) {
      let stroke = groups[start..<end]
      let isDoubtful = zip(stroke, stroke.dropFirst()).contains { Bond($0, $1) == .doubtful }
      let isUnknown =
        isDoubtful && rhythm?.isPossible == true || !unknown.isDisjoint(with: start..<end)
      add(
        contacts[groups[start].contacts.startIndex..<groups[end - 1].contacts.endIndex], of: run,
        isUnknown ? .unknown : isDoubtful ? .doubtful : .clear)
    }
  }
}

// MARK: - Knobs and machines

extension MeasuredStroke {
  fileprivate var isShort: Bool {
    contacts.allSatisfy { $0.length < Labels.engine.shortContact }
  }

  /// Whether a machine may have made the stroke. A contact that crackles is as short, but goes on for as long as a finger's
  /// stroke, with small gaps.
  fileprivate var mayBeMachines: Bool {
    isShort
      && (release - press < Labels.engine.shortContact
        || gaps.allSatisfy { $0 >= Labels.engine.borderline })
  }
}

extension Labels {
  /// Takes knobs out: keys whose strokes are mostly as short as detents, if the engine debounces no such key, or if several
  /// come at a time. A contact that crackles is faster.
  private mutating func excludeKnobs() {
    let fastestDetents: Microseconds = 20_000
    let typed = strokes.indices.filter { strokes[$0].exercise == .typing }
    for (key, own) in Dictionary(grouping: typed, by: { strokes[$0].key }) {
      let short = own.filter { strokes[$0].isShort }
      let turns = short.count { index in
        let (stroke, count) = (strokes[index], strokes[index].contacts.count)
        return count > 1 && stroke.release - stroke.press >= Microseconds(count) * fastestDetents
      }
      let isTurned = turns >= 3 && turns > own.count - short.count
      let isSpared = 2 * short.count > own.count && Rules().strategy(of: key) == .none
      guard isTurned || isSpared else { continue }
      for index in own { strokes[index].certainty = .unknown }
      driven[key] = own.count
    }
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

  /// Takes machines out: runs of short strokes, between pauses or a finger's strokes, that hold a stroke known to be a
  /// machine's.
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
        // The machine's last stroke may have become the beginning of the next one.
        if isMachines, run.endIndex < part.endIndex, isKnown(part[run.endIndex]) {
          strokes[part[run.endIndex]].certainty = .unknown
        }
      }
    }
  }

  /// The strokes that were typed, parted at pauses that are too long for a slow machine.
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
}
