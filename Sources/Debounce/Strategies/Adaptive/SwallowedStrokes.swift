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
  mutating func addRow() -> Int {
    pairs.append(contentsOf: repeatElement(Pair(), count: MergedStrokes.most))
    return pairs.count / MergedStrokes.most - 1
  }

  /// One of a row's pairs, of which there are ``MergedStrokes/most``.
  subscript(row: Int, index: Int) -> Pair {
    get { pairs[row * MergedStrokes.most + index] }
    set { pairs[row * MergedStrokes.most + index] = newValue }
  }
}

// MARK: - In the engine

extension Debouncer {
  mutating func remember(_ pair: SwallowedStrokes.Pair, of index: Int) {
    let row = keys[index].swallowedRow.position ?? swallowed.addRow()
    keys[index].swallowedRow = CompactIndex(row)
    swallowed[row, keys[index].adaptive.merged.count - 1] = pair
  }

  /// Notes that what the key's last press was taken for was something else.
  mutating func reclassifySwallowed(
    of index: Int, pressedAt time: Microseconds, as removal: Removal
  ) {
    let count = keys[index].adaptive.merged.count
    guard count > 0, let row = keys[index].swallowedRow.position else { return }
    if swallowed[row, count - 1].press == time { swallowed[row, count - 1].removal = removal }
  }

  /// Delivers the strokes that were merged into the key's stroke, which goes on.
  mutating func restore(
    _ index: Int, at time: Microseconds, into output: inout FrameQueue,
    _ outcomes: inout some OutcomeReceiver
  ) {
    let code = KeyCode(index)
    guard let row = keys[index].swallowedRow.position else { return }
    let count = keys[index].adaptive.merged.count
    keys[index].adaptive.merged.restore()
    keys[index].wasDropOut = false
    keys[index].isBouncing = false
    let isPassedOn = keys[index].taken == nil
    var pressed = keys[index].pressed
    if isPassedOn {
      for pair in 0..<count {
        let pair = swallowed[row, pair]
        takeBackIntervals(ofChatterOf: index, gap: pair.press - pair.release)
        report(
          .restored(pair.removal), of: index, isPress: true, edge: pair.press, at: time, &outcomes)
      }
    }
    for pair in 0..<count {
      let pair = swallowed[row, pair]
      if isPassedOn {
        emit(
          CleanEdge(isPress: false, taken: nil, time: pair.release, before: pressed), of: code,
          scan: pair.releaseScan, at: time, into: &output, &outcomes)
      }
      emitEarlier(than: index, at: time, into: &output, &outcomes)
      if isPassedOn {
        emit(
          CleanEdge(isPress: true, taken: nil, time: pair.press, before: pair.release), of: code,
          scan: pair.pressScan, at: time, into: &output, &outcomes)
      }
      pressed = pair.press
      keys[index].presses += 1
    }
    keys[index].before = keys[index].pressed
    keys[index].pressed = keys[index].start
  }

  /// Emits an edge that had been swallowed.
  private mutating func emit(
    _ edge: CleanEdge, of code: KeyCode, scan: Int32?, at time: Microseconds,
    into output: inout FrameQueue, _ outcomes: inout some OutcomeReceiver
  ) {
    countEmission(of: Int(code), edge)
    send(.emitted, of: Int(code), isPress: edge.isPress, edge: edge.time, at: time, &outcomes)
    let moment = clock.inputTime(of: time)
    output.endFrame(at: moment)
    put(
      .key(code, down: edge.isPress), scan: scan, raw: edge.time, at: time, into: &output, &outcomes
    )
    output.endFrame(at: moment)
  }

  /// Emits all that waits, in the order in which it came: a machine is typing.
  @inline(never)
  mutating func emitAllWaiting(
    at time: Microseconds, into output: inout FrameQueue, _ outcomes: inout some OutcomeReceiver
  ) {
    while let code = deadlines.first(
      by: { keys[Int($0)].edge },
      where: {
        keys[Int($0.key)].waitsInOrder || isAdaptive($0.key)
      })
    {
      deadlines.remove(code)
      if !keys[Int(code)].raw, keys[Int(code)].adaptive.merged.mayBeSeveral {
        restore(Int(code), at: time, into: &output, &outcomes)
      }
      keys[Int(code)].adaptive.merged.isHint = false
      emitWaiting(Int(code), at: time, into: &output, &outcomes)
    }
  }
}
