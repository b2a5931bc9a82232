import Debounce

/// Hears a device's raw frames and keeps what they tell of each key.
///
/// It hears times and keys, and remembers counts: what was typed cannot be read from it. Its memory is bounded by the
/// number of keys a kernel knows.
///
/// Only what was counted is encoded. What was begun, and when, means nothing another time: after a restart of the
/// machine its clock begins anew.
public struct Observer: Equatable, Sendable, Codable {
  /// Taps that begin sooner after one another are not single ones. Microseconds.
  public static let leastBeat: Microseconds = 250_000
  /// A shorter hold is no long one.
  public static let leastHold: Microseconds = 1_000_000

  /// How often the person, asked for one tap, makes two.
  private static let slips = 1e-3

  private struct Key: Equatable, Sendable, Codable {
    var run: ContactRun?
    /// When the last run of taps began.
    var lastTap: Microseconds?
    var evidence = KeyEvidence()

    private enum CodingKeys: String, CodingKey { case evidence }
  }

  private var keys: [KeyCode: Key] = [:]
  /// The keys whose run is still open: few at a time.
  private var open: Set<KeyCode> = []
  private var now: Microseconds = .min / 4
  /// The key that went down last.
  private var lastKey: KeyCode?

  public private(set) var link = LinkQuality()

  private enum CodingKeys: String, CodingKey { case keys, link }

  public init() {}

  /// The keys of which anything was seen.
  public var observedKeys: [KeyCode] { keys.keys.sorted() }

  /// What was seen of the key.
  public subscript(key: KeyCode) -> KeyEvidence { keys[key]?.evidence ?? KeyEvidence() }

  /// Whether all of it can have come about, and was not read from a file that somebody has edited.
  var isPlausible: Bool {
    link.isPlausible
      && keys.allSatisfy { $0.key < EventType.keyCount && $0.value.evidence.isPlausible }
  }

  /// All strokes of free typing.
  public var typedStrokes: Int { keys.values.reduce(0) { $0 + $1.evidence.typed.strokes } }

  /// Hears a frame. Events that are not of keys, and repeats, tell nothing. A frame before which the kernel lost events
  /// (`SYN_DROPPED`) ends what was begun.
  public mutating func receive(_ frame: borrowing Frame, during phase: Phase) {
    let isDropped = frame.events.contains {
      $0.type == EventType.synchronisation && $0.code == EventType.dropped
    }
    guard !isDropped else { return interrupt() }
    for index in frame.events.indices {
      let event = frame.events[index]
      guard event.type == EventType.key else { continue }
      receive(event.code, value: event.value, at: frame.time, during: phase)
    }
  }

  /// Hears of an edge.
  ///
  /// - Parameters:
  ///   - value: 1 down, 0 up; 2, a repeat, tells nothing.
  ///   - time: Of the kernel's event clock. One that runs backwards counts as standing still.
  public mutating func receive(
    _ key: KeyCode, value: Int32, at time: Microseconds, during phase: Phase
  ) {
    guard value == 0 || value == 1, key < EventType.keyCount else { return }
    let time = advanceClock(to: time)
    let isDown = keys[key]?.run.map { $0.end == nil } ?? false
    // An edge that changes nothing: one between was lost.
    guard isDown != (value == 1) else { return }
    if value == 1 {
      link.receive(key, at: time)
      press(key, at: time, during: phase.applied(to: key))
    } else if let run = keys[key]?.run, run.end == nil {
      link.receive(key, at: time)
      keys[key]?.run?.contacts[run.contacts.count - 1].release = time
    }
  }

  /// Time has passed: strokes that ended long enough ago are judged.
  public mutating func advance(to time: Microseconds) {
    let time = advanceClock(to: time)
    for key in open {
      guard let end = keys[key]?.run?.end, time - end >= PairClass.longestGap else { continue }
      close(key)
    }
  }

