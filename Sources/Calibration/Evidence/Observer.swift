import Debounce

/// Receives a device's raw frames and collects evidence about each key.
///
/// It keeps counts and no order: what was typed cannot be reconstructed. Its memory is bounded by the number of keys
/// that the kernel knows.
///
/// Only counts are encoded. Strokes in progress and their times are not: the event clock starts at 0 with the machine.
public struct Observer: Equatable, Sendable, Codable {
  /// Taps that begin sooner than this after one another are not single taps. Microseconds.
  public static let leastBeat: Microseconds = 250_000
  /// A shorter hold does not count as a long one. Microseconds.
  public static let leastHold: Microseconds = 1_000_000

  /// The share of requested single taps in which the person taps twice by mistake.
  private static let slips = 1e-3

  private struct Key: Equatable, Sendable, Codable {
    var run: ContactRun?
    /// When the last run of taps began.
    var lastTap: Microseconds?
    var evidence = KeyEvidence()

    private enum CodingKeys: String, CodingKey { case evidence }
  }

  private var keys: [KeyCode: Key] = [:]
  /// The keys whose run of contacts may still go on: few at a time.
  private var open: Set<KeyCode> = []
  private var now: Microseconds = .min / 4
  /// The key that went down last.
  private var lastKey: KeyCode?

  public private(set) var link = LinkQuality()
  /// What each key did, if that is kept: never in what is stored.
  private(set) var recordings: [KeyCode: KeyRecording]?
  /// How long was typed freely, without pauses of more than two seconds. Microseconds.
  private var typing: Microseconds?
  private var lastEdge: Microseconds?
  /// Whether a machine types on the device.
  public private(set) var machine = MachineWatch()

  private enum CodingKeys: String, CodingKey { case keys, link, typing }

  /// - Parameter keepsRecordings: Whether to keep in memory what each key did: for recordings, which have it all anyway.
  public init(keepsRecordings: Bool = false) {
    if keepsRecordings { recordings = [:] }
  }

  /// How long was typed freely, without pauses of more than two seconds. Microseconds.
  public var typingTime: Microseconds { typing ?? 0 }

  /// The keys for which there is evidence.
  public var observedKeys: [KeyCode] { keys.keys.sorted() }

  /// The evidence about a key.
  public subscript(key: KeyCode) -> KeyEvidence { keys[key]?.evidence ?? KeyEvidence() }

  /// Whether the evidence can be genuine. It may have been read from an edited file.
  var isPlausible: Bool {
    link.isPlausible && (0...Microseconds.max / 4).contains(typingTime)
      && keys.allSatisfy { $0.key < EventType.keyCount && $0.value.evidence.isPlausible }
  }

  /// The number of strokes in free typing.
  public var typedStrokes: Int { keys.values.reduce(0) { $0 + $1.evidence.typed.strokes } }

  /// Receives a frame. Repeats, and events that are not of keys, are ignored. A frame before which the kernel lost
  /// events (`SYN_DROPPED`) interrupts what is in progress.
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

  /// Receives an edge.
  ///
  /// - Parameters:
  ///   - value: 1 for down, 0 for up; 2, a repeat, is ignored.
  ///   - time: The time on the event clock. If it is earlier than the last one, that one counts.
  public mutating func receive(
    _ key: KeyCode, value: Int32, at time: Microseconds, during phase: Phase
  ) {
    guard value == 0 || value == 1, key < EventType.keyCount else { return }
    let time = advanceClock(to: time)
    let isDown = keys[key]?.run.map { $0.end == nil } ?? false
    // An edge that changes nothing: the one before it was lost.
    guard isDown != (value == 1) else { return }
    machine.receive(key, isDown: value == 1, at: time)
    if phase == .typing {
      if let lastEdge, time - lastEdge < 2_000_000 { typing = typingTime + (time - lastEdge) }
      lastEdge = time
    }
    if value == 1 {
      link.receive(key, at: time)
      press(key, at: time, during: phase.applied(to: key))
    } else if let run = keys[key]?.run, run.end == nil {
      link.receive(key, at: time)
      keys[key]?.run?.contacts[run.contacts.count - 1].release = time
    }
  }

