/// The rules for steps of wheels and knobs whose encoders are worn: the settings' `[wheel]`.
public struct WheelRules: Equatable, Sendable {
  /// The axes (`REL_*`), by the codes of their whole notches.
  public var axes: [UInt16]
  /// The time within which a step against the last one waits until more than a notch follows; 0 for not at all.
  public var reversal: Microseconds
  /// How long the first step after a rest waits for what shows its direction; as long as ``reversal`` if `nil`.
  public var first: Microseconds?
  /// How soon after a notch the same one fires again; 0 for not at all.
  public var double: Microseconds

  /// `REL_WHEEL` and `REL_HWHEEL`.
  public static let usualAxes: [UInt16] = [8, 6]

  public init(
    axes: [UInt16] = usualAxes, reversal: Microseconds = 0, first: Microseconds? = nil,
    double: Microseconds = 0
  ) {
    self.axes = axes
    self.reversal = reversal
    self.first = first
    self.double = double
  }

  /// Whether anything is done.
  package var areInForce: Bool { (reversal > 0 || double > 0) && !axes.isEmpty }

  /// How long the first step after a rest waits.
  package var wait: Microseconds { reversal > 0 ? first ?? reversal : 0 }

  /// How long a wheel must not have moved for a step to be the first one.
  package var rest: Microseconds { 4 * reversal }
}

/// One axis of a wheel whose worn encoder gives steps that no finger made.
///
/// ```
///   sent     ▲  ▲  ▼  ▲  ▲                 A step against the last one, soon after it, waits …
///   passed   ▲  ▲     ▲  ▲                 … and is left out when the wheel goes on as before,
///
///   sent     ▲  ▲  ▼            ▼
///   passed   ▲  ▲               ▼          … or when nothing follows within the time,
///                  | reversal |
///   sent     ▲  ▲  ▼  ▼  ▼
///   passed   ▲  ▲     ▼▼ ▼                 … or passes with what makes it more than one notch.
///
///   sent            ▲  ▼  ▼  ▼             The first step after a rest waits: what makes more than a notch
///   passed                ▼▼ ▼             is the direction, and what was against it is left out …
///
///   sent            ▲              ▲
///   passed                   ▲     ▲       … or it passes alone, late.
///                   | first |
///   sent     ▲▲          ▲▲       ▲▼▲      A notch that fires again, a moment later, is left out. Each fires
///   passed   ▲           ▲        ▲        twice at most: a wheel that spins loses every second one, and no more.
///            | double |
/// ```
///
/// A step is what one frame has of the axis: whole notches, fractions of them (`…_HI_RES`), or both. What waits is a sum, and
/// passes as one step; so a fine wheel is judged by notches, too. A turn backwards that goes on for longer than `reversal`,
/// without a step forward, is real, however small.
private struct WheelAxis: Sendable {
  /// The travel of an axis in a frame, or in several.
  struct Travel: Sendable {
    /// How far, without its sign, in fractions of a notch.
    var distance: Int64 = 0
    var notches: Int32 = 0
    var fractions: Int32 = 0
    /// When the first and the last of it came.
    var (began, ended) = (KeyState.never, KeyState.never)

    mutating func add(_ other: Travel, at time: Microseconds) {
      if distance == 0 { began = time }
      ended = time
      distance += other.distance
      notches &+= other.notches
      fractions &+= other.fractions
    }
  }

  /// The state of one of the two directions.
  struct Direction: Sendable {
    /// Waiting steps.
    var waiting = Travel()
    /// When the last notch came that may fire again; never if none may.
    var mayRepeat = KeyState.never
  }

  /// One notch, in the units of `…_HI_RES`.
  private static let notch: Int64 = 120

  let notches: UInt16
  /// The code of its fractions; the same as that of the notches for an axis that has none.
  let fractions: UInt16