  /// Nothing that was begun goes on: the phase ends, events were lost, or the device is gone. Keys that are down are
  /// forgotten.
  public mutating func interrupt() {
    for key in open {
      if keys[key]?.run?.end != nil {
        close(key)
      } else {
        keys[key]?.run = nil
        open.remove(key)
      }
    }
  }

  private mutating func advanceClock(to time: Microseconds) -> Microseconds {
    // Far from overflow, whatever a file says.
    now = max(now, min(time, .max / 4))
    return now
  }

  private mutating func press(_ key: KeyCode, at time: Microseconds, during phase: Phase) {
    let contact = ContactRun.Contact(press: time, isAdjacent: lastKey == key)
    lastKey = key
    if let run = keys[key]?.run, let end = run.end {
      let gap = time - end
      if gap < PairClass.longestGap, run.phase == phase, run.contacts.count < ContactRun.longest {
        keys[key]?.run?.contacts.append(contact)
        return
      }
      close(key)
    }
    keys[key, default: Key()].run = ContactRun(phase: phase, contacts: [contact])
    open.insert(key)
  }

  private mutating func close(_ key: KeyCode) {
    open.remove(key)
    guard var state = keys[key], let run = state.run else { return }
    state.run = nil
    switch run.phase {
    case .typing, .doubles: judgeTyping(run, of: key, &state.evidence)
    case .taps: judgeTap(run, &state)
    case .holds: judgeHold(run, &state.evidence)
    }
    keys[key] = state
  }
}

// Judging a run that has ended.
extension Observer {
  /// Doubles may be a finger's: only what hardly any finger makes is a fault, and neighbours of it are the same one.
  private func judgeTyping(_ run: ContactRun, of key: KeyCode, _ evidence: inout KeyEvidence) {
    let (holds, gaps) = (run.holds, run.gaps)
    let wasAsked = run.phase != .typing
    var isFault = false
    var strokes = 1
    var classes: [PairClass] = []
    let pairs = gaps.indices.map {
      PairClass(gap: gaps[$0], holds: (holds[$0], holds[$0 + 1]), isLabelled: false)
    }
    for (index, gap) in gaps.enumerated() {
      let pair = (holds[index], holds[index + 1])
      let kind = pairs[index]
      if kind.isFault {
        if !isFault {
          classes.append(kind)
          evidence.typed.faults += 1
          evidence.faults.add(
            kind != .bounce ? .dropOut : pair.0 < pair.1 ? .pressBounce : .releaseBounce)
        }
        evidence.faultGaps.add(gap)
        if kind == .bounce {
          evidence.typedBounces.add(gap)
          evidence.faultHolds.add(min(pair.0, pair.1))
        } else {
          evidence.typedDropOuts.add(gap)
        }
      } else {
        strokes += 1
        if kind != .none { classes.append(kind) }
        if wasAsked { evidence.askedDoubles += 1 } else { evidence.typedDoubles += 1 }
        // "eve" comes back to its key more slowly: another law, and no danger.
        if run.contacts[index + 1].isAdjacent { evidence.fingerGaps.add(gap) }
      }
      isFault = kind.isFault
    }
    for (index, contact) in run.contacts.enumerated() {
      guard let release = contact.release, !isOfFault(index, classes: pairs) else { continue }
      evidence.fingerHolds.add(release - contact.press)
    }
    evidence.typed.strokes += strokes
    if !classes.isEmpty {
      // How many of the strokes are doubles, so that each may be one that looks like a fault.
      let share = wasAsked ? 1 : evidence.doubleShare
      let haste = haste(besides: key)
      for kind in classes {
        var doubles = share * kind.shareOfDoubles * (kind == .bounce ? haste.holds : haste.gaps)
        if kind != .bounce, wasAsked || share > KeyEvidence.muchDoubled {
          doubles = max(doubles, share * evidence.shareOfFastDoubles)
        }
        evidence.test.weigh(
          faulty: kind.shareOfFaults(isLabelled: false),
          healthy: min(1, max(kind.shareOfAccidents, doubles)))
      }
    }
    for _ in classes.count..<max(classes.count, strokes) {
      evidence.test.weigh(faulty: PairClass.none.shareOfFaults(isLabelled: false), healthy: 1)
    }
  }

