import Debounce
import StrokeFixtures

/// Makes rules and a stream of frames of the bytes, and watches what the engine makes of them.
func violationOfEngine(in bytes: [UInt8]) -> String? {
  var source = ByteSource(bytes)
  var run = EngineRun(source.rules(), isSteady: source.byte() & 1 == 0)
  while !source.isEmpty, run.violation == nil { run.step(&source) }
  if run.violation == nil { run.end() }
  return run.violation
}

/// Takes what the engine has emitted.
private func frames(of engine: inout Debouncer) -> [Frame] {
  defer { engine.output.removeAll() }
  return engine.output.frames
}

/// The engine at work, and what is known of its input and its output.
private struct EngineRun {
  private(set) var violation: String?

  private var engine: Debouncer
  private var rules: Rules
  /// Whether time never runs backwards, rules stay, and no event is lost: then more must hold.
  private let isSteady: Bool
  /// An engine that receives frames alone, and the output of both.
  private var unasked: Debouncer
  private var heard: [Frame] = []
  private var unaskedHeard: [Frame] = []

  private var time: Microseconds = 0
  private var raw: Set<KeyCode> = []
  private var clean: Set<KeyCode> = []
  /// By key: how often raw and clean moved, and when raw last went up and down.
  private var edgesIn: [KeyCode: Int] = [:]
  private var edgesOut: [KeyCode: Int] = [:]
  private var lastEdges: [KeyCode: [Bool: Microseconds]] = [:]
  private var presses: UInt64 = 0
  /// The keys of which strokes may have been taken whole.
  private var mayBeTaken: Set<KeyCode> = []
  /// The events that are not keys which are to pass next.
  private var others: [Int32] = []

  init(_ rules: Rules, isSteady: Bool) {
    self.rules = rules
    self.isSteady = isSteady
    engine = Debouncer(rules)
    unasked = engine
    noteTakers()
  }

  private mutating func noteTakers() {
    for key in ByteSource.keys where rules.suppressesStrokes(of: key) { mayBeTaken.insert(key) }
  }

  private mutating func fail(_ what: String) {
    if violation == nil { violation = "\(what), at \(time)" }
  }

  // MARK: The engine's input

  mutating func step(_ source: inout ByteSource) {
    let kind = source.byte()
    if isSteady {
      switch kind {
      case 0..<208: frame(&source, kind)
      default: advance(to: time + Microseconds(source.byte()) * 1000)
      }
    } else {
      switch kind {
      case 0..<160: frame(&source, kind)
      case 160..<192: advance(to: farTime(&source))
      case 192..<216: resynchronise(&source)
      case 216..<240:
        rules = source.rules()
        noteTakers()
        engine.adopt(rules)
      default: close()
      }
    }
    if engine.held != KeySet(clean) { fail("holds other keys than it has said") }
    if engine.rawHeld != KeySet(raw) { fail("takes other keys for down than it was told") }
  }

  /// A time that a device may claim.
  private func farTime(_ source: inout ByteSource) -> Microseconds {
    switch source.byte() {
    case 0..<128: time &+ Microseconds(source.byte()) * 1000
    case 128..<192: time &- Microseconds(source.byte()) * 1000
    case 192..<240: Microseconds(truncatingIfNeeded: source.number(bytes: 8))
    default: source.pick([.max, .min, 0, 1 << 60, -(1 << 60), 1 << 61, -(1 << 61)])
    }
  }

  private mutating func frame(_ source: inout ByteSource, _ kind: UInt8) {
    if isSteady {
      time += [0, 1, 999, 1000][Int(kind / 8) % 4] + Microseconds(source.byte()) * 500
    } else {
      time = farTime(&source)
    }
    var frame = Frame(time: time)
    for _ in 0..<1 + kind % 4 {
      let choice = source.byte()
      switch choice {
      case 0..<200:
        let value: Int32 = [0, 1, 0, 1, 0, 1, 2, -7][Int(choice) % 8]
        let event = Event(type: EventType.key, code: source.pick(ByteSource.keys), value: value)
        frame.append(event)
        note(event)
      case 200..<216: frame.append(.scan(Int32(choice)))
      case 216..<224:
        frame.append(Event(type: EventType.synchronisation, code: EventType.report, value: 0))
      default:
        let event = Event(type: 2, code: UInt16(choice) % 4, value: Int32(source.byte()))
        frame.append(event)
        others.append(event.value)
      }
    }
    if !frame.isEmpty,
      frame.events.allSatisfy({ $0.type == 2 && engine.freeAxes & 1 << $0.code != 0 })
    {
      engine.passed(frameAt: frame.time)
      hear(frame)
    } else {
      engine.process(frame)
      hear()
    }
    if isSteady {
      unasked.process(frame)
      hearUnasked()
    }
    if !others.isEmpty { fail("events that are not keys did not pass") }
  }

