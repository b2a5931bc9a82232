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
