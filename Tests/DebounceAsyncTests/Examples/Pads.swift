import DebounceAsync

/// Two pads under one thumb: who means one of them often touches the other.
struct Pads {
  enum Pad: Hashable { case left, right }

  /// What the contacts of both do.
  let edges: AsyncStream<ButtonEdge<Pad, ContinuousClock.Instant>>

  /// Calls `hit` for each pad that is meant.
  func run(hit: (Pad) -> Void) async {
    let meant = edges.lockingOut(
      [.left, .right], for: .milliseconds(80), after: .eagerDefer(threshold: .milliseconds(15)))
    for await edge in meant where edge.isDown { hit(edge.button) }
  }
}
