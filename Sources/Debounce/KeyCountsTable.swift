/// The counts of a device's keys: a row for each key that was pressed.
///
/// Room for all keys is set aside at once, so that no event has to ask for more. The kernel gives memory only to rows
/// that are used.
struct KeyCountsTable: Sendable {
  /// What stands where in a row.
  enum Column {
    static let strokes = 0
    static let pressBounces = 1
    static let releaseBounces = 2
    static let dropOuts = 3
    static let taken = 4
    static let nearMisses = 5
    static let learned = 6
    static let forgotten = 7
    static let gaps = 16
    static let removedGaps = 32
    static let holds = 48
    static let removedHolds = 64

    /// How many there are.
    static let count = 80
  }

  private var cells: ContiguousArray<UInt32> = []

  init() {
    cells.reserveCapacity(EventType.keyCount * Column.count)
  }

  /// Makes a row for one more key.
  ///
  /// - Returns: Its number.
  mutating func addRow() -> Int {
    cells.append(contentsOf: repeatElement(0, count: Column.count))
    return cells.count / Column.count - 1
  }

  /// Counts one more. A count that is full stays so.
  @inline(__always)
  mutating func count(_ column: Int, inRow row: Int) {
    let cell = row * Column.count + column
    if cells[cell] < .max { cells[cell] += 1 }
  }

  /// Takes back one that was counted.
  mutating func uncount(_ column: Int, inRow row: Int) {
    let cell = row * Column.count + column
    if cells[cell] > 0 { cells[cell] -= 1 }
  }

  /// Counts an interval in the histogram that begins at the column.
  @inline(__always)
  mutating func count(_ interval: Microseconds, from column: Int, inRow row: Int) {
    count(column + IntervalHistogram.place(of: interval), inRow: row)
  }

  /// A row as others see it.
  subscript(row: Int) -> KeyCounts {
    let row = cells[row * Column.count..<(row + 1) * Column.count]
    func cell(_ column: Int) -> UInt32 { row[row.startIndex + column] }
    func histogram(_ column: Int) -> IntervalHistogram {
      IntervalHistogram(row.dropFirst(column).prefix(IntervalHistogram.classCount))
    }
    var counts = KeyCounts()
    counts.strokes = cell(Column.strokes)
    counts.pressBounces = cell(Column.pressBounces)
    counts.releaseBounces = cell(Column.releaseBounces)
    counts.dropOuts = cell(Column.dropOuts)
    counts.taken = cell(Column.taken)
    counts.nearMisses = cell(Column.nearMisses)
    counts.learned = cell(Column.learned)
    counts.forgotten = cell(Column.forgotten)
    counts.gaps = histogram(Column.gaps)
    counts.removedGaps = histogram(Column.removedGaps)
    counts.holds = histogram(Column.holds)
    counts.removedHolds = histogram(Column.removedHolds)
    return counts
  }

  /// Adds what was counted at another time.
  mutating func add(_ counts: KeyCounts, toRow row: Int) {
    func add(_ values: [UInt32], from column: Int) {
      for (index, value) in values.enumerated() {
        let cell = row * Column.count + column + index
        let (sum, overflow) = cells[cell].addingReportingOverflow(value)
        cells[cell] = overflow ? .max : sum
      }
    }
    add(
      [
        counts.strokes, counts.pressBounces, counts.releaseBounces, counts.dropOuts, counts.taken,
        counts.nearMisses, counts.learned, counts.forgotten,
      ], from: Column.strokes)
    add(counts.gaps.values, from: Column.gaps)
    add(counts.removedGaps.values, from: Column.removedGaps)
    add(counts.holds.values, from: Column.holds)
    add(counts.removedHolds.values, from: Column.removedHolds)
  }
}
