import Debounce
import StrokeFixtures

/// What holds of every stream.
struct Property: Sendable {
  var name: String
  /// For which strategies it holds.
  var kinds: [Kind] = Kind.allCases
  /// An engine of which it does not hold.
  var mutant: any Subject.Type
  /// Says what is wrong, if anything is.
  var violation: @Sendable (inout Trial) -> String?
}

extension Property: CustomStringConvertible {
  var description: String { name }
}

// MARK: - The output alone

extension Property {
  static let all: [Property] =
    [
      alternates, converges, endsWithNothingDown, isBounded, neverHasMoreEdges,
      leavesSlowInputAlone,
      keepsKeysApart, doesNotCareWhenItIsAsked, shiftsWithTime, scalesWithTime, isNoneAtZero,
      isMonotone, passesOtherEventsOnce, keepsScanCodes, isIdempotent, isOrderly,
      flushesBeforePresses, accountsForEveryPress, addsUpKeys, tellsOfAllThatItCounts,
      trustsTheStateGiven, adoptsRulesBetweenStrokes,
      doesNotNoticeTheSameRules, decidesBeforeItTrustsTheState, keepsTheOrderOfPresses,
      passesMachines, deliversBeforeTheNextPress,
      goesOnFromWhatWasLearned, findsRoomForKeys,
    ] + pauses

  static let alternates = Property(
    name: "the clean edges of a key alternate, and begin with a press", mutant: Stutterer.self
  ) { trial in
    var held: Set<KeyCode> = []
    for edge in cleanEdges(trial.frames()) {
      guard held.contains(edge.key) != edge.isDown else { return "\(edge) again" }
      if edge.isDown { held.insert(edge.key) } else { held.remove(edge.key) }
    }
    return nil
  }

  static let converges = Property(
    name: "after the last input and all deadlines clean is raw", mutant: Forgetter.self
  ) { trial in
    trial.fault(in: cleanEdges(trial.frames()))
  }

  static let endsWithNothingDown = Property(
    name: "no key stays down after closing", mutant: Leaver.self
  ) { trial in
    // Wherever the stream is cut off.
    let length = Int.random(in: 0...trial.stream.frames.count, using: &trial.random)
    var clean: [Edge] = []
    for frame in trial.stream.frames.prefix(length) {
      clean += cleanEdges(trial.subject.process(frame))
    }
    let time = trial.stream.frames.last?.time ?? 0
    clean += cleanEdges(trial.subject.close(at: time))
    guard cleanEdges(trial.subject.advance(to: .max)).isEmpty else { return "goes on" }
    return clean.held.isEmpty ? nil : "after \(clean.text)"
  }

  static let isBounded = Property(
    name: "every emission is within its strategy's bound of its cause", mutant: Sleeper.self
  ) { trial in
    let raw = trial.stream.raw
    for edge in cleanEdges(trial.frames()) {
      guard
        let cause = raw.last(where: {
          $0.key == edge.key && $0.isDown == edge.isDown && $0.time <= edge.time
        })
      else { return "\(edge) has no cause" }
      let bound = trial.rules.longestWait(of: edge.key, isPress: edge.isDown)
      guard edge.time - cause.time <= bound else { return "\(edge) comes too late for \(cause)" }
    }
    return nil
  }

  static let neverHasMoreEdges = Property(
    name: "there are never more edges out than in", mutant: Stutterer.self
  ) { trial in
    let clean = cleanEdges(trial.frames())
    for key in Stream.keys where clean.of(key).count > trial.stream.raw.of(key).count {
      return clean.of(key).text
    }
    return nil
  }

  static let passesOtherEventsOnce = Property(
    name: "events that are not keys pass exactly once, in order and in time",
    mutant: FrameDropper.self
  ) { trial in
    let motion = { (frames: [Frame]) in
      frames.flatMap { frame in
        frame.events.filter { $0.type == Event.motion(0).type }.map { (frame.time, $0.value) }
      }
    }
    let (before, after) = (motion(trial.stream.frames), motion(trial.frames()))
    return before.elementsEqual(after, by: ==) ? nil : "\(before) became \(after)"
  }

