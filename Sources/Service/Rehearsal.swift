import Debounce

/// What a key will need of the program, used once before a key comes: otherwise the first key after ``UnusedMemory`` was
/// given back would wait until the kernel has fetched it again.
///
/// Made before memory is given back, and kept afterwards: to make or to free an engine takes more of the program than it
/// takes to run one.
struct Rehearsal {
  /// The device that the next key may come from.
  let device: DeviceID

  private var engine: Debouncer
  private let frames: ContiguousArray<Frame>
  private var output = FrameQueue()

  /// Makes an engine for the rehearsal alone.
  ///
  /// - Parameter rules: The device's, so that the same strategies run.
  init(of device: DeviceID, rules: Rules) {
    self.device = device
    engine = Debouncer(rules)
    // Held for longer than `slow-keys` can ask for.
    let edges: [(time: Microseconds, value: Int32)] = [
      (0, 1), (3000, 0), (6000, 1), (3_000_000, 0),
    ]
    frames = ContiguousArray(
      edges.map { time, value in
        Frame(
          time: time,
          [.scan(Int32(Self.key)), Event(type: EventType.key, code: Self.key, value: value)])
      })
  }

  /// Runs a stroke whose contact bounces through the engine, and drops what comes out.
  ///
  /// - Returns: How many frames came out.
  @discardableResult
  mutating func playStroke() -> Int {
    for index in frames.indices {
      if !engine.passesUnchanged(frames[index]) { engine.process(frames[index], into: &output) }
    }
    engine.advance(to: 6_000_000, into: &output)
    defer { output.removeAll() }
    return output.count
  }

  /// `KEY_A`.
  private static let key: KeyCode = 30
}
