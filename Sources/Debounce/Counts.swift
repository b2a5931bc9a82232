/// What the engine has counted since it was made. Counts alone: no key, no time.
public struct Counters: Equatable, Sendable, Codable {
  /// Presses the switch reported.
  public var pressesIn: UInt64 = 0
  /// Presses passed on.
  public var pressesOut: UInt64 = 0

  /// Chatter removed. While a key's releases wait, a release bounce first counts as a drop-out. The key's next release
  /// corrects that.
  public var chatter = ChatterTally<UInt64>()

  /// Strokes that `throttle` suppressed, less those that it delivered later.
  public var throttled: UInt64 = 0
  /// Strokes that vanished because another key of their group had locked them out.
  public var lockedOut: UInt64 = 0
  /// Strokes that vanished because they began too soon for `bounce-keys`.
  public var tooSoon: UInt64 = 0
  /// Strokes that vanished because they were too short for `slow-keys`.
  public var tooShort: UInt64 = 0

  /// Strokes that were single presses, of keys with meanings.
  public var singles: UInt64 = 0
  /// Pairs of strokes that were double presses. With `eager`, the second stroke alone.
  public var doubles: UInt64 = 0
  /// Strokes that were long presses.
  public var holds: UInt64 = 0
  /// Presses of keys with meanings that came too soon after a release for second ones: their strokes went on.
  public var continuations: UInt64 = 0

  /// Steps of wheels that were left out: against the direction, or fired again.
  public var reversals: UInt64 = 0

  /// Events that said what was known already: a sign of events lost before they came here.
  public var duplicates: UInt64 = 0
  /// Autorepeats (value 2), which the clone makes by itself.
  public var repeats: UInt64 = 0

  /// How often `adaptive` found a key to be bad.
  public var learned: UInt64 = 0
  /// How often `adaptive` found a key to be good again.
  public var forgotten: UInt64 = 0

  public init() {}

  /// Counts an outcome as the engine does. The engine also counts some things that it does not report; these are missing
  /// here.
  package mutating func count(_ outcome: Outcome) {
    if outcome.isPress {
      switch outcome.kind {
      case .passed, .corrected:
        pressesIn += 1
        pressesOut += 1
      case .waits, .withdrawn, .suppressed: pressesIn += 1
      case .emitted: pressesOut += 1
      default: break
      }
    }
    count(outcome.kind, isPress: outcome.isPress)
  }

  /// Counts what the engine has decided, apart from the presses that come and go.
  @inline(__always)
  mutating func count(_ outcome: Outcome.Kind, isPress: Bool) {
    if let removal = outcome.takenBack, self[removal] > 0 { self[removal] -= 1 }
    if let removal = outcome.removal(isPress: isPress) { self[removal] += 1 }
    switch outcome {
    case .meant(.single, _): singles += 1
    case .meant(.double, _): doubles += 1
    case .meant(.hold, _): holds += 1
    case .continued: continuations += 1
    case .duplicate: duplicates += 1
    case .repeated: repeats += 1
    case .learned: learned += 1
    case .forgot: forgotten += 1
    default: break
    }
  }

  /// All strokes that vanished whole and were not chatter.
  public var suppressed: UInt64 { throttled.adding(lockedOut).adding(tooSoon).adding(tooShort) }

  public subscript(removal: Removal) -> UInt64 {
    get {
      switch removal {
      case .chatter(let kind): chatter[kind]
      case .throttled: throttled
      case .lockedOut: lockedOut
      case .tooSoon: tooSoon
      case .tooShort: tooShort
      }
    }
    set {
      switch removal {
      case .chatter(let kind): chatter[kind] = newValue
      case .throttled: throttled = newValue
      case .lockedOut: lockedOut = newValue
      case .tooSoon: tooSoon = newValue
      case .tooShort: tooShort = newValue
      }
    }
  }
}

// MARK: - Chatter

