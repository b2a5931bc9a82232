import Calibration
import Debounce

/// Edges of one key after another, written as one would tell them: how long it is down, how long up.
struct Streams {
  private(set) var edges: [(time: Microseconds, key: KeyCode, value: Int32)] = []
  private(set) var now: Microseconds = 1_000_000

  /// The key is down and up in turns, for so many milliseconds each, beginning with down; then nothing happens for
  /// `rest` milliseconds.
  mutating func add(_ key: KeyCode, _ times: Double..., rest: Double = 400) {
    for (index, time) in times.enumerated() {
      edges.append((now, key, index % 2 == 0 ? 1 : 0))
      now += Microseconds(time * 1000)
    }
    if times.count % 2 == 1 { edges.append((now, key, 0)) }
    now += Microseconds(rest * 1000)
  }

  /// Lets an observer hear all of it.
  func observed(during phase: Phase = .typing, by observer: Observer = Observer()) -> Observer {
    var observer = observer
    for edge in edges {
      observer.receive(edge.key, value: edge.value, at: edge.time, during: phase)
    }
    observer.advance(to: now + 1_000_000)
    return observer
  }
}

/// The key that tests are about, and another one.
let key: KeyCode = 18
let other: KeyCode = 30
