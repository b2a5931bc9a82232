import DebounceAsync

/// That a button goes down or up.
typealias ContactEdge = ButtonEdge<SingleButton, ContinuousClock.Instant>

/// Buys once, at the first press, and not again for half a second.
func buy(_ edges: AsyncStream<ContactEdge>, act: () -> Void) async {
  for await edge in edges.throttled(for: .milliseconds(500), latest: false) where edge.isDown {
    act()
  }
}

/// Reports whether a door is closed, once its contact has lasted for 50 ms.
func watchDoor(_ edges: AsyncStream<ContactEdge>, report: (_ isClosed: Bool) -> Void) async {
  for await edge in edges.debounced(.defer(threshold: .milliseconds(50))) { report(edge.isDown) }
}

/// Refreshes at the first press, and for the last of those within a second when it is over.
func refresh(_ edges: AsyncStream<ContactEdge>, act: () async -> Void) async {
  for await edge in edges.throttled(for: .seconds(1)) where edge.isDown { await act() }
}

/// Two pads under one thumb.
enum Pad: Hashable { case left, right }

/// Calls `hit` for each pad that is meant.
func play(
  _ edges: AsyncStream<ButtonEdge<Pad, ContinuousClock.Instant>>, hit: (Pad) -> Void
) async {
  let meant = edges.lockingOut(
    [.left, .right], for: .milliseconds(80), after: .eagerDefer(threshold: .milliseconds(15)))
  for await edge in meant where edge.isDown { hit(edge.button) }
}

/// A picture with one button, of which one press and two are buttons of their own.
enum Picture: Hashable { case touched, show, zoom }

/// Calls `act` for each press, with what it means.
func touch(
  _ edges: AsyncStream<ButtonEdge<Picture, ContinuousClock.Instant>>, act: (Picture) -> Void
) async {
  let meant = edges.meaning(
    [.touched: ButtonMeanings(single: .show, double: .zoom)],
    after: .eagerDefer(threshold: .milliseconds(20)))
  for await edge in meant where edge.isDown { act(edge.button) }
}

/// A lamp with one button: a press toggles it, and a long one puts it out.
enum Lamp: Hashable { case pressed, toggle, off }

/// Calls `act` for each press, with what it means.
func light(
  _ edges: AsyncStream<ButtonEdge<Lamp, ContinuousClock.Instant>>, act: (Lamp) -> Void
) async {
  let meant = edges.meaning(
    [.pressed: ButtonMeanings(single: .toggle, hold: .off)],
    after: .eagerDefer(threshold: .milliseconds(20)))
  for await edge in meant where edge.isDown { act(edge.button) }
}

/// Shows the button as pressed for as long as a finger is on it, and never for longer than the task runs.
func highlight(_ edges: AsyncStream<ContactEdge>, show: (_ isPressed: Bool) -> Void) async {
  for await edge in edges.debounced(.eagerDefer(threshold: .milliseconds(20))) {
    show(edge.isDown)
  }
}

/// The buttons of a mouse of which the left one is worn.
enum MouseButton: Hashable { case left, right }

/// Calls `click` for each click.
func mouse(
  _ edges: AsyncStream<ButtonEdge<MouseButton, ContinuousClock.Instant>>,
  click: (MouseButton) -> Void
) async {
  let rules = ButtonRules<MouseButton>(
    buttons: [.left: .adaptive(threshold: .milliseconds(20), isNamed: true)])
  for await edge in edges.debounced(rules) where edge.isDown { click(edge.button) }
}
