extension AsyncSequence where Self: Sendable {
  /// Taps that have no release, such as those of a button in a window: each is a whole stroke, at the time at which it is
  /// received.
  ///
  /// - Parameters:
  ///   - clock: The clock that the edges' times are on.
  ///   - button: Of which button it is a stroke.
  /// - Returns: A press and a release for each element.
  public func strokes<Button, C: Clock>(
    clock: C, of button: @escaping @Sendable (Element) -> Button
  ) -> AsyncStrokeSequence<Self, Button, C> {
    AsyncStrokeSequence(base: self, clock: clock, button: button)
  }

  /// The same on the continuous clock; see ``strokes(clock:of:)``.
  public func strokes<Button>(
    of button: @escaping @Sendable (Element) -> Button
  ) -> AsyncStrokeSequence<Self, Button, ContinuousClock> {
    strokes(clock: ContinuousClock(), of: button)
  }
}

/// The strokes of buttons of which only taps are known.
public struct AsyncStrokeSequence<
  Base: AsyncSequence & Sendable, Button: Hashable & Sendable, C: Clock
>: AsyncSequence, Sendable where C.Duration == Duration {
  public typealias Element = ButtonEdge<Button, C.Instant>
  public typealias Failure = Base.Failure

  fileprivate let base: Base
  fileprivate let clock: C
  fileprivate let button: @Sendable (Base.Element) -> Button

  public func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), sequence: self)
  }

  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var base: Base.AsyncIterator
    fileprivate let sequence: AsyncStrokeSequence
    /// The release of the last press, until it is taken.
    fileprivate var release: Element?

    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(Failure) -> Element? {
      if let release = release.take() { return release }
      guard let tap = try await base.next(isolation: actor) else { return nil }
      let press = Element(sequence.button(tap), isDown: true, at: sequence.clock.now)
      release = Element(press.button, isDown: false, at: press.time)
      return press
    }
  }
}
