import Debounce

/// A button whose contact may chatter.
struct DebouncedButton {
  /// Any of these numbers will do: one engine can watch many keys.
  private static let button = EventType.plainKeys.lowerBound

  private var engine = Debouncer(
    Rules(strategy: .eagerDefer(EagerDefer(threshold: 20_000))))

  /// When ``timePassed(to:)`` must be called if the contact does not move before; `nil` for never.
  var deadline: Microseconds? { engine.deadline }

  /// Receives that the contact has closed or opened.
  ///
  /// - Returns: What the button did: `true` where it went down, `false` where it came up.
  mutating func contactMoved(isClosed: Bool, at time: Microseconds) -> [Bool] {
    engine.process(Frame(time: time, [.key(Self.button, down: isClosed)]))
    return takeOutput()
  }

  /// Receives that it is `time`.
  mutating func timePassed(to time: Microseconds) -> [Bool] {
    engine.advance(to: time)
    return takeOutput()
  }

  private mutating func takeOutput() -> [Bool] {
    var moves: [Bool] = []
    engine.output.drain { events, _ in moves += events.map { $0.value == 1 } }
    return moves
  }
}
