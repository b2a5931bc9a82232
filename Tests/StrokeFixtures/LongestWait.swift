import Debounce

extension Rules {
  /// How late a press, or a release, of the key is passed on at most, without its `Meanings`: properties and the fuzzer hold
  /// the engine to that.
  ///
  /// Its own strategy delays it. It may also have to come after another key that `Adaptive` delays: this holds for every
  /// press, and for releases of keys with `Adaptive`. A press that was withdrawn and proves meant counts from when it came;
  /// its own contact, a short one, adds to that.
  public func longestWait(of key: KeyCode, isPress: Bool) -> Microseconds {
    let own = strategy(of: key).limited
    let wait = isPress ? own.longestWaits.press : own.longestWaits.release
    let adaptive = own.rule as? Adaptive
    guard isPress || adaptive != nil else { return wait }
    let others = ([strategy] + keys.values).compactMap {
      ($0.limited.rule as? Adaptive)?.longestWait
    }
    return max(wait, others.max() ?? 0) + (isPress ? adaptive?.shortContact ?? 0 : 0)
  }

  /// Whether strokes of the key may vanish whole, however long they last.
  public func suppressesStrokes(of key: KeyCode) -> Bool {
    if groups.contains(where: { $0.keys.contains(key) }) { return true }
    return switch strategy(of: key) {
    case .throttle(let rule): !rule.latest
    case .bounceKeys: true
    default: false
    }
  }
}

extension Strategy {
  /// How late a press, and a release, is passed on at most for the key's own sake.
  fileprivate var longestWaits: (press: Microseconds, release: Microseconds) {
    switch self {
    case .none, .bounceKeys: (0, 0)
    case .defer(let rule): (rule.press, rule.release)
    case .eager(let rule): (rule.release, rule.press)
    case .eagerDefer(let rule): (0, max(rule.press, rule.release))
    case .prompt(let rule): (rule.quiet, rule.quiet)
    case .adaptive(let rule): (rule.longestWait, rule.longestWait)
    case .throttle(let rule): rule.latest ? (rule.interval, rule.interval) : (0, 0)
    case .slowKeys(let rule): (rule.delay, 0)
    }
  }
}
