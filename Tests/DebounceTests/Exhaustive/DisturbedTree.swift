import Debounce
import StrokeFixtures

/// All streams of a tree, each with a resynchronisation in place of any one edge, with other rules before any one edge, or
/// paused before any one edge, for good or until the next one.
///
/// Checks what holds of them while it walks: the state of the clone is followed, not read from its whole past.
struct DisturbedTree<Engine: Subject> {
  let tree: StreamTree
  let rules: Rules
  /// What is adopted.
  let others: [Rules]

  /// How many streams were looked at.
  private(set) var count = 0
  /// What was wrong with the first of which something was.
  private(set) var violation: String?

  private var path: [String] = []

  init(tree: StreamTree, rules: Rules, others: [Rules]) {
    self.tree = tree
    self.rules = rules
    self.others = others
  }

  /// Roughly how many streams such a tree has.
  static func estimate(_ tree: StreamTree, others: Int) -> Int {
    let keys = tree.keys.count
    let perEdge = Double((1 << keys)) / Double(keys) + Double(others + 2)
    return Int(min(1e15, Double(tree.count) * (1 + Double(tree.length) * perEdge)))
  }

  /// Where a stream has come to.
  private struct Node {
    var engine: Engine
    /// The keys that are down, a bit for each of the tree's: of the switches, and of the clone.
    var raw: UInt8 = 0
    var clean: UInt8 = 0
    var time: Microseconds = 0
    /// When the clone last got a frame.
    var emitted = Microseconds.min
    var isDisturbed = false
    /// Before which edge the engine is resumed.
    var resumedAt: Int?
    /// The keys of which strokes may vanish whole.
    var suppressed: UInt8
  }

  mutating func walk() {
    go(on: Node(engine: Engine(rules), suppressed: suppressed(by: rules)), depth: 0)
  }

  private func suppressed(by rules: Rules) -> UInt8 {
    tree.keys.enumerated().reduce(0) {
      rules.suppressesStrokes(of: $1.element) ? $0 | 1 << UInt8($1.offset) : $0
    }
  }

  private mutating func go(on node: Node, depth: Int) {
    guard depth < tree.length else { return }
    if node.resumedAt == depth {
      var next = node
      next.resumedAt = nil
      next.engine.resume()
      disturb(next, "resume", depth)
      return
    }
    for interval in depth == 0 ? [0] : tree.grid.times {
      for (index, key) in tree.keys.enumerated() {
        move(key, UInt8(1) << UInt8(index), after: interval, node, depth)
        guard violation == nil else { return }
      }
      guard !node.isDisturbed else { continue }
      for held in 0..<UInt8(1) << UInt8(tree.keys.count) {
        resynchronise(held, after: interval, node, depth)
        guard violation == nil else { return }
      }
    }
    guard !node.isDisturbed else { return }
    for (index, rules) in others.enumerated() {
      var next = node
      next.engine.adopt(rules)
      next.suppressed |= suppressed(by: rules)
      disturb(next, "rules \(index + 1)", depth)
    }
    for resumedAt in [nil, depth + 1] {
      var next = node
      next.engine.pause()
      next.resumedAt = resumedAt
      disturb(next, "pause", depth)
    }
  }

  /// Goes on with an engine to which something was done. A stream that ended with that would have no edge for which it matters.
  private mutating func disturb(_ node: Node, _ what: String, _ depth: Int) {
    guard violation == nil else { return }
    var next = node
    next.isDisturbed = true
    path.append("(\(what))")
    go(on: next, depth: depth)
    if violation == nil { path.removeLast() }
  }

  private mutating func move(
    _ key: KeyCode, _ bit: UInt8, after interval: Microseconds, _ node: Node, _ depth: Int
  ) {
    var next = node
    next.time += interval
    next.raw ^= bit
    let down = next.raw & bit != 0
    path.append("\(next.time):\(KeyName.name(of: key))\(down ? "+" : "-")")
    receive(next.engine.process(Frame(time: next.time, [.key(key, down: down)])), &next)
    check(next)
    guard violation == nil else { return }
    go(on: next, depth: depth + 1)
    guard violation == nil else { return }
    path.removeLast()
  }

  private mutating func resynchronise(
    _ held: UInt8, after interval: Microseconds, _ node: Node, _ depth: Int
  ) {
    var next = node
    next.time += interval
    next.raw = held
    next.isDisturbed = true
    let keys = tree.keys.enumerated().filter { held & 1 << UInt8($0.offset) != 0 }.map(\.element)
    path.append("\(next.time):(held \(keys.map { KeyName.name(of: $0) }))")
    receive(next.engine.resynchronise(held: KeySet(keys), at: next.time), &next)
    if next.clean != held { fail("the clone has not the state given") }
    check(next)
    guard violation == nil else { return }
    go(on: next, depth: depth + 1)
    guard violation == nil else { return }
    path.removeLast()
  }

  // MARK: - What holds

  private mutating func check(_ node: Node) {
    count += 1
    var drained = node
    receive(drained.engine.advance(to: .max), &drained)
    let missing = node.raw & ~drained.clean
    if drained.clean & ~node.raw != 0 { fail("a key is down in the end that is up") }
    if missing & ~node.suppressed != 0 { fail("a key is up in the end that is down") }
    var closed = node
    receive(closed.engine.close(at: node.time), &closed)
    if closed.clean != 0 { fail("a key stays down after closing") }
    if !closed.engine.advance(to: .max).isEmpty { fail("goes on after closing") }
  }

  private mutating func receive(_ frames: [Frame], _ node: inout Node) {
    for frame in frames {
      if frame.isEmpty { fail("an empty frame") }
      if frame.time < node.emitted { fail("\(frame.time) after \(node.emitted)") }
      node.emitted = frame.time
      for event in frame.events where event.type == EventType.key {
        guard let index = tree.keys.firstIndex(of: event.code) else {
          fail("a key that nobody touched")
          return
        }
        let bit = UInt8(1) << UInt8(index)
        if (node.clean & bit != 0) == (event.value != 0) { fail("an edge again") }
        node.clean ^= bit
      }
    }
  }

  private mutating func fail(_ what: String) {
    guard violation == nil else { return }
    violation = "\(what)\n  stream: \(path.joined(separator: " "))\n  rules: \(rules), \(others)"
  }
}
