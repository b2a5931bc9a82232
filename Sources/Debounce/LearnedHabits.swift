/// Habits of a device, learned by `adaptive`, that outlast the engine: how long keys are usually held, and which switches
/// are bad.
///
/// Nothing else, and nothing of what was typed: no counts, no times, no order.
public struct LearnedHabits: Equatable, Sendable {
  /// The habits of one key. Values out of range, which a file may have, are brought to the nearest that is not.
  public struct Key: Equatable, Codable, Sendable {
    public let code: KeyCode
    /// By how much the key is held longer than usual on its device.
    public let offset: Microseconds
    /// For how many more presses the switch is taken for bad; `nil` if it is not. At 0 that ends with the next stroke.
    public let badFor: Int?
    /// How many pieces of evidence a bad key has shown, up to three; 0 if it is not bad. With three it is surely bad.
    public let evidence: Int
    /// The longest gap after which a late bounce of a bad key came; 0 if it has shown none.
    public let reach: Microseconds
    /// How many drop-outs late in a hold it has shown, less the gaps of fingers among them.
    public let lateDropOuts: Int

    public init(
      _ code: KeyCode, offset: Microseconds = 0, badFor: Int? = nil,
      evidence: Int = LearnedHabits.evidence.upperBound, reach: Microseconds = 0,
      lateDropOuts: Int = 0
    ) {
      self.code = code
      self.offset = offset.limited(to: offsets)
      self.badFor = badFor?.limited(to: badPresses)
      self.evidence = badFor == nil ? 0 : evidence.limited(to: LearnedHabits.evidence)
      self.reach = reach.limited(to: reaches)
      self.lateDropOuts = lateDropOuts.limited(to: LearnedHabits.lateDropOuts)
    }

    public init(from decoder: any Decoder) throws {
      let fields = try decoder.container(keyedBy: CodingKeys.self)
      self.init(
        try fields.decode(KeyCode.self, forKey: .code),
        offset: try fields.decode(Microseconds.self, forKey: .offset),
        badFor: try fields.decodeIfPresent(Int.self, forKey: .badFor),
        // Earlier versions did not store it.
        evidence: try fields.decodeIfPresent(Int.self, forKey: .evidence)
          ?? LearnedHabits.evidence.upperBound,
        reach: try fields.decode(Microseconds.self, forKey: .reach),
        lateDropOuts: try fields.decode(Int.self, forKey: .lateDropOuts))
    }

    public var isEmpty: Bool { offset == 0 && badFor == nil && reach == 0 && lateDropOuts == 0 }
  }

  /// How long keys of the device are usually held.
  public let usualHold: Microseconds
  /// The keys of which anything was learned, each once, in the order of their codes.
  public var keys: [Key]

  public init(usualHold: Microseconds = packagedHold, keys: [Key] = []) {
    self.usualHold = usualHold.limited(to: Self.usualHolds)
    self.keys = keys
  }

  /// The usual hold before any is learned.
  public static let packagedHold = UsualHold.packaged

  // Holds beyond these limits would move the medians no differently.
  package static let usualHolds: ClosedRange<Microseconds> = 0...10_000_000
  package static let offsets: ClosedRange<Microseconds> = -10_000_000...10_000_000
  package static let badPresses: ClosedRange<Int> = 0...1_000_000
  /// More evidence says no more. A bad key is surely bad if it is not known how much evidence it has shown.
  public static let evidence: ClosedRange<Int> = 1...Int(Evidence.sure)
  static let reaches: ClosedRange<Microseconds> = 0...10_000_000
  static let lateDropOuts: ClosedRange<Int> = 0...1_000_000

  public var isEmpty: Bool { keys.isEmpty && usualHold == Self.packagedHold }
}

extension Debouncer {
  /// What was learned so far. Allocates: not for the path of events.
  public var habits: LearnedHabits {
    LearnedHabits(
      usualHold: device.usual.hold,
      keys: keys.indices.compactMap { index in
        let key = keys[index].adaptive
        let badFor = key.evidence.remaining(afterPress: keys[index].presses)
        let isNamed = adopted.strategy(of: KeyCode(index)).isNamed
        let habits = LearnedHabits.Key(
          KeyCode(index), offset: key.offset, badFor: badFor,
          evidence: Int(key.evidence.pieces),
          reach: badFor != nil || isNamed ? key.evidence.reach : 0,
          lateDropOuts: Int(key.evidence.lateDropOuts))
        return habits.isEmpty ? nil : habits
      })
  }

  /// Goes on from what an earlier engine had learned: what follows is decided as that one would have.
  ///
  /// Keys without the strategy `adaptive` are left out. Evidence holds for no longer than the key's rule lets it.
  ///
  /// - Returns: Whether it was installed. An engine that has decided on a frame is left as it is: what it answers must not
  ///   depend on how fast a file was read.
  @discardableResult
  public mutating func install(_ habits: LearnedHabits) -> Bool {
    guard !clock.hasBegun else { return false }
    device.usual = UsualHold(hold: habits.usualHold)
    for index in keys.indices { forgetHabits(of: index) }
    for key in habits.keys where key.code < EventType.keyCount {
      // Not the strategy in force: while the engine is paused, that is `none`.
      guard case .adaptive(let rule) = adopted.strategy(of: key.code).limited else { continue }
      makeRoom(upTo: key.code)
      let index = Int(key.code)
      // A key that is named twice counts once.
      forgetHabits(of: index)
      keys[index].adaptive.offset = key.offset
      let isBad = key.badFor != nil
      keys[index].adaptive.evidence = Evidence(
        end: keys[index].presses + min(Int64(key.badFor ?? 0), Int64(rule.within)),
        reach: isBad || rule.isNamed ? key.reach : 0, lateDropOuts: Int32(key.lateDropOuts),
        isBad: isBad, pieces: UInt8(key.evidence))
      if isBad { device.badKeys += 1 }
    }
    return true
  }

  /// Forgets what was learned and counted of a key: its switch was replaced. A stroke in hand goes on as it began.
  public mutating func reset(_ key: KeyCode) {
    guard Int(key) < keys.count else { return }
    forgetHabits(of: Int(key))
    // The key keeps its row of counts.
    if let row = keys[Int(key)].row.position { keyCounts[row] = KeyCounts() }
  }

  /// Forgets what was learned and counted of the device's keys. Strokes in hand go on as they began; ``counters``, which are
  /// of this engine's own time, stay.
  public mutating func reset() {
    device.usual = UsualHold()
    for index in keys.indices { reset(KeyCode(index)) }
  }

  /// Forgets what was learned of a key. The stroke in hand goes on as it began.
  mutating func forgetHabits(of index: Int) {
    if keys[index].adaptive.evidence.isBad { device.badKeys -= 1 }
    keys[index].adaptive.offset = 0
    keys[index].adaptive.evidence = Evidence()
    // The stroke in hand is still one of the old switch.
    keys[index].adaptive.stroke.isHint = false
  }
}
