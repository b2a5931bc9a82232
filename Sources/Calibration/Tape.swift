import Debounce

/// A measurement: the edges of a device's keys in the order in which they came, in memory alone, each with what the person
/// was asked to do.
public struct Tape: Sendable {
  /// A key that went down or up.
  public struct Edge: Equatable, Sendable {
    public var time: Microseconds
    public var key: KeyCode
    public var isDown: Bool
    public var exercise: Exercise
    /// Whether it was not seen: events were lost, and the key counts as let go.
    public var isAssumed = false
  }

  public private(set) var edges: [Edge] = []
  /// When events were lost: from the last edge before to the moment from which edges are known again. In the order of time.
  private(set) var losses: [ClosedRange<Microseconds>] = []
  private var held: Set<KeyCode> = []
  private var now: Microseconds = .min / 8

  public init() {}

  /// How many edges there are; a tape can be cut there later.
  public var length: Int { edges.count }

  /// How often a key went down.
  public var presses: Int { edges.count(where: \.isDown) }

  /// Receives a frame. What is not of keys, and repeats, are left out; a frame before which the kernel lost events
  /// (`SYN_DROPPED`) interrupts.
  public mutating func receive(_ frame: borrowing Frame, during exercise: Exercise) {
    for index in frame.events.indices {
      let event = frame.events[index]
      if event.type == EventType.synchronisation, event.code == EventType.dropped {
        lose(until: frame.time)
      } else if event.type == EventType.key, event.value == 0 || event.value == 1 {
        receive(event.code, isDown: event.value == 1, at: frame.time, during: exercise)
      }
    }
  }

  /// Receives an edge. Time that runs backwards stands still.
  public mutating func receive(
    _ key: KeyCode, isDown: Bool, at time: Microseconds, during exercise: Exercise
  ) {
    // Far from overflow, whatever a recording contains.
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

  /// Counts every key as let go: nothing more comes, or the device was away.
  public mutating func interrupt() {
    for key in held.sorted() {
      edges.append(Edge(time: now, key: key, isDown: false, exercise: .typing, isAssumed: true))
    }
    held = []
  }

  /// What came since the tape was so long.
  func part(from length: Int) -> Tape {
    var part = Tape()
    part.edges = Array(edges[min(length, edges.count)...])
    part.losses = losses
    return part
  }

  /// Drops what came since the tape was so long.
  public mutating func cut(to length: Int) {
    edges.removeSubrange(length...)
    held = edges.reduce(into: []) { held, edge in
      if edge.isDown { held.insert(edge.key) } else { held.remove(edge.key) }
    }
    interrupt()
  }
}

/// What the person was asked to do while edges came.
public enum Exercise: Hashable, Sendable {
  /// To type, or to work as always.
  case typing
  /// To tap the key, once at each beat.
  case taps(KeyCode)
  /// To hold the key down, again and again.
  case holds(KeyCode)
  /// To tap the key twice in quick succession, again and again.
  case doubles(KeyCode)

  /// The key that is asked for.
  public var key: KeyCode? {
    switch self {
    case .taps(let key), .holds(let key), .doubles(let key): key
    case .typing: nil
    }
  }

  /// The exercise as it is for a key: the others are typed meanwhile.
  func applied(to key: KeyCode) -> Exercise { self.key == key ? self : .typing }
}
