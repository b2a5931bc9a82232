import Debounce
import StrokeFixtures

/// What clean edges mean, by looking at each stroke's future instead of remembering its past: to compare the engine with.
struct MeaningOracle {
  private let clean: [Edge]
  private let rules: [KeyCode: Meanings]
  /// What is emitted, with its place among the clean edges.
  private var emitted: [(place: Double, edge: Edge)] = []

  /// - Parameters:
  ///   - clean: The edges that strategies emit, in order.
  ///   - rules: What strokes mean.
  /// - Returns: The edges that are emitted, once every deadline has passed.
  static func edges(_ clean: [Edge], _ rules: [KeyCode: Meanings]) -> [Edge] {
    var oracle = MeaningOracle(clean: clean, rules: rules)
    for key in rules.keys.sorted() { oracle.read(key) }
    for (index, edge) in clean.enumerated() where rules[edge.key] == nil {
      oracle.emitted.append((Double(index), edge))
    }
    // Stable: a tap's press goes before its release.
    let order = oracle.emitted.enumerated().sorted {
      ($0.element.place, $0.offset) < ($1.element.place, $1.offset)
    }
    var holders: [KeyCode: Int] = [:]
    return order.map(\.element.edge).filter { edge in
      let before = holders[edge.key, default: 0]
      holders[edge.key] = before + (edge.isDown ? 1 : -1)
      return before == (edge.isDown ? 0 : 1)
    }
  }

  private init(clean: [Edge], rules: [KeyCode: Meanings]) {
    (self.clean, self.rules) = (clean, rules)
  }

  private mutating func read(_ key: KeyCode) {
    guard let rule = rules[key] else { return }
    var place = clean.firstIndex { $0.key == key && $0.isDown }
    while let press = place {
      let last = read(press, rule)
      place = clean.indices.first { $0 > last && clean[$0].key == key && clean[$0].isDown }
    }
  }

  /// Decides the stroke that begins with a press.
  ///
  /// - Returns: The place of the last edge that belongs to what was decided.
  private mutating func read(_ press: Int, _ rule: Meanings) -> Int {
    let start = clean[press].time
    var up = next(after: press, isOwn: true, down: false)
    let other = next(after: press, isOwn: false, down: true)
    if rule.isDecidedAtOnce { emit(rule.single, from: Double(press), start, until: up) }
    guard rule.double != nil || rule.hold != nil else { return up ?? clean.count }
    var down = press
    while true {
      let deadline =
        rule.hold == nil ? start + rule.within : max(start + rule.after, clean[down].time)
      let event = [up, other].compactMap(\.self).filter { $0 > down }.min()
      guard let event, clean[event].time <= deadline else {
        if let hold = rule.hold {
          emit(hold, from: place(of: deadline), deadline, until: up)
        } else {
          single(rule, from: place(of: deadline), deadline, until: up)
        }
        return up ?? clean.count
      }
      guard event == up, let released = up else {
        single(rule, from: Double(event) - 0.5, clean[event].time, until: up)
        return up ?? event
      }
      let end = start + rule.within
      guard rule.double != nil, clean[released].time <= end else {
        tap(rule, at: Double(released), clean[released].time)
        return released
      }
      let again = next(after: released, isOwn: true, down: true)
      let second = [again, other].compactMap(\.self).filter { $0 > released }.min()
      guard let second, clean[second].time <= end else {
        tap(rule, at: place(of: end), end)
        return released
      }
      guard second == again else {
        tap(rule, at: Double(second) - 0.5, clean[second].time)
        return released
      }
      up = next(after: second, isOwn: true, down: false)
      if clean[second].time - clean[released].time < rule.shortestGap {
        down = second
        continue
      }
      emit(rule.double ?? rule.single, from: Double(second), clean[second].time, until: up)
      return up ?? clean.count
    }
  }

  private mutating func single(
    _ rule: Meanings, from place: Double, _ time: Microseconds, until up: Int?
  ) {
    if !rule.isEager { emit(rule.single, from: place, time, until: up) }
  }

  private mutating func tap(_ rule: Meanings, at place: Double, _ time: Microseconds) {
    guard !rule.isEager else { return }
    emitted.append((place, Edge(rule.single, down: true, at: time)))
    emitted.append((place, Edge(rule.single, down: false, at: time)))
  }

  private mutating func emit(
    _ key: KeyCode, from place: Double, _ time: Microseconds, until up: Int?
  ) {
    emitted.append((place, Edge(key, down: true, at: time)))
    if let up { emitted.append((Double(up), Edge(key, down: false, at: clean[up].time))) }
  }

  /// The next edge after a place, of its own key or of another.
  private func next(after place: Int, isOwn: Bool, down: Bool) -> Int? {
    clean.indices.first {
      $0 > place && (clean[$0].key == clean[place].key) == isOwn && clean[$0].isDown == down
    }
  }

  /// Where something that is due at a time stands: after all edges of that time.
  private func place(of time: Microseconds) -> Double {
    Double(clean.count { $0.time <= time }) - 0.25
  }
}