/// How much chatter of each kind. Counts stop at their ends and never wrap around.
public struct ChatterTally<Count: FixedWidthInteger & UnsignedInteger & Codable & Sendable>:
  Codable, Equatable, Sendable
{
  public var pressBounces: Count = 0
  public var releaseBounces: Count = 0
  public var dropOuts: Count = 0

  public init() {}

  public var total: UInt64 {
    UInt64(pressBounces).adding(UInt64(releaseBounces)).adding(UInt64(dropOuts))
  }

  public subscript(kind: Chatter) -> Count {
    get {
      switch kind {
      case .pressBounce: pressBounces
      case .releaseBounce: releaseBounces
      case .dropOut: dropOuts
      }
    }
    set {
      switch kind {
      case .pressBounce: pressBounces = newValue
      case .releaseBounce: releaseBounces = newValue
      case .dropOut: dropOuts = newValue
      }
    }
  }

  /// Each count of this and of another tally put together.
  package func combined(with other: Self, _ combine: (Count, Count) -> Count) -> Self {
    var result = Self()
    for kind in Chatter.allCases { result[kind] = combine(self[kind], other[kind]) }
    return result
  }
}

extension FixedWidthInteger where Self: UnsignedInteger {
  /// The sum, or the greatest number that there is.
  package func adding(_ other: Self) -> Self {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }

  /// The difference, or 0.
  package func subtracting(_ other: Self) -> Self { self > other ? self - other : 0 }

  @inline(__always)
  mutating func countUp() {
    if self < .max { self += 1 }
  }

  mutating func countDown() { self = subtracting(1) }
}

// MARK: - Of a key

/// What was counted of one key. Counts alone: no times and no order, nothing that shows what was typed.
///
/// The engine counts in such values, the daemon reports and stores them: their names are those of the JSON.
public struct KeyCounts: Equatable, Codable, Sendable {
  /// Strokes passed on.
  public var strokes: UInt32 = 0

  /// Chatter removed.
  public var chatter = ChatterTally<UInt32>()

  /// Strokes that were suppressed whole and were no chatter: by `throttle`, `bounce-keys`, `slow-keys` or another key of the
  /// group.
  public var suppressed: UInt32 = 0

  /// Strokes passed on after a gap of less than twice the strategy's window: a finger's, or chatter that a larger
  /// threshold would have removed.
  public var nearMisses: UInt32 = 0

  /// How often `adaptive` found the key to be bad, and how often good again.
  public var learned: UInt32 = 0
  public var forgotten: UInt32 = 0

  /// The gaps before strokes that were passed on, and those of removed chatter.
  public var gaps = IntervalHistogram()
  public var removedGaps = IntervalHistogram()

  /// The holds of strokes that were passed on, and those of strokes that vanished.
  public var holds = IntervalHistogram()
  public var removedHolds = IntervalHistogram()

  public init() {}

  /// Adds what was counted of the key at another time.
  mutating func add(_ other: KeyCounts) {
    strokes = strokes.adding(other.strokes)
    chatter = chatter.combined(with: other.chatter) { $0.adding($1) }
    suppressed = suppressed.adding(other.suppressed)
    nearMisses = nearMisses.adding(other.nearMisses)
    learned = learned.adding(other.learned)
    forgotten = forgotten.adding(other.forgotten)
    gaps.add(other.gaps)
    removedGaps.add(other.removedGaps)
    holds.add(other.holds)
    removedHolds.add(other.removedHolds)
  }

  /// Counts what the engine has decided of the key, apart from what it passes on.
  @inline(__always)
  mutating func count(_ outcome: Outcome.Kind, isPress: Bool) {
    if let removal = outcome.takenBack { change(removal) { $0.countDown() } }
    if let removal = outcome.removal(isPress: isPress) { change(removal) { $0.countUp() } }
    switch outcome {
    case .learned: learned.countUp()
    case .forgot: forgotten.countUp()
    default: break
    }
  }

  @inline(__always)
  private mutating func change(_ removal: Removal, _ change: (inout UInt32) -> Void) {
    if case .chatter(let kind) = removal { change(&chatter[kind]) } else { change(&suppressed) }
  }
}

// MARK: - Intervals

/// How often intervals of about each length occurred: 16 classes, narrow where chatter is distinguished from fingers.
public struct IntervalHistogram: Sendable {
  public static let classCount = 16

  /// Where each class but the last ends, in microseconds: a class holds what is shorter than its bound and not
  /// shorter than the one before. The last has no end.
  public static let bounds: [Microseconds] = [
    1_000, 2_000, 3_000, 5_000, 8_000, 12_000, 16_000, 20_000, 25_000, 30_000, 40_000, 50_000,
    75_000, 100_000, 150_000,
  ]

  /// The counts, one a class: in place, so that counting allocates nothing.
  private var counts = InlineArray<16, UInt32>(repeating: 0)

  public init() {}

