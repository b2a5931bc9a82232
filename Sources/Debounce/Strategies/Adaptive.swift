/// ``Confirm`` that bridges drop-outs only for keys whose switch has shown that it is bad.
///
/// Bridging a drop-out makes every release of the key late by `dropout`. A healthy key must not pay for
/// that, so each key starts without, and pays only after evidence:
///
/// ```
///  (a)   P──R P────────── …     a release that `settle` held back, and a press cancelled
///  (b)   … ─────R P──R          a held-back press that vanished with its release
///  (c)   … ─────R P────────     a held-back press that lasted, after a gap no finger makes (< spurious)
///
///   evidence ──▶ `learn` pieces within `within` presses ──▶ bridging, for the next `within` presses
///                                                            ▲   new evidence renews it, and so does
///                                                            └── (d) a bridged gap below `spurious`
/// ```
///
/// Origin: libinput's spurious mode; there it is per device and for good, here per key and for a while.
public struct Adaptive: Equatable, Sendable {
  /// The largest ``learn``.
  public static let mostEvidence = AdaptiveMemory.capacity

  /// The rule for each edge. Its `dropout` applies only while the key is known to drop out.
  public var rule: Confirm
  /// How many pieces of evidence it takes, 1…``mostEvidence``.
  public var learn: Int
  /// Within how many presses of the key they must come, and for how many the conclusion holds.
  public var within: Int
  /// A gap that no finger makes.
  public var spurious: Microseconds

  public init(
    rule: Confirm = Confirm(threshold: 25_000), learn: Int = 1, within: Int = 300,
    spurious: Microseconds = 12_000
  ) {
    self.rule = rule
    self.learn = min(max(learn, 1), Self.mostEvidence)
    self.within = min(max(within, 1), Int(UInt32.max / 2))
    self.spurious = spurious
  }

  /// The parameters that follow from one threshold.
  public init(threshold: Microseconds) {
    self.init(rule: Confirm(threshold: threshold))
  }

  func judge(
    _ key: inout KeyState, at time: Microseconds, counting counters: inout Counters
  ) -> Verdict {
    if key.raw {
      let verdict = rule.judgePress(&key, at: time)
      if case .withdraw(let chatter) = verdict {
        if chatter == .pressBounce {
          note(&key, counting: &counters)  // (a)
        } else if time - key.edge < spurious {
          renew(&key)  // (d)
        }
      }
      return verdict
    }
    let bridges = isBridging(&key, counting: &counters)
    let verdict = rule.judgeRelease(&key, at: time, dropout: bridges ? rule.dropout : 0)
    if case .withdraw = verdict { note(&key, counting: &counters) }  // (b)
    return verdict
  }

  func lasted(_ key: inout KeyState, counting counters: inout Counters) {
    if key.raw, key.edge - key.released < spurious { note(&key, counting: &counters) }  // (c)
  }

  /// Whether the key's drop-outs are bridged now. Notices when that has run out.
  @inline(__always)
  private func isBridging(_ key: inout KeyState, counting counters: inout Counters) -> Bool {
    guard key.memory.isBridging else { return false }
    if Int32(bitPattern: key.memory.bridgesUntil &- key.presses) >= 0 { return true }
    key.memory.isBridging = false
    counters.forgotten += 1
    return false
  }

  private func renew(_ key: inout KeyState) {
    key.memory.bridgesUntil = key.presses &+ UInt32(within)
  }

  private func note(_ key: inout KeyState, counting counters: inout Counters) {
    if !isBridging(&key, counting: &counters) {
      guard key.memory.note(press: key.presses, learn: learn, within: UInt32(within)) else {
        return
      }
      key.memory.isBridging = true
      counters.learned += 1
    }
    renew(&key)
  }
}

/// What ``Adaptive`` remembers of one key.
struct AdaptiveMemory: Sendable {
  static let capacity = SIMD8<UInt32>.scalarCount

  /// Whether drop-outs are bridged, and up to which press.
  var isBridging = false
  var bridgesUntil: UInt32 = 0

  /// At which press each of the last pieces of evidence came: a ring of the length `learn`.
  private var evidence = SIMD8<UInt32>()
  private var pieces = 0

  /// Notes a piece of evidence.
  ///
  /// - Returns: Whether the last `learn` pieces came within `within` presses.
  mutating func note(press: UInt32, learn: Int, within: UInt32) -> Bool {
    evidence[pieces % learn] = press
    pieces &+= 1
    guard pieces >= learn else { return false }
    let oldest = evidence[pieces % learn]
    return press &- oldest < within
  }
}
