import Debounce

extension AsyncSequence where Self: Sendable {
  /// The edges that a finger made: what a bad contact made is left out.
  ///
  /// ```
  ///          P R P──────────R P────────R P R────
  ///   base ──┘ └─┘          └─┘        └─┘ └─ ·      .eagerDefer: presses at once, releases once they have lasted
  ///  edges ──┌────────────────────────────────┐─
  /// ```
  ///
  /// - Parameters:
  ///   - rules: How the edges of each button are decided on.
  ///   - clock: The clock that the edges' times are on.
  /// - Returns: A sequence in which the edges of each button alternate, beginning with a press. Every press is ended: when
  ///   this sequence ends, throws or is cancelled, buttons that are down come up first.
  public func debounced<Button, C: Clock>(
    _ rules: ButtonRules<Button>, clock: C
  ) -> AsyncDebouncedSequence<Self, Button, C> where Element == ButtonEdge<Button, C.Instant> {
    AsyncDebouncedSequence(base: self, rules: rules, clock: clock)
  }

  /// The same for edges on the continuous clock, which most are on; see ``debounced(_:clock:)``.
  public func debounced<Button>(
    _ rules: ButtonRules<Button>
  ) -> ContinuouslyDebounced<Self, Button> where Element == ContinuousEdge<Button> {
    debounced(rules, clock: ContinuousClock())
  }

  /// The edges that a finger made, with one strategy for all buttons, as `.eagerDefer(threshold: .milliseconds(20))`.
  public func debounced<Button>(_ strategy: Strategy) -> ContinuouslyDebounced<Self, Button>
  where Element == ContinuousEdge<Button> {
    debounced(ButtonRules(strategy))
  }

  /// At most one stroke of each button in an interval: the first, or the first and the last.
  ///
  /// A stroke is let pass or left out whole, so that no release is ever lost.
  ///
  /// - Parameters:
  ///   - interval: The length of the interval, which begins with a press that passes.
  ///   - latest: Whether the last stroke that was left out follows when the interval ends.
  public func throttled<Button>(
    for interval: Duration, latest: Bool = true
  ) -> ContinuouslyDebounced<Self, Button> where Element == ContinuousEdge<Button> {
    debounced(.throttle(interval: interval, latest: latest))
  }

  /// Buttons that lock each other out: for a while after a press of one, strokes of the others are left out whole.
  ///
  /// - Parameters:
  ///   - siblings: Which of them do so.
  ///   - lockout: For how long after a press.
  ///   - strategy: How the edges of every button are decided on before.
  public func lockingOut<Button>(
    _ siblings: Set<Button>, for lockout: Duration, after strategy: Strategy = .none
  ) -> ContinuouslyDebounced<Self, Button> where Element == ContinuousEdge<Button> {
    debounced(ButtonRules(strategy, siblings: [.init(siblings, lockout: lockout)]))
  }

  /// Buttons of which a single, a double and a long press mean different things: strokes of other buttons.
  ///
  /// ```
  ///           P──R     P──R  P──R        P────────────R
  ///    base ──┘  └─────┘  └──┘  └────────┘            └──
  ///           | within |
  ///   edges ──────────┌┐─────┌──┐─────────────────┌───┐──
  ///                  single  double              hold
  /// ```
  ///
  /// A single press waits until no second one can come, or until another button is pressed, and then comes before that.
  ///
  /// - Parameters:
  ///   - meanings: What strokes of which buttons mean. Others mean themselves.
  ///   - strategy: How the edges of every button are decided on before: a bad contact makes no double press.
  public func meaning<Button>(
    _ meanings: [Button: ButtonMeanings<Button>], after strategy: Strategy
  ) -> ContinuouslyDebounced<Self, Button> where Element == ContinuousEdge<Button> {
    debounced(ButtonRules(strategy, meanings: meanings))
  }
}

public typealias ContinuousEdge<Button: Hashable & Sendable> = ButtonEdge<
  Button, ContinuousClock.Instant
>
public typealias ContinuouslyDebounced<
  Base: AsyncSequence & Sendable, Button: Hashable & Sendable
> = AsyncDebouncedSequence<Base, Button, ContinuousClock>
where Base.Element == ContinuousEdge<Button>

/// The edges of buttons, without those that no finger made.
///
/// Times are exact to the microsecond. An edge is late by what its strategy waits, and by nothing else; decisions depend on
/// the edges' own times. An edge that waits for its deadline is delivered by the clock. A sequence has at most 256 buttons.
public struct AsyncDebouncedSequence<
  Base: AsyncSequence & Sendable, Button: Hashable & Sendable, C: Clock
>: AsyncSequence, Sendable
where Base.Element == ButtonEdge<Button, C.Instant>, C.Duration == Duration {
  public typealias Element = Base.Element
  public typealias Failure = Base.Failure

  let base: Base
  let rules: ButtonRules<Button>
  let clock: C

  public func makeAsyncIterator() -> Iterator {
    Iterator(base: base, owner: Owner(DebounceStorage(rules, clock: clock)))
  }

  /// Reads the base from the first call of ``next(isolation:)`` until it is given up.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let base: Base
    fileprivate let owner: Owner

    /// The next edge; `nil` after the last.
    ///
    /// - Throws: What the base throws, after buttons that are down have come up. Never for cancellation: that ends the
    ///   sequence.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(Failure) -> Element? {
      try await owner.storage.next(of: base)
    }
  }

  /// Ends the sequence when nobody holds its iterator any more.
  fileprivate final class Owner {
    let storage: DebounceStorage<Base, Button, C>

    init(_ storage: DebounceStorage<Base, Button, C>) {
      self.storage = storage
    }

    deinit {
      storage.cancel()
    }
  }
}