  private var (up, down) = (Direction(), Direction())
  /// Where the wheel turns, 1 or -1; 0 while it is not known.
  private var direction: Int32 = 0
  /// When the last step that passed came, and the last one at all.
  private var (lastPassed, last) = (KeyState.never, KeyState.never)
  /// How many steps were left out.
  var leftOut: UInt64 = 0
  /// When the first step after a rest passes.
  private(set) var deadline = Microseconds.max

  init(notches: UInt16) {
    self.notches = notches
    fractions = notches == 8 ? 11 : notches == 6 ? 12 : notches
  }

  /// The codes, a bit each.
  var codes: UInt16 { 1 << notches | 1 << fractions }

  private subscript(sign: Int32) -> Direction {
    get { sign > 0 ? up : down }
    set { if sign > 0 { up = newValue } else { down = newValue } }
  }

  /// The travel of the axis in a frame, with its sign; `nil` if it is 0, or more than a device sends.
  private func step(in frame: borrowing Frame) -> (Travel, sign: Int32)? {
    var step = Travel()
    for index in frame.events.indices {
      let event = frame.events[index]
      guard event.type == EventType.relative else { continue }
      if event.code == notches {
        guard step.notches == 0, event.value != 0 else { return nil }
        step.notches = event.value
      } else if event.code == fractions {
        guard step.fractions == 0, event.value != 0 else { return nil }
        step.fractions = event.value
      }
    }
    let sign = (step.fractions == 0 ? step.notches : step.fractions).signum()
    guard sign != 0, step.notches == 0 || step.notches.signum() == sign else { return nil }
    step.distance = abs(
      step.fractions == 0 ? Int64(step.notches) * Self.notch : Int64(step.fractions))
    return (step, sign)
  }

  /// Decides on the step of a frame, and adds what waited to `output` if it passes.
  ///
  /// - Returns: Whether the frame keeps its step.
  mutating func turn(
    _ frame: borrowing Frame, at time: Microseconds, by rules: borrowing WheelRules,
    into output: inout FrameQueue
  ) -> Bool {
    guard let (step, sign) = step(in: frame) else { return true }
    if isRepetition(step, sign, at: time, within: rules.double) {
      leftOut += 1
      // The repetition shows where the wheel turns: steps the other way meanwhile were nothing.
      if self[-sign].waiting.began >= self[sign].mayRepeat { leaveOut(-sign) }
      self[sign].mayRepeat = KeyState.never
      return false
    }
    guard rules.reversal > 0 else { return true }
    if direction != 0, time - lastPassed > rules.rest, rules.wait > 0 {
      // Nothing has followed what waited.
      leaveOut(-direction)
      direction = 0
    }
    guard direction != 0 || rules.wait > 0, sign != direction else { return pass(sign, at: time) }

    let waited = self[sign].waiting
    if direction != 0 {
      let before = waited.distance == 0 ? lastPassed : waited.ended
      guard time - before <= rules.reversal else { return pass(sign, at: time) }
    }
    var waiting = waited
    waiting.add(step, at: time)
    let isTurn = direction != 0 && time - waiting.began > rules.reversal
    guard waiting.distance > Self.notch || isTurn else {
      self[sign].waiting = waiting
      if direction == 0, waited.distance == 0 { deadline = time + rules.wait }
      return false
    }
    putWaiting(sign, into: &output)
    return pass(sign, at: time)
  }

  /// Whether the step is a notch that has fired already, and keeps in mind that it came.
  private mutating func isRepetition(
    _ step: Travel, _ sign: Int32, at time: Microseconds, within double: Microseconds
  ) -> Bool {
    guard double > 0, step.distance >= Self.notch else { return false }
    if time - last > double { (up.mayRepeat, down.mayRepeat) = (KeyState.never, KeyState.never) }
    last = time
    if self[sign].mayRepeat != KeyState.never { return true }
    self[sign].mayRepeat = time
    return false
  }

