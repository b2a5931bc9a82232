import Debounce
import TypingModel

/// What the usual tools do: a press that comes too soon after the key's last release vanishes, and its
/// release with it. Nothing puts the key down again if the finger stays. For comparison only.
struct Lockout: Filter {
  private let lockout: Microseconds
  private var released: [Microseconds]
  private var isDown: [Bool]

  init(_ lockout: Microseconds) {
    self.lockout = lockout
    released = Array(repeating: -1_000_000_000, count: EventType.keyCount)
    isDown = Array(repeating: false, count: EventType.keyCount)
  }

  mutating func take(_ edge: RawEdge, into clean: inout [CleanEdge]) {
    let key = Int(edge.key)
    if edge.down {
      guard edge.time - released[key] >= lockout else { return }
    } else {
      guard isDown[key] else { return }
      released[key] = edge.time
    }
    isDown[key] = edge.down
    clean.append(CleanEdge(time: edge.time, key: edge.key, down: edge.down))
  }

  mutating func finish(into clean: inout [CleanEdge]) {}
}