  private mutating func note(_ event: Event) {
    guard event.value != 2, event.code < EventType.keyCount else { return }
    note(event.code, down: event.value != 0)
  }

  private mutating func note(_ code: KeyCode, down: Bool) {
    guard raw.contains(code) != down else { return }
    if down { raw.insert(code) } else { raw.remove(code) }
    if down { presses += 1 }
    edgesIn[code, default: 0] += 1
    lastEdges[code, default: [:]][down] = time
  }

  private mutating func advance(to time: Microseconds) {
    // Time passes no further than it has when the next frame is stamped.
    if isSteady { self.time = time }
    engine.advance(to: isSteady ? time - 1 : time)
    hear()
    if isSteady, let deadline = engine.deadline, deadline < time {
      fail("leaves a deadline behind")
    }
  }

  private mutating func resynchronise(_ source: inout ByteSource) {
    let bits = source.byte()
    let held = Set(
      ByteSource.keys.indices.filter { bits & 1 << $0 != 0 }.map { ByteSource.keys[$0] }
    ).filter { $0 < EventType.keyCount }
    time = farTime(&source)
    setTruth(held)
    engine.resynchronise(held: KeySet(held), others: Frame(time: time))
    hear()
    if clean != held { fail("does not take the given state for the truth") }
  }

  private mutating func close() {
    setTruth([])
    engine.close(at: time)
    hear()
    if !clean.isEmpty { fail("a key is down after closing") }
    engine.advance(to: .max)
    if !frames(of: &engine).isEmpty { fail("goes on after closing") }
  }

  private mutating func setTruth(_ held: Set<KeyCode>) {
    for code in ByteSource.keys where code < EventType.keyCount {
      note(code, down: held.contains(code))
    }
  }

  // MARK: What it says

  private mutating func hear() {
    for frame in frames(of: &engine) { hear(frame) }
  }

  private mutating func hearUnasked() {
    unaskedHeard += frames(of: &unasked)
  }

  private mutating func hear(_ frame: Frame) {
    if frame.isEmpty { fail("an empty frame") }
    if isSteady, let last = heard.last, frame.time < last.time { fail("frames out of order") }
    if isSteady, frame.time > time { fail("a frame of the future") }
    for event in frame.events { hear(event, at: frame.time) }
    if isSteady { heard.append(frame) }
  }

  private mutating func hear(_ event: Event, at time: Microseconds) {
    guard event.type == EventType.key else {
      if event.type == 2 {
        if others.first == event.value {
          others.removeFirst()
        } else {
          fail("\(event) out of order")
        }
      }
      return
    }
    if event.value == 2 { fail("an autorepeat") }
    guard event.code < EventType.keyCount else { return }
    let down = event.value != 0
    guard clean.contains(event.code) != down else { return fail("\(event) again") }
    if down { clean.insert(event.code) } else { clean.remove(event.code) }
    edgesOut[event.code, default: 0] += 1
    if edgesOut[event.code, default: 0] > edgesIn[event.code, default: 0] {
      fail("more edges out than in of \(event.code)")
    }
    guard isSteady else { return }
    guard let cause = lastEdges[event.code]?[down] else { return fail("\(event) without a cause") }
    let bound = rules.longestWait(of: event.code, isPress: down)
    if time - cause > bound { fail("\(event) comes \(time - cause) after its cause, not \(bound)") }
  }

  // MARK: The end

  mutating func end() {
    engine.advance(to: .max)
    time = max(time, 1 << 60)
    hear()
    if engine.deadline != nil { fail("has a deadline when all time has passed") }
    for key in ByteSource.keys where clean.contains(key) != raw.contains(key) {
      if !clean.contains(key), mayBeTaken.contains(key) { continue }
      fail("\(key) is \(clean.contains(key) ? "down" : "up") in the end")
    }
    if isSteady {
      unasked.advance(to: .max)
      hearUnasked()
      if unaskedHeard != heard { fail("says something else when it is asked at other times") }
      let counters = engine.counters
      let out =
        counters.pressesOut + counters.chatter.total + counters.suppressed
      if out != presses { fail("\(presses) presses became \(counters)") }
    }
    if engine.counters.pressesIn != presses { fail("counts \(engine.counters.pressesIn) presses") }
    close()
  }
}
