import Debounce

/// Finds the presses that vanish between what goes into the engine and what comes out of it.
///
/// Edges that vanish do so in pairs, and a pair has vanished when the key's next raw edge comes and neither
/// of the two has been passed on:
///
/// ```
///  release and press:   P──R P──────R       the vanished press is the second edge: a press bounce (A) if
///                                           the hold before was short, a release bounce (B) if the one
///                                           after it is, otherwise a drop-out (C)
///  press and release:   P──────R P──R       the vanished press is the first edge: a release bounce (B)
///                                           soon after another stroke, otherwise a press bounce (A)
/// ```
///
/// It knows nothing of strategies but that `throttle` and groups take whole strokes.
struct SuppressionWatch {
  /// A shorter hold than this is a bounce's, and a longer gap than that a finger's, as the strategies have it.
  private static let shortHold: Microseconds = 30_000
  private static let longGap: Microseconds = 50_000

  private(set) var suppressed: [Suppression] = []

  private var keys = ContiguousArray(repeating: Key(), count: EventType.keyCount)
  /// Keys whose strokes `throttle` takes, and keys that others may lock out.
  private let throttled: KeySet
  private let grouped: KeySet
  /// How many raw frames have been heard.
  private var frames = 0

  /// A raw edge that has not been passed on yet.
  private struct Edge {
    let isPress: Bool
    let time: Microseconds
    /// When the raw state had changed before; `nil` if that is not known.
    let before: Microseconds?
    /// Whether the engine counted chatter when the edge came.
    let isChatter: Bool
  }

  private struct Key {
    var raw = false
    var changed: Microseconds?
    var pending: [Edge] = []
    /// The last frame that had an edge of this key.
    var frame = 0
    /// Whether the contact bounces on after a release bounce, so that its short holds are the bounce's.
    var isBouncing = false
  }

  init(_ rules: Rules) {
    throttled = KeySet(
      (0..<KeyCode(EventType.keyCount)).lazy.filter {
        if case .throttle = rules.keys[$0] ?? rules.strategy { true } else { false }
      })
    grouped = KeySet(rules.groups.flatMap(\.keys))
  }

  mutating func removeSuppressed() {
    suppressed.removeAll(keepingCapacity: true)
  }

  /// Hears of a raw frame.
  mutating func hear(raw frame: borrowing Frame, isChatter: Bool) {
    frames += 1
    for index in frame.events.indices {
      let event = frame.events[index]
      guard event.type == EventType.key, event.value != 2, event.code < EventType.keyCount else {
        continue
      }
      let code = Int(event.code)
      guard keys[code].raw != (event.value != 0) else { continue }
      // Several edges of one frame are heard before what was passed on because of them.
      if keys[code].frame != frames { settlePairs(of: event.code, next: frame.time) }
      let edge = Edge(
        isPress: !keys[code].raw, time: frame.time, before: keys[code].changed,
        isChatter: isChatter)
      keys[code].frame = frames
      keys[code].raw.toggle()
      keys[code].changed = frame.time
      keys[code].pending.append(edge)
    }
  }

  /// Hears of a frame that was passed on.
  mutating func hear(clean events: UnsafeBufferPointer<Event>) {
    for event in events
    where event.type == EventType.key && event.value != 2 && event.code < EventType.keyCount {
      let code = Int(event.code)
      let isPress = event.value != 0
      guard let index = keys[code].pending.firstIndex(where: { $0.isPress == isPress }) else {
        continue
      }
      // Edges before it go with it: the one that was passed on stands for all.
      let edge = keys[code].pending[index]
      settlePairs(of: event.code, upTo: index, next: edge.time)
      while !keys[code].pending.isEmpty, keys[code].pending.removeFirst().isPress != isPress {}
      keys[code].isBouncing = false
    }
  }

  /// Hears that the raw state is another one than was heard of, and has been passed on as it is.
  mutating func resynchronise(held: KeySet, at time: Microseconds) {
    for code in 0..<KeyCode(EventType.keyCount) {
      let index = Int(code)
      settlePairs(of: code, next: nil)
      keys[index].pending.removeAll(keepingCapacity: true)
      keys[index].isBouncing = false
      guard keys[index].raw != held.contains(code) else { continue }
      keys[index].raw.toggle()
      // When it really changed, nobody knows.
      keys[index].changed = nil
    }
  }

  /// Hears that nothing more comes.
  mutating func finish() {
    for code in 0..<KeyCode(EventType.keyCount) {
      settlePairs(of: code, next: nil)
      // A stroke that was taken and has not ended.
      guard let edge = keys[Int(code)].pending.first, edge.isPress else { continue }
      report(edge, of: code, as: kind(of: edge, of: code, or: .pressBounce), hold: nil)
    }
  }
}

extension SuppressionWatch {
  /// Reports the pairs of edges that have vanished, and forgets them.
  ///
  /// - Parameters:
  ///   - end: How many of the pending edges to look at; all if `nil`.
  ///   - next: The time of the raw edge after them, if there is one.
  private mutating func settlePairs(
    of code: KeyCode, upTo end: Int? = nil, next: Microseconds?
  ) {
    let index = Int(code)
    guard keys[index].pending.count >= 2 else { return }
    var end = end ?? keys[index].pending.count
    while end >= 2 {
      let (first, second) = (keys[index].pending[0], keys[index].pending[1])
      let following = keys[index].pending.count > 2 ? keys[index].pending[2].time : next
      if first.isPress {
        settleStroke(first, second, of: code)
      } else {
        settleGap(first, second, of: code, next: following)
      }
      keys[index].pending.removeFirst(2)
      end -= 2
    }
  }

  /// A press and its release have vanished.
  private mutating func settleStroke(_ press: Edge, _ release: Edge, of code: KeyCode) {
    let isSoon = press.before.map { press.time - $0 < Self.longGap } ?? false
    let kind = kind(of: release, of: code, or: isSoon ? .releaseBounce : .pressBounce)
    report(press, of: code, as: kind, hold: release.time - press.time)
  }

  /// A release and the press after it have vanished.
  private mutating func settleGap(
    _ release: Edge, _ press: Edge, of code: KeyCode, next: Microseconds?
  ) {
    let isShort = { (length: Microseconds?) in length.map { $0 < Self.shortHold } ?? false }
    let hold = next.map { $0 - press.time }
    let kind: Suppression.Kind
    if keys[Int(code)].isBouncing {
      kind = .releaseBounce
    } else if isShort(release.before.map { release.time - $0 }) {
      kind = .pressBounce
    } else {
      kind = isShort(hold) ? .releaseBounce : .dropOut
      keys[Int(code)].isBouncing = kind == .releaseBounce
    }
    report(press, of: code, as: kind, hold: hold)
  }

  /// What it was, for a stroke that vanished whole: chatter, unless it was taken.
  private func kind(
    of edge: Edge, of code: KeyCode, or chatter: Suppression.Kind
  ) -> Suppression.Kind {
    if throttled.contains(code) { return .throttled }
    return grouped.contains(code) && !edge.isChatter ? .lockedOut : chatter
  }

  private mutating func report(
    _ press: Edge, of code: KeyCode, as kind: Suppression.Kind, hold: Microseconds?
  ) {
    suppressed.append(
      Suppression(
        time: press.time, key: code, kind: kind, gap: press.before.map { press.time - $0 },
        hold: hold))
  }
}
