import Debounce
import Randomness
import StrokeFixtures

// MARK: - What `adaptive` promises

extension Property {
  static let keepsTheOrderOfPresses = Property(
    name: "presses keep the switches' order across keys", kinds: [.adaptive, .mixedWithAdaptive],
    mutant: Overtaker.self
  ) { trial in
    // Every key event has a scan code of its own, which tells what it is when it comes out.
    let marked = trial.stream.marked
    let raw = marked.scannedEdges
    var last: Int32 = -1
    for frame in trial.frames(of: marked) {
      for (scan, event) in zip(frame.events, frame.events.dropFirst())
      where event.type == EventType.key && event.value == 1 {
        guard scan.isScan else { return "\(event) has lost its scan code" }
        // Strategies that only wait, as `defer`, wait whatever others do.
        guard trial.rules.strategy(of: event.code).isAdaptive else { continue }
        guard scan.value > last else {
          let press = raw.firstIndex { $0.scan == scan.value } ?? 0
          let release = raw[press...].first { $0.edge.key == event.code && !$0.edge.isDown }
          let overtaker = raw.first { $0.scan == last }
          // Exempt is a stroke that was withdrawn, and is delivered as one of several after all: if it is a modifier that
          // overtakes it, in the middle of its contact, or a press that has waited for as long as any does.
          if let release, let overtaker, release.edge.time <= frame.time {
            let longest = trial.rules.longestWait(of: overtaker.edge.key, isPress: true)
            if [.leftShift, 29].contains(overtaker.edge.key)
              && overtaker.edge.time <= release.edge.time
              || frame.time - overtaker.edge.time >= longest
            {
              continue
            }
          }
          return "\(event) at \(frame.time) is overtaken"
        }
        last = scan.value
      }
    }
    return nil
  }

  static let passesMachines = Property(
    name: "a machine's burst passes whole", kinds: [.adaptive], mutant: Overtaker.self
  ) { trial in
    let burst = Stream.burst(for: trial.rules, using: &trial.random)
    let clean = cleanEdges(trial.frames(of: burst))
    // Before it is known for a machine, the end of a stroke may wait past the next press.
    let isWhole =
      clean.filter(\.isDown).map(\.key) == burst.raw.filter(\.isDown).map(\.key)
      && clean.count == burst.raw.count
    return isWhole ? nil : "\(burst.raw.text) became \(clean.text)"
  }

  static let deliversBeforeTheNextPress = Property(
    name: "what is withdrawn and proves meant is delivered before the next key's press",
    kinds: [.adaptive], mutant: Overtaker.self
  ) { trial in
    // With a threshold above 37, a worn key's very short stroke may wait for longer than the 106 ms for which others are held
    // back behind it: the finger's stroke can have ended by then.
    guard case .adaptive(let rule) = trial.rules.strategy, rule.dropout <= 37.ms else { return nil }
    // A machine has typed; it doubles a character, and soon after a finger presses another key and holds it.
    var stream = Stream.burst(for: trial.rules, using: &trial.random)
    var time = (stream.frames.last?.time ?? 0) + 60.ms
    for _ in 0..<2 {
      stream.frames.append(Frame(time: time, [.down(.a)]))
      time += .random(in: 1.ms...30.ms, using: &trial.random)
      stream.frames.append(Frame(time: time, [.up(.a)]))
      time += .random(in: 1.ms...30.ms, using: &trial.random)
    }
    stream.frames.append(Frame(time: time, [.down(.s)]))
    stream.frames.append(Frame(time: time + 90.ms, [.up(.s)]))
    let presses = { (edges: [Edge]) in edges.filter(\.isDown).map(\.key) }
    let clean = cleanEdges(trial.frames(of: stream))
    return presses(clean) == presses(stream.raw)
      ? nil : "\(stream.raw.text) became \(clean.text)"
  }

