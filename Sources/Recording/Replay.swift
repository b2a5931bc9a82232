import Debounce

/// A recording on its way through the engine.
///
/// Replaying gives, event for event, what a live run gave, since decisions depend on the events' time stamps
/// alone.
public struct Replay {
  /// The frames that were passed on because of what was taken last.
  public private(set) var output = FrameQueue()

  /// How many raw events there were, without the `SYN_REPORT`s that end frames.
  public private(set) var eventsIn: UInt64 = 0

  /// The presses that vanished and are known to have vanished since ``removeSuppressed()``, in no particular
  /// order.
  public var suppressed: [Suppression] { watch.suppressed }

  private var engine: Debouncer
  private var watch: SuppressionWatch

  /// - Parameter rules: Those of the device that was recorded.
  public init(_ rules: Rules) {
    engine = Debouncer(rules)
    watch = SuppressionWatch(rules)
  }

  /// What the engine has counted.
  public var counters: Counters { engine.counters }

  /// Takes the next thing that the recording tells. What had been passed on in the run that was recorded
  /// changes nothing.
  public mutating func take(_ entry: RecordingParser.Entry) {
    output.removeAll()
    switch entry {
    case .raw(let frame): take(frame)
    case .clean: break
    case .closed(let time): close(at: time)
    }
  }

  /// Lets all time pass that the recording leaves open: deadlines are run out.
  public mutating func finish() {
    output.removeAll()
    engine.advance(to: .max, into: &output)
    for index in 0..<output.count { hear(cleanFrameAt: index) }
    watch.finish()
  }

  /// Empties ``suppressed``.
  public mutating func removeSuppressed() {
    watch.removeSuppressed()
  }
}

extension Replay {
  private mutating func take(_ frame: Frame) {
    eventsIn += UInt64(frame.events.count)
    if frame.saysEventsWereLost {
      let held = frame.keysHeld(before: engine.rawHeld)
      engine.process(recorded: frame, into: &output)
      watch.resynchronise(held: held, at: frame.time)
      return
    }
    let chatter = engine.counters.chatter
    engine.process(frame, into: &output)

    // What was due before the frame came before it.
    var index = 0
    while index < output.count, output.time(ofFrameAt: index) < frame.time {
      hear(cleanFrameAt: index)
      index += 1
    }
    watch.hear(raw: frame, isChatter: engine.counters.chatter != chatter)
    for index in index..<output.count { hear(cleanFrameAt: index) }
  }

  private mutating func close(at time: Microseconds) {
    engine.advance(to: time, into: &output)
    for index in 0..<output.count { hear(cleanFrameAt: index) }
    engine.close(at: time, into: &output)
    watch.resynchronise(held: KeySet(), at: time)
  }

  private mutating func hear(cleanFrameAt index: Int) {
    output.withEvents(ofFrameAt: index) { watch.hear(clean: $0) }
  }
}
