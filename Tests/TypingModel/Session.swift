import Debounce
import Randomness

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
  /// Whether it is there to be scored, and not only to have the device in use.
  public var isCounted: Bool

  public init(
    _ stroke: Stroke, fault: Chatter? = nil, isOfFaultyKey: Bool = false, isCounted: Bool = true
  ) {
    self.stroke = stroke
    self.fault = fault
    self.isOfFaultyKey = isOfFaultyKey
    self.isCounted = isCounted
  }
}

/// What is typed on one keyboard: raw edges with labels, in order.
public struct Session: Sendable {
  public var strokes: [LabelledStroke] = []
  public var edges: [RawEdge] = []

  /// A session made by hand.
  public init(strokes: [LabelledStroke], edges: [RawEdge]) {
    self.strokes = strokes
    self.edges = edges
  }

  /// A person's session of about `presses` presses.
  public init(
    presses: Int, manner: Typing.Manner = Typing.Manner(), wear: Wear = Wear(), link: Link = Link(),
    seed: UInt64
  ) {
    // Typing, wear and link each have numbers of their own: the same person types the same text on a
    // worn keyboard as on a new one.
    var typing = Typing(manner, SeededRandom(seed: seed, stream: 1))
    self.init(typing.strokes(presses), wear: wear, link: link, seed: seed)
  }

  /// The strokes as a keyboard's switches and its link show them.
  ///
  /// - Parameters:
  ///   - typed: In the order of their presses, of which no two of a key overlap.
  ///   - isCounted: Whether the stroke of this index is there to be scored.
  ///   - isWorn: Whether the switch can show a fault in it.
  public init(
    _ typed: [Stroke], wear: Wear = .none, link: Link = Link(), seed: UInt64,
    isCounted: (Int) -> Bool = { _ in true }, isWorn: (Int) -> Bool = { _ in true }
  ) {
    var switches = Switches(wear, SeededRandom(seed: seed, stream: 2))
    let limits = Self.nextPresses(typed)

    // In the order of what happened. The link keeps it, but that a report says modifiers before other keys.
    var seen: [(actual: Microseconds, edge: RawEdge)] = []
    seen.reserveCapacity(typed.count * 2 + typed.count / 16)
    strokes.reserveCapacity(typed.count)
    for (number, (stroke, limit)) in zip(typed, limits).enumerated() {
      let (times, chatter) =
        isWorn(number)
        ? switches.edges(of: stroke, before: limit) : ([stroke.press, stroke.release], nil)
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
        LabelledStroke(
          stroke, fault: fault, isOfFaultyKey: switches.isFaulty(stroke.key),
          isCounted: isCounted(number)))
    }
    seen.sort { first, second in
      let (one, other) = (first.edge, second.edge)
      guard one.time == other.time else { return one.time < other.time }
      let isModifier = (Keys.isModifier(one.key), Keys.isModifier(other.key))
      guard isModifier.0 == isModifier.1 else { return isModifier.0 }
      return (first.actual, one.stroke) < (second.actual, other.stroke)
    }
    edges = seen.map(\.edge)
    deliver(by: link, SeededRandom(seed: seed, stream: 3))
  }

  /// The session in pieces of at least so many presses, as if the machine had been started anew before each.
  /// Cut where nobody types.
  public func pieces(ofPresses presses: Int) -> [Session] {
    var pieces: [Session] = []
    var (start, first) = (0, 0)
    var latest = -1
    for (index, edge) in edges.enumerated() {
      latest = max(latest, edge.stroke)
      let isLast = index + 1 == edges.count
      let isRest = isLast || edges[index + 1].time - edge.time >= Self.rest
      guard isLast || isRest && !edge.down && latest - first + 1 >= presses else { continue }
      let piece = edges[start...index].map { edge in
        var edge = edge
        edge.stroke -= first
        return edge
      }
      // A key that is held through a rest belongs to both sides of it: no place for a cut.
      guard isLast || piece.reduce(0, { $0 + ($1.down ? 1 : -1) }) == 0 else { continue }
      pieces.append(Session(strokes: Array(strokes[first...latest]), edges: piece))
      (start, first) = (index + 1, latest + 1)
    }
    return pieces
  }

  /// After so long a silence no contact bounces any more, in microseconds.
  private static let rest: Microseconds = 250_000

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