  /// A histogram with these counts, one a class; missing ones are 0, and further ones are left out.
  package init(_ counts: some Sequence<UInt32>) {
    for (index, count) in counts.prefix(Self.classCount).enumerated() {
      self.counts[index] = count
    }
  }

  public var values: [UInt32] { counts.indices.map { counts[$0] } }

  public var total: UInt64 { values.reduce(0) { $0 + UInt64($1) } }

  @inline(__always)
  mutating func count(_ interval: Microseconds) {
    counts[Self.place(of: interval)].countUp()
  }

  mutating func uncount(_ interval: Microseconds) {
    counts[Self.place(of: interval)].countDown()
  }

  mutating func add(_ other: IntervalHistogram) {
    for index in counts.indices { counts[index] = counts[index].adding(other.counts[index]) }
  }

  /// The class of an interval, sought from the end: most intervals are long.
  @inline(__always)
  private static func place(of interval: Microseconds) -> Int {
    var place = bounds.count
    while place > 0, interval < bounds[place - 1] { place -= 1 }
    return place
  }
}

extension IntervalHistogram: Equatable, Codable {
  public static func == (left: IntervalHistogram, right: IntervalHistogram) -> Bool {
    left.counts.indices.allSatisfy { left.counts[$0] == right.counts[$0] }
  }

  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode([UInt32].self))
  }

  /// Writes the counts without the zeros at the end.
  public func encode(to encoder: any Encoder) throws {
    let values = values
    var container = encoder.singleValueContainer()
    try container.encode(Array(values.prefix((values.lastIndex { $0 != 0 } ?? -1) + 1)))
  }
}

// MARK: - In the engine

extension Debouncer {
  /// The keys that anything was counted of.
  public var countedKeys: [KeyCode] {
    keys.indices.lazy.map { KeyCode($0) }.filter { counts(of: $0) != nil }
  }

  /// The counts of the key; `nil` if nothing was counted.
  public func counts(of key: KeyCode) -> KeyCounts? {
    guard Int(key) < keys.count, let row = keys[Int(key)].row.position else { return nil }
    let counts = keyCounts[row]
    return counts == KeyCounts() ? nil : counts
  }

  /// Adds what was counted of the key before this engine was made.
  public mutating func add(_ counts: KeyCounts, of key: KeyCode) {
    guard key < EventType.keyCount else { return }
    makeRoom(upTo: key)
    keyCounts[row(of: Int(key))].add(counts)
  }

  /// Where the counts of the key stand.
  @inline(__always)
  mutating func row(of index: Int) -> Int {
    if let row = keys[index].row.position { return row }
    // There is room: see `init`.
    let row = keyCounts.count
    keyCounts.append(KeyCounts())
    keys[index].row = UInt16(row)
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

  /// Counts the intervals of chatter that vanishes now: the key's last edge undoes the one at `edge`. The gap before a stroke
  /// that vanishes began at `released`.
  mutating func countIntervals(
    ofChatterOf index: Int, since edge: Microseconds, after released: Microseconds
  ) {
    let row = row(of: index)
    if keys[index].raw {
      keyCounts[row].removedGaps.count(now - edge)
    } else {
      if released > KeyState.never { keyCounts[row].removedGaps.count(edge - released) }
      keyCounts[row].removedHolds.count(now - edge)
    }
  }

  /// Counts a decision of the engine. An edge that is passed on counts with its interval instead; see `countEmission`.
  @inline(__always)
  mutating func count(_ outcome: Outcome.Kind, of index: Int, isPress: Bool) {
    switch outcome {
    case .passed, .emitted, .corrected, .waits, .postponed: return
    default: break
    }
    counters.count(outcome, isPress: isPress)
    keyCounts[row(of: index)].count(outcome, isPress: isPress)
  }
}

// MARK: - What an outcome counts as

extension Outcome.Kind {
  /// Why the stroke of the edge counts as removed from now on; `nil` if it does not, or if it counted before. A suppressed
  /// stroke counts with its press.
  @inline(__always)
  fileprivate func removal(isPress: Bool) -> Removal? {
    switch self {
    case .withdrawn(let removal, _), .reclassified(let removal): removal
    case .suppressed(let removal, _): isPress ? removal : nil
    case .vanished(let removal): removal
    default: nil
    }
  }

  /// The reason for which the stroke counted as removed so far, and counts no longer; `nil` if there is none.
  @inline(__always)
  fileprivate var takenBack: Removal? {
    switch self {
    case .restored(let removal): removal
    case .reclassified: .dropOut
    default: nil
    }
  }
}