  static let keepsScanCodes = Property(
    name: "a scan code passes with the edge that it came with, and only so",
    mutant: ScanDropper.self
  ) { trial in
    let raw = trial.stream.scannedEdges
    for frame in trial.frames() {
      for (last, event) in zip([.report] + frame.events, frame.events + [.report])
      where event.type == EventType.key || last.isScan {
        let scan = last.isScan ? last.value : nil
        guard event.type == EventType.key else { return "a scan code without a key" }
        let causes = raw.filter {
          $0.edge.key == event.code && $0.edge.isDown == (event.value == 1)
            && $0.edge.time <= frame.time
        }
        // The last one before this moment, or any at it.
        let last = causes.last { $0.edge.time < frame.time }
        let isCause = causes.contains {
          $0.scan == scan && ($0.edge.time == frame.time || $0.edge.time == last?.edge.time)
        }
        // What was withdrawn and proves meant comes late, each edge with its own scan code.
        let isRestored =
          trial.rules.strategy(of: event.code).isAdaptive && causes.contains { $0.scan == scan }
        guard isCause || isRestored else {
          return "\(event) at \(frame.time) has the scan code \(scan, default: "none")"
        }
      }
    }
    return nil
  }

  static let isOrderly = Property(
    name: "no frame is empty, and times do not decrease", mutant: Babbler.self
  ) { trial in
    var last = Microseconds.min
    for frame in trial.frames() {
      guard !frame.isEmpty else { return "an empty frame at \(frame.time)" }
      guard frame.time >= last else { return "\(frame.time) after \(last)" }
      last = frame.time
    }
    return nil
  }

  static let flushesBeforePresses = Property(
    name: "a press does not overtake a release that is flushed", mutant: Loiterer.self
  ) { trial in
    let raw = trial.stream.raw
    let clean = cleanEdges(trial.frames())
    var held: Set<KeyCode> = []
    for (index, edge) in clean.enumerated() {
      // Of several presses of a key at one moment, the last is of that moment: those before are delivered late. So is one
      // that is followed by a release at a moment at which the key was not let go: what was pressed then, another key of the
      // group has locked out.
      let isLate = clean[(index + 1)...].prefix { $0.time == edge.time }.contains { next in
        next.key == edge.key
          && (next.isDown
            || !raw.contains { $0.key == next.key && !$0.isDown && $0.time == next.time })
      }
      if edge.isDown, isLate {
        held.insert(edge.key)
      } else if edge.isDown {
        let cause = raw.lastIndex { $0.key == edge.key && $0.isDown && $0.time <= edge.time }
        for other in held where other != edge.key && trial.rules.flushes(other) {
          // Let go before the press came, and not pressed since.
          guard let last = raw.lastIndex(where: { $0.key == other && $0.time <= edge.time }),
            let cause, !raw[last].isDown, last < cause
          else { continue }
          // Edges of the very moment of the emission may come before or after it.
          if raw[last].time == edge.time { continue }
          return "\(edge) comes before the release of \(KeyName.name(of: other))"
        }
        held.insert(edge.key)
      } else {
        held.remove(edge.key)
      }
    }
    return nil
  }

  static let accountsForEveryPress = Property(
    name: "every press is passed on or counted as what took it", mutant: Miscounter.self
  ) { trial in
    trial.subject.play(trial.stream)
    let counters = trial.subject.counters
    let out = counters.pressesOut + counters.chatter.total + counters.suppressed
    let presses = trial.stream.raw.filter(\.isDown).count
    guard counters.pressesIn == presses else { return "\(counters.pressesIn) in" }
    return out == presses ? nil : "\(out) of \(presses): \(counters)"
  }

