/// What is counted of each key.
extension Debouncer {
  private typealias Column = KeyCountsTable.Column

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
    keyCounts.add(counts, toRow: row(of: Int(key)))
  }

  /// Where the counts of the key stand.
  @inline(__always)
  private mutating func row(of index: Int) -> Int {
    if keys[index].row < 0 { keys[index].row = Int16(keyCounts.addRow()) }
    return Int(keys[index].row)
  }

  /// Counts a stroke that is passed on: its press was raw at the key's `edge`.
  ///
  /// - Parameter released: From when its gap counts.
  @inline(__always)
  mutating func countStroke(of index: Int, after released: Microseconds) {
    let row = row(of: index)
    keyCounts.count(Column.strokes, inRow: row)
    // The first stroke has no gap before it.
    guard released > KeyState.never else { return }
    let gap = keys[index].edge - released
    keyCounts.count(gap, from: Column.gaps, inRow: row)
    if gap < nearMissGaps[Int(keys[index].strategy)] {
      keyCounts.count(Column.nearMisses, inRow: row)
    }
  }

  @inline(__always)
  mutating func countHold(of index: Int, since pressed: Microseconds) {
    keyCounts.count(keys[index].edge - pressed, from: Column.holds, inRow: row(of: index))
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
    case .pressBounce: keyCounts.count(Column.pressBounces, inRow: row)
    case .releaseBounce: keyCounts.count(Column.releaseBounces, inRow: row)
    case .dropOut: keyCounts.count(Column.dropOuts, inRow: row)
    }
    if keys[index].raw {
      keyCounts.count(time - edge, from: Column.removedGaps, inRow: row)
    } else {
      if released > KeyState.never {
        keyCounts.count(edge - released, from: Column.removedGaps, inRow: row)
      }
      keyCounts.count(time - edge, from: Column.removedHolds, inRow: row)
    }
  }

  mutating func countTaken(of index: Int) {
    keyCounts.count(Column.taken, inRow: row(of: index))
  }

  /// Counts a stroke as delivered that was counted as taken.
  mutating func countDelivered(of index: Int) {
    keyCounts.uncount(Column.taken, inRow: row(of: index))
  }

  /// Counts that the key's drop-outs are bridged from now on, or no more.
  mutating func countLearning(of index: Int) {
    keyCounts.count(
      keys[index].memory.isBridging ? Column.learned : Column.forgotten, inRow: row(of: index))
  }
}
