import Debounce

extension ByteSource {
  /// The keys that are played: of each kind that the engine treats apart, and one that no kernel sends.
  static let keys: [KeyCode] = [30, 31, 42, 29, 0x110, 0x2ff, 0, 0x300]

  /// A parameter: what people choose, what is legal, and what nobody would.
  private mutating func time() -> Microseconds {
    let kind = byte()
    switch kind {
    case 0..<200: return Microseconds(kind % 100) * 1000
    case 200..<224: return Microseconds(number(bytes: 3) % 1_000_001)
    case 224..<240: return Microseconds(kind - 224)
    case 240..<248: return Microseconds(number(bytes: 5))
    default: return pick([.max, .min, -1, 1 << 60, -(1 << 60), 1 << 61])
    }
  }

  private mutating func confirm() -> Confirm {
    let kind = byte()
    guard kind & 1 == 0 else { return Confirm(threshold: Microseconds(kind) * 1000) }
    return Confirm(short: time(), settle: time(), suspect: time(), confirm: time(), dropout: time())
  }

  private mutating func strategy() -> Strategy {
    switch byte() % 9 {
    case 0: return .none
    case 1: return .defer(Defer(press: time(), release: time()))
    case 2: return .eager(Eager(press: time(), release: time()))
    case 3: return .eagerDefer(EagerDefer(press: time(), release: time()))
    case 4: return .prompt(Prompt(quiet: time()))
    case 5: return .confirm(confirm())
    case 6: return .throttle(Throttle(interval: time(), latest: byte() & 1 == 0))
    case 7: return .adaptive(Adaptive(rule: confirm(), learn: 1, within: 4, spurious: time()))
    default:
      var rule = Adaptive(rule: confirm())
      rule.learn = Int(Int8(bitPattern: byte()))
      rule.within = Int(Int8(bitPattern: byte()))
      rule.spurious = time()
      return .adaptive(rule)
    }
  }

  /// Rules for a device.
  mutating func rules() -> Rules {
    var rules = Rules(strategy: strategy(), flush: pick(Flush.allCases))
    for _ in 0..<byte() % 3 { rules.keys[pick(Self.keys)] = strategy() }
    for _ in 0..<byte() % 3 {
      rules.groups.append(
        Group(keys: Set((0..<byte() % 4).map { _ in pick(Self.keys) }), lockout: time()))
    }
    return rules
  }
}

extension Rules {
  /// Whether strokes of the key may vanish whole, however long they last.
  func takesStrokes(of key: KeyCode) -> Bool {
    if groups.contains(where: { $0.keys.contains(key) }) { return true }
    if case .throttle(let rule) = keys[key] ?? strategy { return !rule.latest }
    return false
  }

  /// How late an edge of the key is emitted at most.
  func bound(of key: KeyCode, down: Bool) -> Microseconds {
    switch keys[key] ?? strategy {
    case .none: 0
    case .defer(let rule): down ? rule.press : rule.release
    case .eager(let rule): down ? rule.release : rule.press
    case .eagerDefer(let rule): down ? 0 : max(rule.press, rule.release)
    case .prompt(let rule): rule.quiet
    case .confirm(let rule): down ? rule.confirm : max(rule.settle, rule.dropout)
    case .adaptive(let rule): down ? rule.rule.confirm : max(rule.rule.settle, rule.rule.dropout)
    case .throttle(let rule): rule.latest ? rule.interval : 0
    }
  }
}