  static let addsUpKeys = Property(
    name: "what is counted of each key adds up to what is counted of all", mutant: Miscounter.self
  ) { trial in
    trial.subject.play(trial.stream)
    let (keys, counters) = (trial.subject.keyCounts, trial.subject.counters)
    func sum(_ field: (KeyCounts) -> UInt32) -> UInt64 { keys.reduce(0) { $0 + UInt64(field($1)) } }
    let sums = [
      sum(\.strokes), sum(\.chatter.pressBounces), sum(\.chatter.releaseBounces),
      sum(\.chatter.dropOuts), sum(\.suppressed),
    ]
    let all = [
      counters.pressesOut, counters.chatter.pressBounces, counters.chatter.releaseBounces,
      counters.chatter.dropOuts, counters.suppressed,
    ]
    return sums == all ? nil : "\(sums), not \(all)"
  }
}

// MARK: - Two runs compared

extension Property {
  static let tellsOfAllThatItCounts = Property(
    name: "outcomes add up to the counts, and to tell them changes nothing", mutant: Miscounter.self
  ) { trial in
    let silent = trial.frames()
    trial.subject.reportsOutcomes = true
    let told = trial.subject.play(trial.stream)
    guard told == silent else {
      return "\(cleanEdges(silent).text) became \(cleanEdges(told).text)"
    }
    let counters = trial.subject.counters
    let sum = trial.subject.outcomes.reduce(into: Counters()) { $0.count($1) }
    return sum == counters ? nil : "\(sum), not \(counters)"
  }

  static let leavesSlowInputAlone = Property(
    name: "input whose intervals exceed every parameter passes in its sequence",
    mutant: Skipper.self
  ) { trial in
    let slow = trial.stream.stretched(by: trial.rules.memory + 1)
    let clean = cleanEdges(trial.frames(of: slow))
    for key in Stream.keys
    where clean.of(key).map(\.isDown) != slow.raw.of(key).map(\.isDown) {
      return "\(slow.raw.text) became \(clean.text)"
    }
    return nil
  }

  static let keepsKeysApart = Property(
    name: "other keys change nothing except by the flush rule", kinds: Kind.ofIndependentKeys,
    mutant: Flusher.self
  ) { trial in
    let clean = cleanEdges(trial.frames())
    for key in Stream.keys where !trial.rules.flushes(key) {
      let alone = cleanEdges(trial.frames(of: trial.stream.of(key)))
      guard alone == clean.of(key) else { return "alone \(alone.text), not \(clean.text)" }
    }
    return nil
  }

  static let doesNotCareWhenItIsAsked = Property(
    name: "extra and late calls of advance change nothing", mutant: Hurrier.self
  ) { trial in
    let unasked = trial.frames()
    var asked: [Frame] = []
    var last = Microseconds.min / 2
    for frame in trial.stream.frames {
      for _ in 0..<Int.random(in: 0...2, using: &trial.random) where last < frame.time {
        asked += trial.subject.advance(to: .random(in: last..<frame.time, using: &trial.random))
      }
      if Bool.random(using: &trial.random), last < frame.time {
        asked += trial.subject.advance(to: frame.time - 1)
      }
      asked += trial.subject.process(frame)
      last = frame.time
    }
    asked += trial.subject.advance(to: last + 1)
    asked += trial.subject.advance(to: .max)
    return asked == unasked ? nil : "\(cleanEdges(unasked).text), \(cleanEdges(asked).text)"
  }

  static let shiftsWithTime = Property(
    name: "shifting time shifts the output", mutant: Quantiser.self
  ) { trial in
    let shift = Microseconds.random(in: -(1 << 50)...(1 << 50), using: &trial.random)
    let shifted = trial.frames(of: trial.stream.withTimes { $0 + shift })
    let expected = Stream(frames: trial.frames()).withTimes { $0 + shift }.frames
    return shifted == expected ? nil : "by \(shift): \(cleanEdges(shifted).text)"
  }

