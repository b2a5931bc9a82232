import Debounce

/// A key or button that goes down or up at a moment: what stroke fixtures are written in.
public struct Edge: Equatable, Sendable {
  public var key: KeyCode
  public var isDown: Bool
  /// When, in microseconds from the start of the case.
  public var time: Microseconds
  /// Whether it belongs to the frame of the edge before it.
  public var isJoined: Bool

  public init(_ key: KeyCode, down: Bool, at time: Microseconds, joined: Bool = false) {
    self.key = key
    isDown = down
    self.time = time
    isJoined = joined
  }
}

extension Edge: CustomStringConvertible {
  /// The edge as fixtures write it: `A+8.5`, with `& ` before it where it is joined.
  public var description: String {
    var fraction = String(time.magnitude % 1000 + 1000).dropFirst()
    while fraction.last == "0" { fraction.removeLast() }
    let point = fraction.isEmpty ? "" : "."
    return (isJoined ? "& " : "") + KeyName.name(of: key)
      + (isDown ? "+" : "-") + "\(time / 1000)" + point + fraction
  }
}

extension [Edge] {
  /// The edges as the frames that a device would send.
  public var frames: [Frame] {
    var frames: [Frame] = []
    for edge in self {
      if !edge.isJoined || frames.isEmpty { frames.append(Frame(time: edge.time)) }
      frames[frames.count - 1].append(.key(edge.key, down: edge.isDown))
    }
    return frames
  }
}
