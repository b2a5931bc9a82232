/// The engine's own timeline, which never runs backwards.
///
/// It follows the frames' time stamps. Where a stamp is earlier than what was decided already, the step
/// counts as 0 and later stamps are measured from there: a clock that once jumped ahead must not make
/// every gap after it look like nothing.
struct EventClock: Sendable {
  /// Further than any clock runs; it keeps sums of times far from overflow.
  static let horizon: Microseconds = 1 << 60

  /// The time of the last frame applied or deadline fired.
  private var now = -horizon

  /// What must be added to a stamp to get the engine's time.
  private var offset: Microseconds = 0

  /// Whether a frame was applied, or a deadline fired.
  var hasBegun: Bool { now > -Self.horizon }

  /// The engine's time at the stamp `time`.
  func engineTime(of time: Microseconds) -> Microseconds {
    min(min(max(time, -Self.horizon), Self.horizon) + offset, Self.horizon)
  }

  /// The stamp at the engine's time `time`.
  func inputTime(of time: Microseconds) -> Microseconds {
    time - offset
  }

  /// Moves to a frame's stamp and returns the engine's time there.
  @inline(__always)
  mutating func advance(toFrameAt time: Microseconds) -> Microseconds {
    let next = engineTime(of: time)
    if next < now { offset += now - next }
    now = max(now, next)
    return now
  }

  /// Moves to a deadline that fires.
  mutating func advance(toDeadline deadline: Microseconds) {
    now = max(now, deadline)
  }
}