  // The figures of `adaptive` are no parameters: its reference shows what they do.
  static let scalesWithTime = Property(
    name: "scaling time and parameters scales the output",
    kinds: Kind.allCases.filter { ![.adaptive, .mixedWithAdaptive].contains($0) },
    mutant: Quantiser.self
  ) { trial in
    guard !trial.rules.hasAdaptive else { return nil }
    let factor = Microseconds.random(in: 2...9, using: &trial.random)
    let scaled = trial.frames(
      of: trial.stream.withTimes { $0 * factor }, trial.rules.scaled(by: factor))
    let expected = Stream(frames: trial.frames()).withTimes { $0 * factor }.frames
    return scaled == expected ? nil : "by \(factor): \(cleanEdges(scaled).text)"
  }

  static let isNoneAtZero = Property(
    name: "a threshold of 0 is no strategy", kinds: Kind.ofOneThreshold, mutant: Lingerer.self
  ) { trial in
    let kind = trial.rules.strategy.kind
    var rules = trial.rules
    rules.strategy = kind.strategy(threshold: 0)
    let zero = trial.frames(of: trial.stream, rules)
    rules.strategy = .none
    let none = trial.frames(of: trial.stream, rules)
    return zero == none ? nil : cleanEdges(zero).text
  }

  static let isMonotone = Property(
    name: "a larger threshold never lets more presses through", kinds: Kind.ofOneThreshold,
    mutant: Waverer.self
  ) { trial in
    let kind = trial.rules.strategy.kind
    let stream = trial.stream.of(.a)
    var last = Int.max
    for threshold in [0.ms, 5.ms, 10.ms, 20.ms, 30.ms] {
      let rules = Rules(strategy: kind.strategy(threshold: threshold))
      let presses = cleanEdges(trial.frames(of: stream, rules)).filter(\.isDown).count
      guard presses <= last else { return "\(presses) at \(threshold), \(last) below" }
      last = presses
    }
    return nil
  }

  static let isIdempotent = Property(
    name: "what has been cleaned is clean", kinds: [.none, .eager, .bounceKeys],
    mutant: Prompter.self
  ) { trial in
    var rules = trial.rules
    rules.flush = .none
    let once = trial.frames(of: trial.stream, rules)
    let twice = trial.frames(of: Stream(frames: once), rules)
    return once == twice
      ? nil : "\(cleanEdges(once).text) became \(cleanEdges(twice).text)"
  }

  static let trustsTheStateGiven = Property(
    name: "after resynchronising the clone has the state given, and goes on from there",
    mutant: Mistruster.self
  ) { trial in
    var clean: [Edge] = []
    var truth: Set<KeyCode> = []
    for frame in trial.stream.frames {
      if Int.random(in: 0..<4, using: &trial.random) == 0 {
        truth = Set(Stream.keys.filter { _ in Bool.random(using: &trial.random) })
        clean += cleanEdges(trial.subject.resynchronise(held: KeySet(truth), at: frame.time))
        guard clean.held == truth else { return "given \(truth), told \(clean.text)" }
      } else {
        clean += cleanEdges(trial.subject.process(frame))
        for event in frame.events where event.type == EventType.key && event.value != 2 {
          if event.value == 1 { truth.insert(event.code) } else { truth.remove(event.code) }
        }
      }
    }
    clean += cleanEdges(trial.subject.advance(to: .max))
    return trial.fault(in: clean, held: truth)
  }
}

// MARK: - New rules

