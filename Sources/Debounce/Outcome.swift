/// A decision of the engine on one raw edge: made when it came, or later, if it had to wait.
///
/// ```
///          P──R P────────────R            P     passed
///   raw  ──┘  └─┘            └────        R     waits until …
///  clean ──┌─────────────────┐────        P     withdrawn (press bounce), with the R before it
///                                         R     passed
/// ```
///
/// Each raw edge has one outcome when it comes. One that waits, or is suppressed and put off, has another one later, unless the
/// key's next edge withdraws it.
public struct Outcome: Equatable, Sendable {
  public enum Kind: Equatable, Sendable {
    // When the edge comes:

    /// It is passed on at once.
    case passed
    /// It is passed on at this time, unless the key's next edge withdraws it before.
    case waits(until: Microseconds)
    /// It is chatter, and so is the key's edge of the time given, which had waited: both vanish.
    case withdrawn(Removal, with: Microseconds)
    /// It belongs to a stroke that vanishes whole although a finger made it. Where a time is given, the stroke is
    /// delivered then, unless a later one takes its place.
    case suppressed(Removal, deliveredAt: Microseconds?)
    /// The key was in this state already: events were lost before they came here.
    case duplicate
    /// An autorepeat (value 2). The clone makes them by itself.
    case repeated

    // Later:

    /// It waits on, until this time: it must not overtake what may still prove meant.
    case postponed(until: Microseconds)
    /// It had waited, and is passed on now.
    case emitted
    /// It had waited, and is not passed on after all: its stroke is suppressed, or the state is known to be another one.
    case vanished(Removal?)
    /// It had been withdrawn or suppressed as this, and proves meant: it no longer counts as removed. That it is emitted is
    /// reported next.
    case restored(Removal)
    /// It had been withdrawn as a drop-out, and what followed showed it to be this.
    case reclassified(Removal)
    /// Events were lost: the key is found to be so, and that is passed on.
    case corrected

    // If a clean stroke began then, of a key with meanings:

    /// It is taken for this, and the key given is emitted for it.
    case meant(Meaning, KeyCode)
    /// A press that came too soon after the release for a second one: the stroke goes on.
    case continued

    // The edge changed the key:

    /// From now on the key's releases wait, because its switch has shown that it is bad.
    case learned
    /// The key's releases wait no longer.
    case forgot
  }

  public var key: KeyCode
  public var isPress: Bool
  /// When the edge came.
  public var edge: Microseconds
  /// When this was decided: the time of the input that decided it, or of the deadline.
  public var time: Microseconds
  public var kind: Kind

  public init(
    key: KeyCode, isPress: Bool, edge: Microseconds, time: Microseconds, kind: Kind
  ) {
    self.key = key
    self.isPress = isPress
    self.edge = edge
    self.time = time
    self.kind = kind
  }
}

// MARK: - Why

/// Why a press that the switch reported is not passed on.
public enum Removal: Hashable, Sendable, CustomStringConvertible {
  /// No finger made it.
  case chatter(Chatter)
  /// The strategy `throttle` lets one stroke pass per interval.
  case throttled
  /// Another key of its group had locked it out.
  case lockedOut
  /// The stroke began too soon after the one before for the strategy `bounce-keys`.
  case tooSoon
  /// The stroke was too short for the strategy `slow-keys`.
  case tooShort

  public static let pressBounce = chatter(.pressBounce)
  public static let releaseBounce = chatter(.releaseBounce)
  public static let dropOut = chatter(.dropOut)

  /// All of them, chatter first.
  public static let allCases =
    Chatter.allCases.map { chatter($0) } + [throttled, lockedOut, tooSoon, tooShort]

  /// Its name in recordings. Names so short are no allocation.
  public var description: String {
    switch self {
    case .chatter(.pressBounce): "press-bounce"
    case .chatter(.releaseBounce): "release-bounce"
    case .chatter(.dropOut): "drop-out"
    case .throttled: "throttled"
    case .lockedOut: "locked-out"
    case .tooSoon: "too-soon"
    case .tooShort: "too-short"
    }
  }
}

/// The kinds of chatter: presses and releases that no finger made.
///
/// ```
///  finger        ┌───────────────┐
///  A          ┌┐ │┌──────────────┐     the first hold is short
///  B             ┌──────────────┐ ┌┐   the second hold is short
///  C             ┌──────┐ ┌──────┐     both are long, the gap between is not
/// ```
public enum Chatter: Sendable, CaseIterable {
  /// A: the contact bounces as the key goes down.
  case pressBounce
  /// B: the contact bounces as the key comes up.
  case releaseBounce
  /// C: the contact is lost for a moment while the key is held.
  case dropOut
}

extension Chatter {
  /// A shorter hold than this is taken for a bounce where a strategy has no parameter for it.
  package static let shortHold: Microseconds = 30_000
  /// A longer gap than this is taken for a finger's.
  package static let longGap: Microseconds = 50_000
}

extension KeyState {
  /// The kind of chatter that ends now, with raw back at clean.
  var chatter: Removal {
    if raw { return edge - pressed < Chatter.shortHold ? .pressBounce : .dropOut }
    // A stroke has vanished. Soon after another one it was a bounce of its release.
    return edge - released < Chatter.longGap ? .releaseBounce : .pressBounce
  }
}
