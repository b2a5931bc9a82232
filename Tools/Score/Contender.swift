import Debounce
import TypingModel

/// A rule with its parameters: a row of the table.
struct Contender: Sendable {
  enum Rule: Sendable {
    case strategy(Strategy)
    /// The default, told these of every key.
    case named(Adaptive)
    case lockout(Microseconds)
    case libinput(Microseconds)
  }

  /// What a curve of the picture is drawn through.
  var family: String
  /// What distinguishes it from others of its family.
  var parameters: String
  var rule: Rule

  func tally(_ session: Session) -> Tally {
    switch rule {
    case .strategy(let strategy): Ledger.tally(session, EngineFilter(strategy))
    case .named(let adaptive): Ledger.tally(session, EngineFilter(named: adaptive))
    case .lockout(let time): Ledger.tally(session, Lockout(time))
    case .libinput(let bounce): Ledger.tally(session, LibinputMachine(bounce: bounce))
    }
  }
}

extension Contender {
  /// All that are compared, families together.
  static let all: [Contender] = {
    var all = [strategy("none", "", .none)]
    all += [15, 20, 25, 30, 40].map {
      Contender(family: "gap lock-out", parameters: "\($0)", rule: .lockout($0 * 1000))
    }
    all += [15, 25, 35].map {
      Contender(family: "libinput per key", parameters: "\($0)", rule: .libinput($0 * 1000))
    }
    all += [5, 10, 15, 25].map { strategy("defer", "\($0)", .defer(Defer(threshold: $0 * 1000))) }
    all += [10, 15, 25, 40].map { strategy("eager", "\($0)", .eager(Eager(threshold: $0 * 1000))) }
    all += [10, 15, 20, 25, 30, 40].map {
      strategy("eager-defer", "\($0)", .eagerDefer(EagerDefer(threshold: $0 * 1000)))
    }
    all += [15, 20, 25, 30, 40].map {
      strategy("prompt", "\($0)", .prompt(Prompt(threshold: $0 * 1000)))
    }
    all += [10, 15, 20, 25, 30, 35].map {
      strategy("adaptive", "\($0)", .adaptive(Adaptive(threshold: $0 * 1000)))
    }
    all += [50, 100].map {
      strategy("throttle", "\($0)", .throttle(Throttle(threshold: $0 * 1000)))
    }
    return all
  }()

  /// Whether it speaks for its family where not all parameters are compared.
  var isTypical: Bool {
    switch (family, parameters) {
    case ("gap lock-out", "30"), ("libinput per key", "25"), ("eager-defer", "25"): true
    default: isDefault
    }
  }

  private static func strategy(
    _ family: String, _ parameters: String, _ strategy: Strategy
  ) -> Contender {
    Contender(family: family, parameters: parameters, rule: .strategy(strategy))
  }

  /// The strategy that is used where nobody chooses.
  var isDefault: Bool {
    guard case .strategy(let strategy) = rule else { return false }
    return strategy == Rules().strategy
  }
}

// MARK: - Rules at work

/// A clean edge: what a rule made of the raw ones.
struct CleanEdge: Equatable {
  /// When it was emitted, in microseconds.
  var time: Microseconds
  var key: KeyCode
  var down: Bool
}

/// A rule at work on one keyboard.
protocol Filter {
  /// Takes a raw edge, and adds the clean ones that follow from it, or came due before it, to `clean`.
  mutating func take(_ edge: RawEdge, into clean: inout [CleanEdge])

  /// Nothing comes any more: adds what was still waiting.
  mutating func finish(into clean: inout [CleanEdge])
}

/// The engine.
struct EngineFilter: Filter {
  private var engine: Debouncer
  private var frame = Frame(capacity: 1)

  init(_ strategy: Strategy, _ habits: LearnedHabits = LearnedHabits()) {
    engine = Debouncer(Rules(strategy: strategy))
    engine.install(habits)
  }

  /// One in whose settings every key has this.
  init(named adaptive: Adaptive) {
    let keys = (0..<KeyCode(EventType.keyCount)).map { ($0, Strategy.adaptive(adaptive)) }
    engine = Debouncer(Rules(keys: Dictionary(uniqueKeysWithValues: keys)))
  }

  /// What it has learned so far.
  var habits: LearnedHabits { engine.habits }

  mutating func take(_ edge: RawEdge, into clean: inout [CleanEdge]) {
    frame.removeAll()
    frame.time = edge.time
    frame.append(.key(edge.key, down: edge.down))
    engine.process(frame)
    collect(into: &clean)
  }

  mutating func finish(into clean: inout [CleanEdge]) {
    engine.advance(to: .max)
    collect(into: &clean)
  }

  private mutating func collect(into clean: inout [CleanEdge]) {
    engine.output.drain { events, time in
      for event in events where event.type == EventType.key {
        clean.append(CleanEdge(time: time, key: event.code, down: event.value != 0))
      }
    }
  }
}

/// What the usual tools do: a press that comes too soon after the key's last release vanishes, and its
/// release with it. Nothing puts the key down again if the finger stays. For comparison only.
struct Lockout: Filter {
  private let lockout: Microseconds
  private var released: [Microseconds]
  private var isDown: [Bool]

