import DebounceAsync

/// A doorbell: the first tap rings at once, and none rings for half a second after it.
struct Doorbell {
  /// What the button's contact does.
  let edges: AsyncStream<ButtonEdge<SingleButton, ContinuousClock.Instant>>

  /// Calls `ring` for each tap that counts, until the edges end.
  func run(ring: () -> Void) async {
    for await edge in edges.throttled(for: .milliseconds(500)) where edge.isDown { ring() }
  }
}
