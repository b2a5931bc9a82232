import Debounce

/// A measurement: the edges of a device's keys in their order, each with the exercise during which it came. A tape is never
/// stored.
public struct Tape: Sendable {
  /// A key that went down or up.
  struct Edge: Equatable, Sendable {
    var time: Microseconds
    var key: KeyCode
    var isDown: Bool
    var exercise: Exercise
    /// Whether the edge was not seen. The key counts as let go because events were lost.
    var isAssumed = false
  }

  /// The most edges of a recording: a million strokes, which nobody types in a month. More would take gigabytes of memory.
  public static let longest = 2_000_000

  private(set) var edges: [Edge] = []
  /// The times in which events were lost, in their order: each from the last edge before the loss to the moment from which
  /// edges are known again.
  private(set) var losses: [ClosedRange<Microseconds>] = []
  private var held: Set<KeyCode> = []
  private var now: Microseconds = .min / 8

  public init() {}

  /// The number of edges. A tape can be cut back to it later.
  public var length: Int { edges.count }

  /// The keys that have moved.
  public var keys: KeySet { KeySet(edges.map(\.key)) }

  /// How often a key went down.
  public var presses: Int { edges.count(where: \.isDown) }

  /// Receives a frame before which no events were lost (else see ``lose(until:)``). Only presses and releases of keys count.
  public mutating func receive(_ frame: borrowing Frame, during exercise: Exercise) {
    for index in frame.events.indices where frame.events[index].type == EventType.key {
      let event = frame.events[index]
      guard event.value == 0 || event.value == 1 else { continue }
      receive(event.code, isDown: event.value == 1, at: frame.time, during: exercise)
    }
  }

  /// Receives an edge. A time before that of the last edge counts as the same time.
  public mutating func receive(
    _ key: KeyCode, isDown: Bool, at time: Microseconds, during exercise: Exercise
  ) {
    // A recording may contain any time. These bounds keep sums far from overflow.
    now = max(now, min(time, .max / 8))
    guard key < EventType.keyCount, held.contains(key) != isDown else { return }
    if isDown { held.insert(key) } else { held.remove(key) }
    edges.append(Edge(time: now, key: key, isDown: isDown, exercise: exercise.applied(to: key)))
  }

  /// Notes that events were lost. Every key counts as let go, and nobody judges the strokes right before and after.
  ///
  /// - Parameter time: When that was known. Edges after it are complete.
  public mutating func lose(until time: Microseconds) {
    guard !edges.isEmpty else { return }
    interrupt()
    let last = now
    now = max(now, min(time, .max / 8))
    losses.append(last...now)
  }

  /// Counts every key as let go, because nothing more comes or the device was away.
  public mutating func interrupt() {
    for key in held.sorted() {
      edges.append(Edge(time: now, key: key, isDown: false, exercise: .typing, isAssumed: true))
    }
    held = []
  }

  /// The edges that came since the tape was so long.
  func part(from length: Int) -> Tape {
    var part = Tape()
    part.edges = Array(edges[min(length, edges.count)...])
    part.losses = losses
    return part
  }

  /// Drops the edges that came since the tape was so long.
  mutating func cut(to length: Int) {
    edges.removeSubrange(length...)
    held = edges.reduce(into: []) { held, edge in
      if edge.isDown { held.insert(edge.key) } else { held.remove(edge.key) }
    }
    interrupt()
  }
}

/// A request to the person, during which edges come.
public enum Exercise: Hashable, Sendable {
  /// Typing, or work as always.
  case typing
  /// Single taps of the key, one at each beat.
  case taps(KeyCode)
  /// Long holds of the key.
  case holds(KeyCode)
  /// Quick double taps of the key.
  case doubles(KeyCode)

  /// The key that is asked for; `nil` for typing.
  public var key: KeyCode? {
    switch self {
    case .taps(let key), .holds(let key), .doubles(let key): key
    case .typing: nil
    }
  }

  /// The exercise of a key. Other keys than the one asked for are typed.
  func applied(to key: KeyCode) -> Exercise { self.key == key ? self : .typing }
}