  init(_ lockout: Microseconds) {
    self.lockout = lockout
    released = Array(repeating: -1_000_000_000, count: EventType.keyCount)
    isDown = Array(repeating: false, count: EventType.keyCount)
  }

  mutating func take(_ edge: RawEdge, into clean: inout [CleanEdge]) {
    let key = Int(edge.key)
    if edge.down {
      guard edge.time - released[key] >= lockout else { return }
    } else {
      guard isDown[key] else { return }
      released[key] = edge.time
    }
    isDown[key] = edge.down
    clean.append(CleanEdge(time: edge.time, key: edge.key, down: edge.down))
  }

  mutating func finish(into clean: inout [CleanEdge]) {}
}

/// libinput's state machine for the buttons of mice, with one machine per key instead of one per
/// device. For comparison only.
struct LibinputMachine: Filter {
  fileprivate enum State {
    case up, down
    /// Just pressed; what follows may be a bounce.
    case downWaiting
    /// Released soon after the press: the release waits.
    case upDelaying
    /// Released on a device that drops out: the release waits.
    case upDelayingSpurious
    /// Just released and emitted; a press now may be a bounce.
    case upDetecting
    /// Pressed again soon after: waits, and may yet prove that the device drops out.
    case downDetecting
    case upWaiting
    case downDelaying
  }

  fileprivate struct Key {
    var state = State.up
    var long: Microseconds?
    var short: Microseconds?
    /// Whether the key has dropped out before, and its releases wait.
    var isSpurious = false
  }

  private let bounce: Microseconds
  private let spurious: Microseconds
  private var keys = [Key](repeating: Key(), count: EventType.keyCount)
  /// The keys that have a timer; few at a time.
  private var armed: [KeyCode] = []

  init(bounce: Microseconds = 25_000, spurious: Microseconds = 12_000) {
    self.bounce = bounce
    self.spurious = spurious
  }

  mutating func take(_ edge: RawEdge, into clean: inout [CleanEdge]) {
    fire(before: edge.time, into: &clean)
    let index = Int(edge.key)
    var key = keys[index]
    let long = edge.time + bounce
    let short = edge.time + spurious
    if edge.down {
      switch key.state {
      case .up:
        clean.append(CleanEdge(time: edge.time, key: edge.key, down: true))
        key.set(.downWaiting, long: long)
      case .upDelaying: key.set(.downWaiting, long: long)
      case .upDelayingSpurious: key.set(.down)
      case .upDetecting: key.set(.downDetecting, long: long, short: short)
      case .upWaiting: key.set(.downDelaying, long: long)
      case .down, .downWaiting, .downDetecting, .downDelaying: break
      }
    } else {
      switch key.state {
      case .down where key.isSpurious: key.set(.upDelayingSpurious, long: long, short: short)
      case .down:
        clean.append(CleanEdge(time: edge.time, key: edge.key, down: false))
        key.set(.upDetecting, long: long, short: short)
      case .downWaiting: key.set(.upDelaying, long: long)
      case .downDetecting: key.set(.upDetecting, long: long, short: short)
      case .downDelaying: key.set(.upWaiting, long: long)
      case .up, .upDelaying, .upDelayingSpurious, .upDetecting, .upWaiting: break
      }
    }
    keys[index] = key
    if key.long != nil || key.short != nil, !armed.contains(edge.key) { armed.append(edge.key) }
  }

  mutating func finish(into clean: inout [CleanEdge]) {
    fire(before: .max, into: &clean)
  }

  private mutating func fire(before time: Microseconds, into clean: inout [CleanEdge]) {
    while let (due, code) = earliest(), due < time {
      let index = Int(code)
      var key = keys[index]
      let isShort = key.short == due
      if isShort { key.short = nil } else { key.long = nil }
      switch (key.state, isShort) {
      case (.downWaiting, false): key.state = .down
      case (.upDelaying, false):
        clean.append(CleanEdge(time: due, key: code, down: false))
        key.state = .up
      case (.upDelayingSpurious, true):
        clean.append(CleanEdge(time: due, key: code, down: false))
        key.state = .upWaiting
      case (.upDetecting, true): key.state = .upWaiting
      case (.upDetecting, false), (.upWaiting, false): key.state = .up
      case (.downDetecting, true):
        key.isSpurious = true
        fallthrough
      case (.downDetecting, false), (.downDelaying, false):
        clean.append(CleanEdge(time: due, key: code, down: true))
        key.set(.down)
      default: break
      }
      keys[index] = key
      if key.long == nil, key.short == nil { armed.removeAll { $0 == code } }
    }
  }

  private func earliest() -> (due: Microseconds, code: KeyCode)? {
    var first: (due: Microseconds, code: KeyCode)?
    for code in armed {
      let key = keys[Int(code)]
      let due = min(key.long ?? .max, key.short ?? .max)
      if let known = first, known.due <= due { continue }
      first = (due, code)
    }
    return first
  }
}

extension LibinputMachine.Key {
  fileprivate mutating func set(
    _ state: LibinputMachine.State, long: Microseconds? = nil, short: Microseconds? = nil
  ) {
    self.state = state
    self.long = long
    self.short = short
  }
}
