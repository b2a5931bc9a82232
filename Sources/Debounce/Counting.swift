/// What is counted of each key.
extension Debouncer {
  /// The keys that anything was counted of.
  public var countedKeys: [KeyCode] {
    keys.indices.lazy.map { KeyCode($0) }.filter { counts(of: $0) != nil }
  }

  /// What was counted of the key; `nil` if nothing was.
  public func counts(of key: KeyCode) -> KeyCounts? {
    guard Int(key) < keys.count, let row = keys[Int(key)].row.position else { return nil }
    let counts = keyCounts[row]
    return counts == KeyCounts() ? nil : counts
  }

  /// Begins to count the key anew. It keeps its place among those that were counted.
  mutating func forgetCounts(of index: Int) {
    if let row = keys[index].row.position { keyCounts[row] = KeyCounts() }
  }

  /// Whether `adaptive` takes the key for bad, so that it bridges its drop-outs: there is evidence, or the settings name it.
  public func isBridging(_ key: KeyCode) -> Bool {
    Int(key) < keys.count && (keys[Int(key)].adaptive.evidence.isBad || isNamed(key))
  }

  /// Whether the settings name the key.
  public func isNamed(_ key: KeyCode) -> Bool {
    Int(key) < keys.count && strategies[Int(keys[Int(key)].strategy)].isNamed
  }

  /// Whether a machine has typed on the device, as `adaptive` judges: a bar code scanner, a macro, an expander of text.
  public var hasTypedLikeAMachine: Bool { device.machine.isCertain }

  /// Adds what was counted of the key before this engine was made.
  public mutating func add(_ counts: KeyCounts, of key: KeyCode) {
    guard Int(key) < keys.count else { return }
    keyCounts[row(of: Int(key))].add(counts)
  }

  /// Where the counts of the key stand.
  @inline(__always)
  private mutating func row(of index: Int) -> Int {
    if let row = keys[index].row.position { return row }
    // There is room: see `init`.
    let row = keyCounts.count
    keyCounts.append(KeyCounts())
    keys[index].row = CompactIndex(row)
    return row
  }

  /// Counts an edge that is passed on.
  @inline(__always)
  mutating func countEmission(of index: Int, _ edge: CleanEdge) {
    guard !isPaused else {
      if edge.isPress { counters.pressesOut += 1 }
      return
    }
    let row = row(of: index)
    let interval = edge.time - edge.before
    guard edge.isPress else { return keyCounts[row].holds.count(interval) }
    counters.pressesOut += 1
    keyCounts[row].strokes.countUp()
    // The first stroke has no gap before it.
    guard edge.before > KeyState.never else { return }
    keyCounts[row].gaps.count(interval)
    if interval < nearMissGaps[Int(keys[index].strategy)] { keyCounts[row].nearMisses.countUp() }
  }

  /// Counts the intervals of chatter that vanishes now, with the key's last edge.
  ///
  /// - Parameters:
  ///   - time: When it came.
  ///   - edge: When the one came that it undoes.
  ///   - released: From when the gap counts of a stroke that vanishes.
  mutating func countIntervals(
    ofChatterOf index: Int, at time: Microseconds, since edge: Microseconds,
    after released: Microseconds
  ) {
    let row = row(of: index)
    if keys[index].raw {
      keyCounts[row].removedGaps.count(time - edge)
    } else {
      if released > KeyState.never { keyCounts[row].removedGaps.count(edge - released) }
      keyCounts[row].removedHolds.count(time - edge)
    }
  }

  /// Takes back the interval of chatter that proves meant.
  mutating func takeBackIntervals(ofChatterOf index: Int, gap: Microseconds) {
    keyCounts[row(of: index)].removedGaps.uncount(gap)
  }

  /// Counts what the engine has decided, as it reports it.
  @inline(__always)
  mutating func count(_ outcome: Outcome.Kind, of index: Int, isPress: Bool) {
    switch outcome {
    case .passed, .emitted, .corrected, .waits, .postponed:
      // What is passed on counts with its intervals; see above.
      break
    case .withdrawn(let removal, _):
      count(removal, of: index)
    case .taken(let removal, _):
      // The stroke counts with its press.
      if isPress { count(removal, of: index) }
    case .vanished(let removal):
      if let removal { count(removal, of: index) }
    case .restored(let removal):
      uncount(removal, of: index)
    case .reclassified(let removal):
      uncount(.dropOut, of: index)
      count(removal, of: index)
    case .meant(let meaning, _):
      counters[meaning] += 1
    case .continued:
      counters.continuations += 1
    case .duplicate:
      counters.duplicates += 1
    case .repeated:
      counters.repeats += 1
    case .learned:
      counters.learned += 1
      keyCounts[row(of: index)].learned.countUp()
    case .forgot:
      counters.forgotten += 1
      keyCounts[row(of: index)].forgotten.countUp()
    }
  }

  private mutating func count(_ removal: Removal, of index: Int) {
    counters[removal] += 1
    let row = row(of: index)
    switch removal {
    case .pressBounce: keyCounts[row].pressBounces.countUp()
    case .releaseBounce: keyCounts[row].releaseBounces.countUp()
    case .dropOut: keyCounts[row].dropOuts.countUp()
    case .throttled, .lockedOut, .tooSoon, .tooShort: keyCounts[row].taken.countUp()
    }
  }

  /// Takes back one that was counted.
  private mutating func uncount(_ removal: Removal, of index: Int) {
    counters[removal] -= 1
    let row = row(of: index)
    switch removal {
    case .pressBounce: keyCounts[row].pressBounces.countDown()
    case .releaseBounce: keyCounts[row].releaseBounces.countDown()
    case .dropOut: keyCounts[row].dropOuts.countDown()
    case .throttled, .lockedOut, .tooSoon, .tooShort: keyCounts[row].taken.countDown()
    }
  }
}
