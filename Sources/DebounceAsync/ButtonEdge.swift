import Debounce

/// A button that goes down or comes up, and when.
public struct ButtonEdge<Button: Hashable & Sendable, Instant: InstantProtocol>: Hashable, Sendable
where Instant.Duration == Swift.Duration {
  /// Which button.
  public var button: Button
  /// Whether it goes down.
  public var isDown: Bool
  /// When it does so, on the clock that the sequence is debounced by.
  public var time: Instant

  public init(_ button: Button, isDown: Bool, at time: Instant) {
    self.button = button
    self.isDown = isDown
    self.time = time
  }
}

/// The button of a sequence in which there is no other.
public struct SingleButton: Hashable, Sendable {
  public init() {}
}

extension ButtonEdge where Button == SingleButton {
  public init(isDown: Bool, at time: Instant) {
    self.init(SingleButton(), isDown: isDown, at: time)
  }
}

// MARK: - Outcomes

/// The decision on an edge, and when it was made.
///
/// An edge that waits has another outcome later; one that was removed may prove meant after all. The last one holds.
public struct ButtonOutcome<Button: Hashable & Sendable, Instant: InstantProtocol>: Hashable,
  Sendable
where Instant.Duration == Swift.Duration {
  public enum Kind: Hashable, Sendable {
    /// It is passed on, now.
    case passed
    /// It is passed on then, unless the button's next edge shows that it was none.
    case waits(until: Instant)
    /// It is left out, and why. `nil` where the button was so already, or the sequence ended before it was decided.
    case removed(Removal?)
  }

  /// The edge as it came.
  public var edge: ButtonEdge<Button, Instant>
  /// When it was decided.
  public var time: Instant
  public var kind: Kind

  /// The outcomes of edges in one of the engine's: two where an edge shows that the one before it was none.
  static func all(
    of outcome: Outcome, on button: Button, instant: (Microseconds) -> Instant
  ) -> [ButtonOutcome] {
    let edge = ButtonEdge(button, isDown: outcome.isPress, at: instant(outcome.edge))
    func made(_ kind: Kind, of edge: ButtonEdge<Button, Instant>) -> ButtonOutcome {
      ButtonOutcome(edge: edge, time: instant(outcome.time), kind: kind)
    }
    switch outcome.kind {
    case .passed, .emitted: return [made(.passed, of: edge)]
    case .waits(let end), .postponed(let end): return [made(.waits(until: instant(end)), of: edge)]
    case .withdrawn(let removal, with: let earlier):
      let first = ButtonEdge(button, isDown: !outcome.isPress, at: instant(earlier))
      return [first, edge].map { made(.removed(removal), of: $0) }
    case .suppressed(let removal, deliveredAt: _), .reclassified(let removal):
      return [made(.removed(removal), of: edge)]
    case .vanished(let removal): return [made(.removed(removal), of: edge)]
    case .duplicate: return [made(.removed(nil), of: edge)]
    // That a removed edge is passed on after all is told next; the others are not about edges that came.
    case .restored, .repeated, .corrected, .meant, .continued, .learned, .forgot: return []
    }
  }
}

/// Where what became of a sequence's edges is reported, if anybody wants to know.
typealias OutcomeSink<Button: Hashable & Sendable, Instant: InstantProtocol> =
  AsyncStream<ButtonOutcome<Button, Instant>>.Continuation where Instant.Duration == Duration
