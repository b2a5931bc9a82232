import Debounce

/// A raw edge with the truth about it. Times in microseconds.
public struct RawEdge: Equatable, Sendable {
  public var time: Microseconds
  public var key: KeyCode
  public var down: Bool
  /// Which of the session's strokes it belongs to.
  public var stroke: Int
  /// What fault made it; `nil`: a finger.
  public var fault: Chatter?

  public init(
    time: Microseconds, key: KeyCode, down: Bool, stroke: Int, fault: Chatter? = nil
  ) {
    self.time = time
    self.key = key
    self.down = down
    self.stroke = stroke
    self.fault = fault
  }
}

/// A stroke of a finger as the computer could have seen it, and what the switch made of it.
public struct LabelledStroke: Equatable, Sendable {
  /// With the times at which the link delivers the finger's edges.
  public var stroke: Stroke
  /// The fault that can be seen in its edges, if any.
  public var fault: Chatter?
  /// Whether the key is one that chatters at times.
  public var isOfFaultyKey: Bool

  public init(_ stroke: Stroke, fault: Chatter? = nil, isOfFaultyKey: Bool = false) {
    self.stroke = stroke
    self.fault = fault
    self.isOfFaultyKey = isOfFaultyKey
  }
}

/// What one person types on one keyboard: raw edges with labels, in order.
public struct Session: Sendable {
  public var strokes: [LabelledStroke] = []
  public var edges: [RawEdge] = []

  /// A session made by hand.
  public init(strokes: [LabelledStroke], edges: [RawEdge]) {
    self.strokes = strokes
    self.edges = edges
  }

  /// A session of about `presses` presses.
  public init(
    presses: Int, manner: Typing.Manner = Typing.Manner(), wear: Wear = Wear(), link: Link = Link(),
    seed: UInt64
  ) {
    // Typing, wear and link each have numbers of their own: the same person types the same text on a
    // worn keyboard as on a new one.
    var typing = Typing(manner, SeededRandom(seed: seed, stream: 1))
    var switches = Switches(wear, SeededRandom(seed: seed, stream: 2))
    let typed = typing.strokes(presses)
    let limits = Self.nextPresses(typed)

    // In the order of what happened; the link keeps it.
    var seen: [(actual: Microseconds, edge: RawEdge)] = []
    seen.reserveCapacity(typed.count * 2 + typed.count / 16)
    strokes.reserveCapacity(typed.count)
    for (stroke, limit) in zip(typed, limits) {
      let (times, chatter) = switches.edges(of: stroke, before: limit)
      let visible = Self.sample(times, link)
      guard visible.count > 1 else { continue }
      let fault = visible.count > 2 ? chatter : nil
      for (index, times) in visible.enumerated() {
        let isFinger = index == 0 || index == Self.release(fault, edges: visible.count)
        seen.append(
          (
            times.actual,
            RawEdge(
              time: times.seen, key: stroke.key, down: index % 2 == 0, stroke: strokes.count,
              fault: isFinger ? nil : fault)
          ))
      }
      strokes.append(
        LabelledStroke(stroke, fault: fault, isOfFaultyKey: switches.isFaulty(stroke.key)))
    }
    seen.sort {
      ($0.actual, $0.edge.stroke, $0.edge.time) < ($1.actual, $1.edge.stroke, $1.edge.time)
    }
    edges = seen.map(\.edge)
    deliver(by: link, SeededRandom(seed: seed, stream: 3))
  }

  /// Sets the times at which edges and strokes come to the computer.
  private mutating func deliver(by link: Link, _ random: SeededRandom) {
    var receiver = Receiver(random)
    for index in edges.indices {
      if link.isWireless { edges[index].time = receiver.delivers(edges[index].time) }
      let edge = edges[index]
      guard edge.fault == nil else { continue }
      if edge.down {
        strokes[edge.stroke].stroke.press = edge.time
      } else {
        strokes[edge.stroke].stroke.release = edge.time
      }
    }
  }

  /// Where in a stroke's edges the finger's release is: after it the contact can only bounce.
  private static func release(_ fault: Chatter?, edges: Int) -> Int {
    fault == .releaseBounce ? 1 : edges - 1
  }

  /// What a sampled keyboard shows of a contact's changes: nothing of what comes and goes between two
  /// samples.
  private static func sample(
    _ times: [Microseconds], _ link: Link
  ) -> [(actual: Microseconds, seen: Microseconds)] {
    var visible: [(actual: Microseconds, seen: Microseconds)] = []
    for time in times {
      let seen = link.sampled(time)
      if visible.last?.seen == seen {
        visible.removeLast()
      } else {
        visible.append((time, seen))
      }
    }
    return visible
  }

  /// For each stroke, when the same key goes down next.
  private static func nextPresses(_ strokes: [Stroke]) -> [Microseconds] {
    var next: [KeyCode: Microseconds] = [:]
    var result = [Microseconds](repeating: .max, count: strokes.count)
    for index in strokes.indices.reversed() {
      result[index] = next[strokes[index].key] ?? .max
      next[strokes[index].key] = strokes[index].press
    }
    return result
  }
}
