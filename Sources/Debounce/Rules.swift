/// Which strategy decides on which key of a device: what the engine is made with.
public struct Rules: Equatable, Sendable {
  /// The strategy of every key that has none of its own.
  public var strategy: Strategy
  /// Keys with a strategy of their own.
  public var keys: [KeyCode: Strategy]
  /// Keys that lock each other out.
  public var groups: [Group]
  /// Which waiting releases go out before another key's press does.
  public var flush: Flush

  public init(
    strategy: Strategy = .adaptive(Adaptive()), keys: [KeyCode: Strategy] = [:],
    groups: [Group] = [], flush: Flush = .modifiers
  ) {
    self.strategy = strategy
    self.keys = keys
    self.groups = groups
    self.flush = flush
  }
}
