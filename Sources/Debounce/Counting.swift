/// What is counted of each key.
extension Debouncer {
  /// The keys that anything was counted of.
  public var countedKeys: [KeyCode] {
    keys.indices.filter { keys[$0].row >= 0 }.map { KeyCode($0) }
  }

  /// What was counted of the key; `nil` if nothing was.
  public func counts(of key: KeyCode) -> KeyCounts? {
    guard Int(key) < keys.count, keys[Int(key)].row >= 0 else { return nil }
    return keyCounts[Int(keys[Int(key)].row)]
  }

  /// Whether `adaptive` bridges the key's drop-outs now.
  public func isBridging(_ key: KeyCode) -> Bool {
    Int(key) < keys.count && keys[Int(key)].memory.isBridging
  }

  /// Adds what was counted of the key before this engine was made.
  public mutating func add(_ counts: KeyCounts, of key: KeyCode) {
    guard Int(key) < keys.count else { return }
    keyCounts[row(of: Int(key))].add(counts)
  }

  /// Where the counts of the key stand.
  @inline(__always)
  private mutating func row(of index: Int) -> Int {
    if keys[index].row < 0 {
      // There is room: see `init`.
      keys[index].row = Int16(keyCounts.count)
      keyCounts.append(KeyCounts())
    }
    return Int(keys[index].row)
  }

  /// Counts a stroke that is passed on: its press was raw at the key's `edge`.
  ///
  /// - Parameter released: From when its gap counts.
  @inline(__always)
  mutating func countStroke(of index: Int, after released: Microseconds) {
    let row = row(of: index)
    keyCounts[row].strokes.countUp()
    // The first stroke has no gap before it.
    guard released > KeyState.never else { return }
    let gap = keys[index].edge - released
    keyCounts[row].gaps.count(gap)
    if gap < nearMissGaps[Int(keys[index].strategy)] {
      keyCounts[row].nearMisses.countUp()
    }
  }

  @inline(__always)
  mutating func countHold(of index: Int, since pressed: Microseconds) {
    keyCounts[row(of: index)].holds.count(keys[index].edge - pressed)
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
    let row = row(of: index)
    switch chatter {
    case .pressBounce: keyCounts[row].pressBounces.countUp()
    case .releaseBounce: keyCounts[row].releaseBounces.countUp()
    case .dropOut: keyCounts[row].dropOuts.countUp()
    }
    if keys[index].raw {
      keyCounts[row].removedGaps.count(time - edge)
    } else {
      if released > KeyState.never {
        keyCounts[row].removedGaps.count(edge - released)
      }
      keyCounts[row].removedHolds.count(time - edge)
    }
  }

  mutating func countTaken(of index: Int) {
    keyCounts[row(of: index)].taken.countUp()
  }

  /// Counts a stroke as delivered that was counted as taken.
  mutating func countDelivered(of index: Int) {
    keyCounts[row(of: index)].taken.countDown()
  }

  /// Counts that the key's drop-outs are bridged from now on, or no more.
  mutating func countLearning(of index: Int) {
    let row = row(of: index)
    if keys[index].memory.isBridging {
      keyCounts[row].learned.countUp()
    } else {
      keyCounts[row].forgotten.countUp()
    }
  }
}