  /// Notes that time has passed: strokes that ended long enough ago are evaluated.
  public mutating func advance(to time: Microseconds) {
    let time = advanceClock(to: time)
    for key in open {
      guard let end = keys[key]?.run?.end, time - end >= PairClass.longestGap else { continue }
      close(key)
    }
  }

  /// Ends all runs of contacts: the phase is over, events were lost, or the device is gone. Strokes of keys that are
  /// still down are dropped.
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
    // Far from overflow, whatever a recording contains.
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
    case .typing, .doubles:
      evaluateTyping(run, of: key, &state.evidence)
      recordings?[key, default: KeyRecording(of: key)].add(run)
    case .taps: evaluateTap(run, &state)
    case .holds: evaluateHold(run, &state.evidence)
    }
    keys[key] = state
  }
}

// MARK: - Evaluating a run that has ended

extension Observer {
  /// Evaluates a run in which doubles are possible. Only what fingers hardly ever do is a fault; faults next to each
  /// other count as one.
  private func evaluateTyping(_ run: ContactRun, of key: KeyCode, _ evidence: inout KeyEvidence) {
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
          let chatter: Chatter =
            kind != .bounce ? .dropOut : pair.0 < pair.1 ? .pressBounce : .releaseBounce
          evidence.faults[chatter] += 1
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
        // In “eve” the finger comes back to its key more slowly: another distribution, and no danger.
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
      // The share of strokes that are doubles, each of which may look like a fault.
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

  /// Whether the contact at an index lies beside a gap that is a fault.
  private func isOfFault(_ index: Int, classes: [PairClass]) -> Bool {
    (index > 0 && classes[index - 1].isFault) || (index < classes.count && classes[index].isFault)
  }

  /// Evaluates a requested single tap: every gap in it is a fault.
  private func evaluateTap(_ run: ContactRun, _ state: inout Key) {
    defer { state.lastTap = run.start }
    if let last = state.lastTap, run.start - last < Self.leastBeat {
      state.evidence.uncounted += 1
      return
    }
    state.evidence.taps.strokes += 1
    if !run.gaps.isEmpty { state.evidence.taps.faults += 1 }
    state.evidence.fingerHolds.add((run.end ?? run.start) - run.start)
    evaluateLabelled(run, &state.evidence)
  }

  /// Evaluates a requested long hold.
  private func evaluateHold(_ run: ContactRun, _ evidence: inout KeyEvidence) {
    guard (run.end ?? run.start) - run.start >= Self.leastHold else {
      evidence.uncounted += 1
      return
    }
    evidence.holds.strokes += 1
    if !run.gaps.isEmpty { evidence.holds.faults += 1 }
    evaluateLabelled(run, &evidence)
  }

  private func evaluateLabelled(_ run: ContactRun, _ evidence: inout KeyEvidence) {
    let (holds, gaps, classes) = (run.holds, run.gaps, run.classes)
    for (index, gap) in gaps.enumerated() {
      let chatter = classes[index]
      // Bounces of one kind next to each other are one fault.
      if index == 0 || classes[index - 1] != chatter || chatter == .dropOut {
        evidence.faults[chatter] += 1
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

  /// How many times more often than usual this person's strokes look like bounces and like drop-outs. Fast fingers and
  /// late receivers show on all keys. The worst quarter of the other keys is left out, because they may be worn.
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
    // Compared with all people together: 0.25 % of their strokes are as short as a bounce; of their doubles 9 % have
    // gaps below 50 ms, 0.8 % below 30 ms, and one in 800 looks like a fault.
    let all = (Double(faults) + 1) / (Double(doubles) / 800 + 1)
    let holds = (Double(short) + 1) / (Double(strokes) * 0.0025 + 1)
    let fast = (Double(below50) + 1) / (Double(doubles) * 0.09 + 1)
    let faster = (Double(below30) + 1) / (Double(doubles) * 0.008 + 1)
    return (max(1, all, holds * max(1, fast)), max(1, all, faster))
  }
}
