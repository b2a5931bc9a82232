import DebounceAsync

/// A player with one button: a press plays and pauses, two presses go on to the next song, and one that lasts ends it.
struct Player {
  enum Button: Hashable { case only, play, next, stop }

  /// What the button's contact does.
  let edges: AsyncStream<ButtonEdge<Button, ContinuousClock.Instant>>

  /// Calls `press` for each press, with what it means.
  func run(press: (Button) -> Void) async {
    let meant = edges.meaning(
      [.only: ButtonMeanings(single: .play, double: .next, hold: .stop)],
      after: .eagerDefer(threshold: .milliseconds(20)))
    for await edge in meant where edge.isDown { press(edge.button) }
  }
}
