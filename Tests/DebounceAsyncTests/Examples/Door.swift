import DebounceAsync

/// A contact at a door, on a long wire: what does not last for 50 ms does not count.
struct Door {
  /// What the contact does; it closes with the door.
  let edges: AsyncStream<ButtonEdge<SingleButton, ContinuousClock.Instant>>

  /// Calls `changed` whenever the door is closed or open.
  func run(changed: (_ isClosed: Bool) -> Void) async {
    for await edge in edges.debounced(.defer(threshold: .milliseconds(50))) { changed(edge.isDown) }
  }
}
