/// Passes each edge at once unless it is suspicious; what is suspicious waits until it is known what it is.
///
/// Three things decide what is suspicious, each in a file of its own: what a finger usually does on this key
/// (`UsualHold`), what the key has shown of its switch (`Evidence`), and whether a machine is typing
/// (`MachineTyping`).
///
/// ```
///          P─────────────────R            P─────────────────R
///   raw  ──┘                 └────      ──┘                 └───    a stroke: both edges at once
///
///          P──R P────────────R            the stroke is very short: R waits until `settle` after the
///   raw  ──┘  └─┘            └────        press. P comes first: a press bounce (A), both vanish.
///  clean ──┌─────────────────┐────
///
///          P────────────R P──R            gap < suspect: P waits for `confirm`.
///   raw  ──┘            └─┘  └────        R comes first: a release bounce (B), both vanish,
///  clean ──┌────────────┐─────────        and the next gap counts from that R.
///
///          P────────────R P─────|───R     gap < suspect, but it lasts: a fast double.
///   raw  ──┘            └─┘     |   └─    P is emitted `confirm` after it came.
///  clean ──┌────────────┐───────┌───┐─
///
///          P────────R P──────────R · |    of a bad key every R waits for `dropout`, longer if it is early.
///   raw  ──┘        └─┘          └───|    P comes first: a drop-out (C), both vanish.
///  clean ──┌─────────────────────────┐
///
///    A   ──R P──────|─────                nothing overtakes a press that waits: the presses of other keys, and a
///    S   ────────P──|──R──                modifier's release, wait until it is decided
///  clean ───────────A·S┐──
/// ```
///
/// The waits scale with how long the key is usually held. Where figures stand in milliseconds, they were found by simulation
/// on people's typing with known chatter, on fast taps and on machine typing.
public struct Adaptive: Equatable, Sendable {
  /// How long a suspicious press must last to be taken for real.
  public var confirm: Microseconds
  /// How long every release of a bad key waits for the press that would show it was a drop-out; half as long again if it is
  /// early. What else is wider for bad keys follows from it.
  public var dropout: Microseconds
  /// For how many presses of a key the evidence against its switch holds.
  public var within: Int

  /// How long a millisecond is: another length scales all that is not a parameter.
  var millisecond: Microseconds = 1000

  public init(
    confirm: Microseconds = 25_000, dropout: Microseconds = 25_000, within: Int = 1000
  ) {
    self.confirm = confirm
    self.dropout = dropout
    self.within = within
  }

  /// The parameters that follow from one threshold.
  public init(threshold: Microseconds) {
    self.init(dropout: threshold)
  }
}

// MARK: - Figures

extension Adaptive {
  /// A press after a smaller gap than this may be a release bounce.
  @inline(__always)
  private func suspect(isBad: Bool) -> Microseconds {
    isBad ? max(40 * millisecond, dropout.limited * 12 / 5) : 40 * millisecond
  }

  /// Until so long after its press the release of a very short stroke waits.
  private func settle(isBad: Bool) -> Microseconds {
    isBad ? max(55 * millisecond, dropout.limited * 14 / 5) : 55 * millisecond
  }

  /// How late an edge is passed on at most.
  var longestWait: Microseconds {
    max(
      confirm.limited, settle(isBad: true), 3 * dropout.limited / 2, pause + 2 * shortContact, doubt
    )
  }

  /// A stroke is not very short if it is longer than this, however long the key is usually held.
  private var longestBrief: Microseconds { 45 * millisecond }
  /// How long an early release of a healthy key waits beside a bad one. A smaller gap is a finger's hardly ever.
  private var doubt: Microseconds { 15 * millisecond }
  /// A shorter stroke says nothing about what is usual.
  private var shortestUsual: Microseconds { 20 * millisecond }
  /// No finger is faster from press to press.
  private var finger: Microseconds { 60 * millisecond }
}

// MARK: - The rule