  /// Passes the frame's step: the wheel turns that way, and what waits was nothing.
  private mutating func pass(_ sign: Int32, at time: Microseconds) -> Bool {
    leaveOut(1)
    leaveOut(-1)
    (direction, lastPassed, deadline) = (sign, time, .max)
    return true
  }

  private mutating func leaveOut(_ sign: Int32) {
    if self[sign].waiting.distance > 0 { leftOut += 1 }
    self[sign].waiting = Travel()
  }

  private mutating func putWaiting(_ sign: Int32, into output: inout FrameQueue) {
    let travel = exchange(&self[sign].waiting, with: Travel())
    if travel.notches != 0 {
      output.append(Event(type: EventType.relative, code: notches, value: travel.notches))
    }
    if travel.fractions != 0 {
      output.append(Event(type: EventType.relative, code: fractions, value: travel.fractions))
    }
  }

  /// Passes the first step after a rest, which has waited long enough; of steps both ways, those that went further.
  mutating func fire(into output: inout FrameQueue) {
    guard up.waiting.distance != down.waiting.distance else { return forget() }
    let sign: Int32 = up.waiting.distance > down.waiting.distance ? 1 : -1
    let ended = self[sign].waiting.ended
    putWaiting(sign, into: &output)
    _ = pass(sign, at: ended)
  }

  /// Leaves out what waits, and begins anew.
  mutating func forget() {
    _ = pass(0, at: KeyState.never)
    (up.mayRepeat, down.mayRepeat, last) = (KeyState.never, KeyState.never, KeyState.never)
  }
}

/// The wheels of a device that are watched.
struct Wheels: Sendable {
  private var axes: ContiguousArray<WheelAxis> = []
  private var rules = WheelRules(axes: [])
  /// The codes of their axes, a bit each; 0 if none is watched.
  private(set) var codes: UInt16 = 0
  /// When the next step passes that waits for its time; never if none does.
  private(set) var deadline = Microseconds.max
  /// How many steps were left out since the engine was made.
  private(set) var leftOut: UInt64 = 0

  /// Adopts new rules, and begins anew if they are others.
  mutating func adopt(_ rules: WheelRules) {
    var limited = rules
    limited.reversal = rules.reversal.limited
    limited.double = rules.double.limited
    limited.first = rules.first?.limited
    // The engine has a bit for each code below 16.
    limited.axes = limited.areInForce ? Array(Set(rules.axes.filter { $0 < 16 })).sorted() : []
    guard limited != self.rules else { return }
    forget()
    self.rules = limited
    axes = ContiguousArray(limited.axes.map { WheelAxis(notches: $0) })
    codes = axes.reduce(0) { $0 | $1.codes }
  }

  /// Decides on the steps of a frame, and adds what waited and passes to `output`, as a frame of its own.
  /// - Returns: The codes whose events the frame does not keep, a bit each.
  @inline(never)
  mutating func turn(
    _ frame: borrowing Frame, at time: Microseconds, into output: inout FrameQueue
  ) -> UInt16 {
    var suppressed: UInt16 = 0
    for index in axes.indices
    where !axes[index].turn(frame, at: time, by: rules, into: &output) {
      suppressed |= axes[index].codes
    }
    output.endFrame(at: frame.time)
    settle()
    return suppressed
  }

  /// Adds the steps that have waited until the deadline to `output`, as a frame of their own.
  mutating func fire(at moment: Microseconds, into output: inout FrameQueue) {
    for index in axes.indices where axes[index].deadline == deadline {
      axes[index].fire(into: &output)
    }
    output.endFrame(at: moment)
    settle()
  }

  /// Leaves out what waits, and begins anew.
  mutating func forget() {
    for index in axes.indices { axes[index].forget() }
    settle()
  }

  private mutating func settle() {
    deadline = .max
    for index in axes.indices {
      deadline = min(deadline, axes[index].deadline)
      leftOut += axes[index].leftOut
      axes[index].leftOut = 0
    }
  }
}