  static let goesOnFromWhatWasLearned = Property(
    name: "an engine with habits installed answers as the one that learned them",
    kinds: [.adaptive, .mixedWithAdaptive], mutant: Amnesiac.self
  ) { trial in
    var time: Microseconds = 0
    func run(_ stream: Stream, on subject: inout some Subject) -> [Frame] {
      subject.play(stream.withTimes { $0 + time })
    }
    var predecessor = trial.subject
    // Not so much that a key could be beyond borderline: that is not kept.
    for _ in 0..<2 {
      let stream = Stream(for: trial.rules, using: &trial.random)
      _ = run(stream, on: &predecessor)
      time += (stream.frames.last?.time ?? 0) + 1000.ms
      // Whatever is down comes up.
      _ = run(Stream(frames: [Frame(time: 0, Stream.keys.map { .up($0) })]), on: &predecessor)
      // So long that no time of before matters.
      time += 10_000.ms
    }
    var successor = predecessor.successor(trial.rules)
    // Whether a machine typed last is not kept: a finger shows that it is not typing now. Nor is evidence that has run out
    // while it did: the key's next stroke shows that.
    let fingers = ([.d] + Stream.keys).enumerated().flatMap { index, key in
      [
        Frame(time: Microseconds(index) * 1000.ms, [.down(key)]),
        Frame(time: Microseconds(index) * 1000.ms + 100.ms, [.up(key)]),
      ]
    }
    let last = Stream(frames: fingers + trial.stream.withTimes { $0 + 20_000.ms }.frames)
    let (expected, frames) = (run(last, on: &predecessor), run(last, on: &successor))
    return frames == expected
      ? nil : "\(cleanEdges(expected).text) before, \(cleanEdges(frames).text) after"
  }
}

/// Decides on each key by itself, as ``Prompt`` does.
struct Overtaker: RulesMutant {
  var engine: Debouncer

  static func mutate(_ rules: inout Rules) {
    rules = Rules(strategy: .prompt(Prompt(threshold: 25.ms)), flush: rules.flush)
  }
}

extension Stream {
  /// The same, with a scan code for each key event: its number. Without second moves of a key in one frame: a keyboard
  /// sends the keys' state once in a frame, and between moves of the same time there is no order.
  fileprivate var marked: Stream {
    var number: Int32 = 0
    return Stream(
      frames: frames.map { frame in
        var marked = Frame(time: frame.time)
        var moved: Set<KeyCode> = []
        for event in frame.events
        where event.type == EventType.key && moved.insert(event.code).inserted {
          marked.append(.scan(number))
          marked.append(event)
          number += 1
        }
        return marked
      })
  }

  /// What a machine types: strokes of two keys or more, with characters doubled and tripled, holds and gaps of 1 to 30 ms
  /// that are the same but for a jitter of 2 ms. On keys that are named it shows itself with three different ones, and holds
  /// none for as long as a finger.
  fileprivate static func burst(for rules: Rules, using random: inout SeededRandom) -> Stream {
    let keys: [KeyCode] = [.a, .s, .d]
    let isNamed = rules.strategy.isNamed
    let hold = Microseconds.random(in: 3.ms...(isNamed ? 21.ms : 28.ms), using: &random)
    let gap = Microseconds.random(in: 3.ms...28.ms, using: &random)
    var stream = Stream(frames: [])
    var time: Microseconds = 0
    var last: KeyCode?
    var first: [KeyCode] = isNamed ? keys : []
    for _ in 0..<Int.random(in: (isNamed ? 4 : 2)...8, using: &random) {
      let isFirst = !first.isEmpty
      let key = isFirst ? first.removeLast() : random.pick(keys.filter { $0 != last })
      for _ in 0..<(isFirst ? 1 : random.pick([1, 1, 1, 2, 3])) {
        stream.frames.append(Frame(time: time, [.key(key, down: true)]))
        time += hold + .random(in: -2.ms...2.ms, using: &random)
        stream.frames.append(Frame(time: time, [.key(key, down: false)]))
        time += gap + .random(in: -2.ms...2.ms, using: &random)
      }
      last = key
    }
    return stream
  }
}
