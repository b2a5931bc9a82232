/// Each decision is counted and reported in one place.
extension Debouncer {
  /// Counts what became of the key's last edge, and reports it to who listens.
  @inline(__always)
  mutating func report(
    _ kind: Outcome.Kind, of index: Int, isPress: Bool, at time: Microseconds,
    _ outcomes: inout some OutcomeReceiver
  ) {
    report(kind, of: index, isPress: isPress, edge: nil, at: time, &outcomes)
  }

  /// Counts what became of an edge, and reports it to who listens.
  ///
  /// - Parameter edge: When it came; `nil` for the key's last edge.
  @inline(__always)
  mutating func report(
    _ kind: Outcome.Kind, of index: Int, isPress: Bool, edge: Microseconds?, at time: Microseconds,
    _ outcomes: inout some OutcomeReceiver
  ) {
    count(kind, of: index, isPress: isPress)
    send(kind, of: index, isPress: isPress, edge: edge, at: time, &outcomes)
  }

  @inline(__always)
  func send<Receiver: OutcomeReceiver>(
    _ kind: Outcome.Kind, of index: Int, isPress: Bool, edge: Microseconds?, at time: Microseconds,
    _ outcomes: inout Receiver
  ) {
    guard Receiver.isListening else { return }
    outcomes.receive(
      Outcome(
        key: KeyCode(index), isPress: isPress,
        edge: clock.inputTime(of: edge ?? (isPress ? keys[index].start : keys[index].edge)),
        time: clock.inputTime(of: time), kind: kind))
  }

  /// Counts what an edge has changed in what is known of its key, and reports it to who listens.
  @inline(never)
  mutating func report(
    _ change: LearningChange, of index: Int, at time: Microseconds,
    _ outcomes: inout some OutcomeReceiver
  ) {
    let isPress = keys[index].raw
    if change.contains(.forgot) {
      report(.forgot, of: index, isPress: isPress, at: time, &outcomes)
    }
    if change.contains(.learned) {
      report(.learned, of: index, isPress: isPress, at: time, &outcomes)
    }
  }
}
