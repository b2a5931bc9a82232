// A program of somebody else's, with a button.
import DebounceAsync

let button = SingleButton()
let now = ContinuousClock.now
let edges = AsyncStream { continuation in
  for (isDown, time) in [(true, 0), (false, 2), (true, 3), (false, 100)] {
    continuation.yield(
      ButtonEdge(button, isDown: isDown, at: now.advanced(by: .milliseconds(time))))
  }
  continuation.finish()
}
for await edge in edges.debounced(.eagerDefer(threshold: .milliseconds(20))) {
  print(edge.isDown ? "down" : "up")
}