extension Property {
  static let decidesBeforeItTrustsTheState = Property(
    name: "what was due before a resynchronisation is decided as if time had been told",
    mutant: Shredder.self
  ) { trial in
    let length = Int.random(in: 0...trial.stream.frames.count, using: &trial.random)
    var other = trial.subject
    var (late, prompt) = ([Frame](), [Frame]())
    for frame in trial.stream.frames.prefix(length) {
      late += trial.subject.process(frame)
      prompt += other.process(frame)
    }
    let last = length == 0 ? 0 : trial.stream.frames[length - 1].time
    let time = last + .random(in: 0...400.ms, using: &trial.random)
    let held = KeySet(Stream.keys.filter { _ in Bool.random(using: &trial.random) })
    // Not up to the very moment: what is due then is decided after what comes then.
    if time > last { prompt += other.advance(to: time - 1) }
    late += trial.subject.resynchronise(held: held, at: time)
    prompt += other.resynchronise(held: held, at: time)
    return late == prompt
      ? nil : "\(cleanEdges(prompt).text) in time, \(cleanEdges(late).text) late"
  }

  static let adoptsRulesBetweenStrokes = Property(
    name: "whatever rules are adopted when, edges alternate and clean becomes raw",
    mutant: Restarter.self
  ) { trial in
    var clean: [Edge] = []
    for frame in trial.stream.frames {
      if Bool.random(using: &trial.random) {
        let kind = trial.random.pick(Kind.allCases)
        let rules = kind.rules(using: &trial.random)
        // A stroke that is taken whole stays unseen: it is looked at elsewhere.
        if !Stream.keys.contains(where: rules.suppressesStrokes) { trial.subject.adopt(rules) }
      }
      clean += cleanEdges(trial.subject.process(frame))
    }
    clean += cleanEdges(trial.subject.advance(to: .max))
    return trial.fault(in: clean)
  }

  static let doesNotNoticeTheSameRules = Property(
    name: "adopting the rules that hold changes nothing", mutant: Restarter.self
  ) { trial in
    let undisturbed = trial.frames()
    var disturbed: [Frame] = []
    for frame in trial.stream.frames {
      for _ in 0..<Int.random(in: 0...2, using: &trial.random) { trial.subject.adopt(trial.rules) }
      disturbed += trial.subject.process(frame)
    }
    trial.subject.adopt(trial.rules)
    disturbed += trial.subject.advance(to: .max)
    return undisturbed == disturbed ? nil : cleanEdges(disturbed).text
  }

  static let findsRoomForKeys = Property(
    name: "keys for which there is room only when they move are decided on in the same way",
    mutant: Cramped.self
  ) { trial in
    let plays = [Debouncer(trial.rules), type(of: trial.subject).withoutRoom(trial.rules)].map {
      var (subject, random): (any Subject, _) = ($0, trial.random)
      subject.reportsOutcomes = true
      var frames: [Frame] = []
      for frame in trial.stream.frames {
        switch Int.random(in: 0..<12, using: &random) {
        case 0: subject.pause()
        case 1, 2: subject.resume()
        case 3:
          let held = KeySet(Stream.keys.filter { _ in Bool.random(using: &random) })
          frames += subject.resynchronise(held: held, at: frame.time)
        default: frames += subject.process(frame)
        }
      }
      frames += subject.advance(to: .max)
      // What was learned is seen in what comes of the same again.
      var again = subject.successor(trial.rules)
      frames += again.play(trial.stream)
      return (frames, subject.outcomes, subject.counters, subject.keyCounts)
    }
    return plays[0] == plays[1] ? nil : cleanEdges(plays[1].0).text
  }
}

// MARK: - What the rules say

extension Rules {
  /// How long an edge can matter to others.
  fileprivate var memory: Microseconds {
    let strategies = ([strategy] + keys.values).flatMap(\.times)
    // A lock begins when a press is emitted.
    return (strategies.max() ?? 0) + (groups.map(\.lockout).max() ?? 0)
  }

  /// Whether a waiting release of the key goes out before another key's press.
  fileprivate func flushes(_ key: KeyCode) -> Bool {
    switch flush {
    case .all: true
    case .modifiers: key == .leftShift || key == 29
    case .none: false
    }
  }
}