  /// Whether the contact at an index lies beside a gap that is a fault's.
  private func isOfFault(_ index: Int, classes: [PairClass]) -> Bool {
    (index > 0 && classes[index - 1].isFault) || (index < classes.count && classes[index].isFault)
  }

  /// One tap was asked for: every gap inside is a fault.
  private func judgeTap(_ run: ContactRun, _ state: inout Key) {
    defer { state.lastTap = run.start }
    if let last = state.lastTap, run.start - last < Self.leastBeat {
      state.evidence.uncounted += 1
      return
    }
    state.evidence.taps.strokes += 1
    if !run.gaps.isEmpty { state.evidence.taps.faults += 1 }
    state.evidence.fingerHolds.add((run.end ?? run.start) - run.start)
    judgeLabelled(run, &state.evidence)
  }

  /// One long hold was asked for.
  private func judgeHold(_ run: ContactRun, _ evidence: inout KeyEvidence) {
    guard (run.end ?? run.start) - run.start >= Self.leastHold else {
      evidence.uncounted += 1
      return
    }
    evidence.holds.strokes += 1
    if !run.gaps.isEmpty { evidence.holds.faults += 1 }
    judgeLabelled(run, &evidence)
  }

  private func judgeLabelled(_ run: ContactRun, _ evidence: inout KeyEvidence) {
    let (holds, gaps, classes) = (run.holds, run.gaps, run.classes)
    for (index, gap) in gaps.enumerated() {
      let chatter = classes[index]
      // Neighbours of one class are one fault that went on.
      if index == 0 || classes[index - 1] != chatter || chatter == .dropOut {
        evidence.faults.add(chatter)
      }
      evidence.faultGaps.add(gap)
      if chatter == .dropOut {
        evidence.labelledDropOuts.add(gap)
      } else {
        evidence.labelledBounces.add(gap)
        evidence.faultHolds.add(min(holds[index], holds[index + 1]))
      }
    }
    let kind =
      gaps.first.map { PairClass(gap: $0, holds: (holds[0], holds[1]), isLabelled: true) } ?? .none
    evidence.test.weigh(
      faulty: kind.shareOfFaults(isLabelled: true),
      healthy: kind == .none ? 1 : kind.shareOfAccidents + Self.slips * kind.shareOfDoubles)
  }

  /// How many times more often than usual this person makes what looks like a bounce, and like a drop-out: whoever's
  /// fingers do so, or whose receiver, does it on all keys. The worst quarter of the others is left out, since they may
  /// be worn.
  private func haste(besides key: KeyCode) -> (holds: Double, gaps: Double) {
    let others = keys.filter { $0.key != key && $0.value.evidence.typed.strokes >= 10 }
      .map(\.value.evidence)
      .sorted { $0.suspicion > $1.suspicion }
    var (faults, strokes, short, doubles, below50, below30) = (0, 0, 0, 0, 0, 0)
    for evidence in others.dropFirst((others.count + 3) / 4) {
      faults += evidence.typed.faults
      strokes += evidence.fingerHolds.total
      short += evidence.fingerHolds.count(below: 25)
      doubles += evidence.fingerGaps.total
      below50 += evidence.fingerGaps.count(below: 50)
      below30 += evidence.fingerGaps.count(below: 30)
    }
    // Each against what it is of all people, as far as there is something to count: of strokes 0.25 % are as short as a
    // bounce, of doubles 9 % are below 50 ms, 0.8 % below 30, and one in 800 looks like a fault.
    let all = (Double(faults) + 1) / (Double(doubles) / 800 + 1)
    let holds = (Double(short) + 1) / (Double(strokes) * 0.0025 + 1)
    let fast = (Double(below50) + 1) / (Double(doubles) * 0.09 + 1)
    let faster = (Double(below30) + 1) / (Double(doubles) * 0.008 + 1)
    return (max(1, all, holds * max(1, fast)), max(1, all, faster))
  }
}
