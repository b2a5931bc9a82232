/// New rules for an engine at work.
extension Debouncer {
  /// Adopts new rules: for each key as soon as it is idle, which is when it is up and nothing of it waits.
  ///
  /// Until then a key goes on by the rules it has, so that no stroke is decided on by two. What is known of the keys stays:
  /// when they last moved, and which of them drop out, unless the strategy that learned it is another now.
  ///
  /// While the engine is paused, they wait until that ends.
  public mutating func adopt(_ rules: Rules) {
    adopted = rules
    if !isPaused { apply(rules) }
  }

  /// Passes everything on as it is: each key's edges as soon as it is idle, and a wheel's steps and what strokes mean at the
  /// next stroke.
  ///
  /// Nothing is counted of single keys meanwhile, and nothing is learned or forgotten: what passes may be chatter.
  public mutating func pause() {
    guard !isPaused else { return }
    isPaused = true
    keysBeforePause = ContiguousArray(repeating: nil, count: keys.count)
    apply(Rules(strategy: .none, flush: adopted.flush))
  }

  /// Debounces again after ``pause()``: each key as soon as it is idle.
  public mutating func resume() {
    guard isPaused else { return }
    isPaused = false
    apply(adopted)
  }

  private mutating func apply(_ rules: Rules) {
    let old = strategies
    strategies = [rules.strategy.limited]
    // The first place is that of keys without a strategy of their own: of nearly all.
    var last = (strategy: rules.strategy, place: 0)
    for index in keys.indices {
      let strategy = rules.strategy(of: KeyCode(index))
      if strategy != last.strategy { last = (strategy, place(of: strategy.limited)) }
      let next = last.place
      // Not yet any: the engine is being made.
      guard !old.isEmpty, !isIdle(KeyCode(index)) else {
        let present = old.isEmpty ? nil : old[Int(keys[index].strategy)]
        change(index, to: next, from: present)
        continue
      }
      keys[index].strategy = UInt16(place(of: old[Int(keys[index].strategy)]))
      keys[index].nextStrategy = CompactIndex(next)
    }
    nearMissGaps = ContiguousArray(strategies.map { 2 * $0.window })
    adopt(rules.groups)
    adopt(meanings: rules.meanings)
    wheels.adopt(rules.wheel, leftOut: &counters.reversals)
    flush = rules.flush
  }

  /// Where the strategy stands; it is added if it is new.
  private mutating func place(of strategy: Strategy) -> Int {
    if let known = strategies.firstIndex(of: strategy) { return known }
    strategies.append(strategy)
    return strategies.count - 1
  }

  private mutating func adopt(_ groups: [Group]) {
    // A lock that runs goes on where its group is still the same.
    locks = ContiguousArray(
      groups.map { group in
        self.groups.firstIndex(of: group).map { locks[$0] } ?? Lock(lockout: group.lockout)
      })
    self.groups = groups
    for index in keys.indices { keys[index].lock = .none }
    for (lock, group) in groups.enumerated() {
      for code in group.keys where Int(code) < keys.count && keys[Int(code)].lock == .none {
        keys[Int(code)].lock = CompactIndex(lock)
      }
    }
  }

  /// Gives the key the strategy that waits for it, if it is idle.
  mutating func adoptIfIdle(_ code: KeyCode) {
    let index = Int(code)
    guard let next = keys[index].nextStrategy.position, isIdle(code) else { return }
    let present = strategies[Int(keys[index].strategy)]
    change(index, to: next, from: present)
  }

  /// What `adaptive` learned of the key stays if the strategy does.
  private mutating func change(_ index: Int, to place: Int, from present: Strategy?) {
    keys[index].strategy = UInt16(place)
    keys[index].nextStrategy = .none
    device.badKeys += (strategies[place].isNamed ? 1 : 0) - (present?.isNamed == true ? 1 : 0)
    if isPaused {
      if keysBeforePause[index] == nil { keysBeforePause[index] = KeyBeforePause(keys[index]) }
      return
    }
    var wasAdaptive = if case .adaptive = present { true } else { false }
    if index < keysBeforePause.count, let before = keysBeforePause[index] {
      before.undoPause(of: &keys[index])
      keysBeforePause[index] = nil
      wasAdaptive = true
    }
    if wasAdaptive, !isAdaptive(KeyCode(index)) { forgetLearning(of: index) }
  }

  /// Whether the key is up and nothing of it waits.
  private func isIdle(_ code: KeyCode) -> Bool {
    let key = keys[Int(code)]
    return !key.raw && !key.clean && !deadlines.contains(code)
  }
}

/// What a key's strokes would change in what is known of it while everything passes.
struct KeyBeforePause: Sendable {
  private let presses: Int64
  private let lastShort: Int32?

  init(_ key: KeyState) {
    presses = key.presses
    lastShort = key.adaptive.lastShort
  }

  /// The presses of the pause prove nothing, neither for the switch nor against it, nor for a machine that types.
  func undoPause(of key: inout KeyState) {
    key.adaptive.evidence.extend(by: key.presses - presses)
    key.adaptive.lastShort = lastShort
  }
}
