/// The strokes that were taken for chatter and may prove meant: what it takes to deliver them.
///
/// Room for all keys is set aside at once, so that no event has to ask for more. The kernel gives memory only to rows
/// that are used.
struct SwallowedStrokes: Sendable {
  /// A release and the press after it, which were withdrawn together.
  struct Pair: Sendable {
    var release: Microseconds = 0
    var press: Microseconds = 0
    /// The scan codes that they came with.
    var releaseScan: Int32?
    var pressScan: Int32?
    /// What the press counts as.
    var removal = Removal.dropOut
  }

  private var pairs: ContiguousArray<Pair> = []

  init() {
    pairs.reserveCapacity(EventType.keyCount * MergedStrokes.most)
  }

  /// Makes a row for one more key.
  ///
  /// - Returns: Its number.
  mutating func addRow() -> Int16 {
    pairs.append(contentsOf: repeatElement(Pair(), count: MergedStrokes.most))
    return Int16(pairs.count / MergedStrokes.most - 1)
  }

  /// One of a row's pairs, of which there are ``MergedStrokes/most``.
  subscript(row: Int16, index: Int) -> Pair {
    get { pairs[Int(row) * MergedStrokes.most + index] }
    set { pairs[Int(row) * MergedStrokes.most + index] = newValue }
  }
}