extension Adaptive {
  /// What the end of a stroke means.
  struct Ending {
    /// Until when its release waits; the time of the release itself if it does not.
    var deadline: Microseconds
    /// Whether the stroke was so short that its beginning may have bounced.
    var isVeryShort = false
    /// Whether the release waits for nothing but a bad key beside it.
    var isDoubted = false
  }

  /// Until when a press that came now waits for its own sake; now if it does not.
  @inline(__always)
  func deadline(ofPressOf key: KeyState, _ usual: UsualHold) -> Microseconds {
    let gap = key.edge - key.released
    let suspect = suspect(isBad: key.adaptive.evidence.isBad)
    // The window is never wider than that: most presses are done here.
    guard gap < suspect else { return key.edge }
    let tempo = usual.tempo(of: key, millisecond)
    return gap < usual.scaled(suspect, to: tempo, millisecond)
      ? key.edge + usual.scaled(confirm, to: tempo, millisecond) : key.edge
  }

  /// Receives that the key is let go at the time `time`, and learns from it.
  ///
  /// - Parameter besideBad: Whether the switch of any key of the device is bad.
  /// - Returns: What the release means.
  @inline(__always)
  func end(
    _ key: inout KeyState, at time: Microseconds, _ usual: inout UsualHold, besideBad: Bool
  ) -> Ending {
    if time - key.start >= shortContact { key.adaptive.merged.hold() }
    let stroke = time - key.pressed
    let tempo = usual.tempo(of: key, millisecond)
    let isBad = key.adaptive.evidence.isBad || key.adaptive.merged.isHint
    let isEarly = stroke < tempo * 27 / 50
    var ending = Ending(deadline: time)
    if isBad || isEarly || key.adaptive.merged.mayBeSeveral {
      ending = suspiciousEnding(
        of: key, at: time, usual, tempo, isBad: isBad, isEarly: isEarly, besideBad: besideBad)
    }
    if stroke >= shortestUsual, !key.adaptive.merged.mayBeSeveral {
      usual.learn(stroke, of: &key, millisecond)
    }
    key.move(down: false, at: time)
    return ending
  }

  @inline(never)
  private func suspiciousEnding(
    of key: KeyState, at time: Microseconds, _ usual: UsualHold, _ tempo: Microseconds,
    isBad: Bool, isEarly: Bool, besideBad: Bool
  ) -> Ending {
    var ending = Ending(deadline: time)
    if time - key.pressed < min(longestBrief, tempo * 2 / 5) {
      ending.isVeryShort = true
      ending.deadline = max(ending.deadline, key.pressed + settle(isBad: isBad))
    }
    if key.adaptive.merged.mayBeSeveral { ending.deadline = max(ending.deadline, time + pause) }
    if isBad {
      let wait = isEarly ? 3 * dropout / 2 : dropout
      ending.deadline = max(ending.deadline, time + usual.scaled(wait, to: tempo, millisecond))
    } else if besideBad, isEarly, !ending.isVeryShort, time + doubt > ending.deadline {
      ending.deadline = time + doubt
      ending.isDoubted = true
    }
    return ending
  }

  /// Whether a press that waited and lasted is evidence all the same: it came after a gap that no finger makes, and too soon
  /// after the press before it.
  ///
  /// - Parameters:
  ///   - gap: The time from the release before it.
  ///   - interval: That from the press before it.
  func isEvidence(gap: Microseconds, interval: Microseconds) -> Bool {
    gap < doubt && interval < finger
  }

  /// Whether it is evidence that a suspicious press is let go now, before it has lasted.
  func isEvidence(lettingGo key: KeyState, at time: Microseconds) -> Bool {
    isTooShort(time - key.released) && (key.adaptive.lastShort.map { $0 >= shortContact } ?? true)
  }

  /// Whether the time from one edge to another is too short for a finger.
  func isTooShort(_ interval: Microseconds) -> Bool { interval < finger }
}
