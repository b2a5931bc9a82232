import Debounce
import Randomness

/// How a keyboard's edges get to the computer: sampled at the steps of a poll, and perhaps through a
/// wireless receiver that stalls now and then and delivers in a burst what came meanwhile.
public struct Link: Sendable {
  /// The interval at which the computer asks the keyboard, in microseconds.
  public var poll: Microseconds
  /// Whether a wireless receiver is between.
  public var isWireless: Bool

  public init(poll: Microseconds = 1000, isWireless: Bool = false) {
    self.poll = poll
    self.isWireless = isWireless
  }

  /// When an edge at `time` is seen.
  func sampled(_ time: Microseconds) -> Microseconds {
    (time + poll - 1) / poll * poll
  }
}

/// A wireless receiver at work. Times come in ascending order.
struct Receiver: Sendable {
  /// How long it works well between two stalls on average, and how long a stall may last. Milliseconds.
  private static let meanUptime = 20_000.0
  private static let stall = 10.0...50.0

  private var random: SeededRandom
  private var stall: ClosedRange<Microseconds>
  /// When the last edge was delivered.
  private var last: Microseconds = 0

  init(_ random: SeededRandom) {
    self.random = random
    stall = 0...0
  }

  /// When what came in at `time` is delivered.
  mutating func delivers(_ time: Microseconds) -> Microseconds {
    while stall.upperBound <= time {
      let start =
        stall.upperBound + Microseconds(milliseconds: random.exponential(mean: Self.meanUptime))
      let length =
        Self.stall.lowerBound
        + random.uniform() * (Self.stall.upperBound - Self.stall.lowerBound)
      stall = start...(start + Microseconds(milliseconds: length))
    }
    last = max(last, stall.contains(time) ? stall.upperBound : time)
    return last
  }
}
