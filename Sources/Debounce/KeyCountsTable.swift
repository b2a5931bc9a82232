/// The counts of a device's keys: a place for each key that was pressed.
///
/// Room for all keys is set aside at once, so that no event has to ask for more. The kernel gives memory only to places
/// that are used.
struct KeyCountsTable: Sendable {
  var entries: ContiguousArray<KeyCounts> = []

  init() {
    entries.reserveCapacity(EventType.keyCount)
  }

  /// Makes a place for one more key.
  mutating func add() -> Int {
    entries.append(KeyCounts())
    return entries.count - 1
  }
}

// MARK: - What is counted

extension Debouncer {
  /// The keys that anything was counted of.
  public var countedKeys: [KeyCode] {
    keys.indices.filter { keys[$0].counts >= 0 }.map { KeyCode($0) }
  }

  /// What was counted of the key; `nil` if nothing was.
  public func counts(of key: KeyCode) -> KeyCounts? {
    guard Int(key) < keys.count, keys[Int(key)].counts >= 0 else { return nil }
    return keyCounts.entries[Int(keys[Int(key)].counts)]
  }

  /// Whether `adaptive` bridges the key's drop-outs now.
  public func isBridging(_ key: KeyCode) -> Bool {
    Int(key) < keys.count && keys[Int(key)].memory.isBridging
  }

  /// Adds what was counted of the key before this engine was made.
  public mutating func add(_ counts: KeyCounts, of key: KeyCode) {
    guard Int(key) < keys.count else { return }
    keyCounts.entries[place(of: Int(key))].add(counts)
  }

  /// Where the counts of the key stand.
  @inline(__always)
  private mutating func place(of index: Int) -> Int {
    if keys[index].counts < 0 { keys[index].counts = Int16(keyCounts.add()) }
    return Int(keys[index].counts)
  }

  /// Counts a stroke that is passed on: its press was raw at the key's `edge`.
  ///
  /// - Parameter released: From when its gap counts.
  @inline(__always)
  mutating func countStroke(of index: Int, after released: Microseconds) {
    let place = place(of: index)
    KeyCounts.count(&keyCounts.entries[place].strokes)
    // The first stroke has no gap before it.
    guard released > KeyState.never else { return }
    let gap = keys[index].edge - released
    keyCounts.entries[place].gaps.add(gap)
    if gap < 2 * strategies[Int(keys[index].strategy)].window {
      KeyCounts.count(&keyCounts.entries[place].nearMisses)
    }
  }

  @inline(__always)
  mutating func countHold(of index: Int, since pressed: Microseconds) {
    keyCounts.entries[place(of: index)].holds.add(keys[index].edge - pressed)
  }

  /// Counts chatter that vanishes now.
  ///
  /// - Parameters:
  ///   - edge: When the edge came that vanishes.
  ///   - time: When the one came that undoes it.
  ///   - released: From when the gap counts of a stroke that vanishes.
  mutating func count(
    _ chatter: Chatter, of index: Int, from edge: Microseconds, to time: Microseconds,
    after released: Microseconds
  ) {
    let place = place(of: index)
    keyCounts.entries[place].count(chatter)
    if keys[index].raw {
      keyCounts.entries[place].removedGaps.add(time - edge)
    } else {
      if released > KeyState.never { keyCounts.entries[place].removedGaps.add(edge - released) }
      keyCounts.entries[place].removedHolds.add(time - edge)
    }
  }

  mutating func countTaken(of index: Int) {
    KeyCounts.count(&keyCounts.entries[place(of: index)].taken)
  }

  /// Counts a stroke as delivered that was counted as taken.
  mutating func countDelivered(of index: Int) {
    let place = place(of: index)
    if keyCounts.entries[place].taken > 0 { keyCounts.entries[place].taken -= 1 }
  }

  /// Counts that the key's drop-outs are bridged from now on, or no more.
  mutating func countLearning(of index: Int) {
    let place = place(of: index)
    if keys[index].memory.isBridging {
      KeyCounts.count(&keyCounts.entries[place].learned)
    } else {
      KeyCounts.count(&keyCounts.entries[place].forgotten)
    }
  }
}

extension Strategy {
  /// Within which gap a press counts as chatter, where the strategy judges by gaps; 0 where it does not.
  fileprivate var window: Microseconds {
    switch self {
    case .none, .throttle: 0
    case .defer(let rule): rule.release
    case .eager(let rule): rule.release
    case .eagerDefer(let rule): rule.release
    case .prompt(let rule): rule.quiet
    case .confirm(let rule): rule.dropout > 0 ? rule.dropout : rule.confirm
    case .adaptive(let rule): rule.rule.dropout > 0 ? rule.rule.dropout : rule.rule.confirm
    }
  }
}
