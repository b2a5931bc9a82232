/// One axis of a wheel whose worn encoder gives steps in the other direction between steps.
///
/// ```
///   sent     ▲  ▲  ▼  ▲  ▲                 a step against the last one, soon after it, is held …
///   passed   ▲  ▲     ▲  ▲                 … and left out when the wheel goes on as before
///
///   sent     ▲  ▲  ▼  ▼  ▼
///   passed   ▲  ▲     ▼▼ ▼                 … or passes with a second one in its direction
///
///   sent     ▲  ▲  ▼            ▼
///   passed   ▲  ▲               ▼          … and is left out when none comes within the time
///                  | reversal |
/// ```
///
/// A step is what one frame has of the axis: whole notches, fractions of them (`…_HI_RES`), or both.
struct WheelAxis: Sendable {
  /// What a frame has of an axis.
  struct Step: Sendable {
    let first: Event
    let second: Event?
    /// 1 or -1.
    let direction: Int32
  }

  /// What becomes of a step, and of the one before it that is held.
  enum Decision: Equatable {
    case pass
    /// It passes, and the one that was held is passed on before it.
    case passBoth
    case hold
  }

  /// The codes of its events: whole notches, and fractions.
  let codes: (notches: UInt16, fractions: UInt16)

  /// Where the last step that passed went, and when; 0 if none has.
  private var direction: Int32 = 0
  private var time = KeyState.never
  private var held: (step: Step, time: Microseconds)?

  /// `REL_WHEEL` and `REL_WHEEL_HI_RES`.
  static let vertical = WheelAxis(codes: (8, 11))
  /// `REL_HWHEEL` and `REL_HWHEEL_HI_RES`.
  static let horizontal = WheelAxis(codes: (6, 12))

  private init(codes: (UInt16, UInt16)) {
    self.codes = codes
  }

  /// The codes, a bit each.
  var axes: UInt16 { 1 << codes.notches | 1 << codes.fractions }

  func includes(_ event: Event) -> Bool {
    event.type == EventType.relative
      && (event.code == codes.notches || event.code == codes.fractions)
  }

  /// The step in the frame; `nil` if there is none, or more than a device sends.
  func step(in frame: borrowing Frame) -> Step? {
    var (first, second): (Event?, Event?)
    for index in frame.events.indices where includes(frame.events[index]) {
      let event = frame.events[index]
      guard event.value != 0, second == nil, first?.code != event.code else { return nil }
      if first == nil { first = event } else { second = event }
    }
    guard let first, (second?.value.signum() ?? first.value.signum()) == first.value.signum()
    else { return nil }
    return Step(first: first, second: second, direction: first.value.signum())
  }

  /// Decides on a step.
  ///
  /// - Parameter leftOut: Counts up by one if the step that was held is left out.
  mutating func decide(
    on step: Step, at time: Microseconds, within reversal: Microseconds, leftOut: inout UInt64
  ) -> Decision {
    if let held {
      if step.direction != direction, time - held.time <= reversal {
        move(step, at: time)
        return .passBoth
      }
      leftOut += 1
      self.held = nil
    }
    guard direction == -step.direction, time - self.time <= reversal else {
      move(step, at: time)
      return .pass
    }
    held = (step, time)
    return .hold
  }

  private mutating func move(_ step: Step, at time: Microseconds) {
    (direction, self.time) = (step.direction, time)
  }

  /// Takes the step that is held.
  mutating func takeHeld() -> Step? {
    defer { held = nil }
    return held?.step
  }

  /// Decides on the step of a frame, and adds the one that was held to `output` if it passes.
  ///
  /// - Returns: Whether the frame keeps its step.
  mutating func turn(
    _ frame: borrowing Frame, at time: Microseconds, within reversal: Microseconds,
    into output: inout FrameQueue, leftOut: inout UInt64
  ) -> Bool {
    guard let step = step(in: frame) else { return true }
    let decision = decide(on: step, at: time, within: reversal, leftOut: &leftOut)
    if decision == .passBoth, let held = takeHeld() {
      output.append(held.first)
      if let second = held.second { output.append(second) }
    }
    return decision != .hold
  }

  /// Begins anew: events were lost, or the device goes.
  ///
  /// - Returns: Whether a step that was held is left out.
  mutating func forget() -> Bool {
    direction = 0
    return takeHeld() != nil
  }
}

extension Debouncer {
  /// Whether the frame turns a wheel that is watched.
  func turnsWheel(_ frame: borrowing Frame) -> Bool {
    for index in frame.events.indices {
      let event = frame.events[index]
      if vertical.includes(event) || horizontal.includes(event) { return true }
    }
    return false
  }

  /// Decides on the steps of a frame, and adds those that were held and pass to `output`, as a frame of their own.
  ///
  /// - Returns: Which of the axes' events the frame keeps.
  @inline(never)
  mutating func turn(
    _ frame: borrowing Frame, at time: Microseconds, into output: inout FrameQueue
  ) -> (vertical: Bool, horizontal: Bool) {
    var leftOut: UInt64 = 0
    let keepsVertical = vertical.turn(
      frame, at: time, within: reversal, into: &output, leftOut: &leftOut)
    let keepsHorizontal = horizontal.turn(
      frame, at: time, within: reversal, into: &output, leftOut: &leftOut)
    counters.reversals += leftOut
    output.endFrame(at: frame.time)
    return (keepsVertical, keepsHorizontal)
  }

  /// Leaves out what is held, and begins anew.
  mutating func forgetWheel() {
    if vertical.forget() { counters.reversals += 1 }
    if horizontal.forget() { counters.reversals += 1 }
  }
}
