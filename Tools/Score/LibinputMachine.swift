import Debounce
import TypingModel

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
