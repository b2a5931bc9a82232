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
/// A small gap alone is not always a fault: a finger that holds long and comes back fast makes one now
/// and then, and so does a receiver that delivers late. What gives a fault away is the time from press
/// to press, which no finger makes as short as `short` + `settle`. Where it is longer, (c) and (d) leave
/// a doubt, and the key is bridged for a few presses only: if the switch is bad, the next piece of
/// evidence will not be long in coming.
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
  /// A gap that hardly any finger makes.
  public var spurious: Microseconds

  /// For how many presses a conclusion holds that is in doubt, unless `within` is shorter still.
  public static let doubt = 30

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
    self = StrategyTable.adaptive.rule(threshold: threshold)
  }

  func decide(
    _ key: inout KeyState, at time: Microseconds, noting change: inout LearningChange
  ) -> Decision {
    if key.raw {
      let decision = rule.decidePress(&key, at: time)
      if case .withdraw(let chatter) = decision {
        if chatter == .pressBounce {
          note(&key, for: within, noting: &change)  // (a)
        } else if time - key.edge < spurious {
          renew(&key, for: term(ofPressAt: time, after: key))  // (d)
        }
      }
      return decision
    }
    let bridges = isBridging(&key, noting: &change)
    let decision = rule.decideRelease(&key, at: time, dropout: bridges ? rule.dropout : 0)
    if case .withdraw = decision { note(&key, for: within, noting: &change) }  // (b)
    return decision
  }

  func lasted(_ key: inout KeyState, noting change: inout LearningChange) {
    guard key.raw, key.edge - key.released < spurious else { return }
    note(&key, for: term(ofPressAt: key.edge, after: key), noting: &change)  // (c)
  }

  /// For how many presses it counts that a press at `time` came after a small gap.
  private func term(ofPressAt time: Microseconds, after key: KeyState) -> Int {
    time - key.pressed < rule.short + rule.settle ? within : min(within, Self.doubt)
  }

  /// Whether the key's drop-outs are bridged now. Notices when that has run out.
  @inline(__always)
  private func isBridging(_ key: inout KeyState, noting change: inout LearningChange) -> Bool {
    guard key.memory.isBridging else { return false }
    if Int32(bitPattern: key.memory.bridgesUntil &- key.presses) >= 0 { return true }
    key.memory.isBridging = false
    change.insert(.forgot)
    return false
  }

  /// Lets the bridging go on for at least so many presses.
  private func renew(_ key: inout KeyState, for presses: Int) {
    let end = key.presses &+ UInt32(presses)
    guard Int32(bitPattern: end &- key.memory.bridgesUntil) > 0 else { return }
    key.memory.bridgesUntil = end
  }

  private func note(_ key: inout KeyState, for presses: Int, noting change: inout LearningChange) {
    if !isBridging(&key, noting: &change) {
      guard key.memory.note(press: key.presses, learn: learn, within: UInt32(within)) else {
        return
      }
      key.memory.isBridging = true
      key.memory.bridgesUntil = key.presses
      change.insert(.learned)
    }
    renew(&key, for: presses)
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

/// What an edge has changed in what is known of its key.
struct LearningChange: OptionSet {
  let rawValue: UInt8

  /// The evidence has run out.
  static let forgot = LearningChange(rawValue: 1)
  /// The evidence is enough.
  static let learned = LearningChange(rawValue: 2)
}
