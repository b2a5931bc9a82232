import Configuration
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

  /// A count: small ones, in which most happens, and others.
  private mutating func count() -> Int64 {
    let kind = byte()
    return kind < 160 ? Int64(kind % 8) : Int64(Int8(bitPattern: byte()))
  }

  private mutating func strategy() -> Strategy {
    let kind = pick(StrategyKind.allCases)
    let choice = byte()
    guard choice & 1 == 0 else { return kind.strategy(threshold: Microseconds(choice) * 1000, [:]) }
    var strategy = kind.packaged
    for parameter in kind.parameters {
      let value =
        switch parameter.values {
        case .times: time()
        case .counts: count()
        case .flag: Int64(byte() & 1)
        }
      parameter.set(value, in: &strategy)
    }
    return strategy
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
