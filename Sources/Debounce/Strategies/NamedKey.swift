/// What it costs that the settings name a key: it is bad from the start, for good, and a finger that is fast pays for that.
public struct NamedKeyCost: Equatable, Sendable {
  /// The threshold that the key was named with.
  public let threshold: Microseconds
  public let windows: Adaptive.Windows

  /// The cost for the key of which this is the strategy; `nil` if it is not named.
  public init?(of strategy: Strategy) {
    guard case .adaptive(let rule) = strategy, rule.isNamed else { return nil }
    self.init(threshold: rule.threshold, windows: rule.ofBadKeys)
  }

  public init(threshold: Microseconds, windows: Adaptive.Windows) {
    (self.threshold, self.windows) = (threshold, windows)
  }

  /// What is late, and what is lost: a sentence each.
  public var sentences: [String] {
    [
      "a press within \(windows.suspect.inMilliseconds) ms of the key's last release comes up to "
        + "\(windows.confirm.inMilliseconds) ms late, and is lost if it is shorter",
      "a release comes \(windows.dropout.inMilliseconds) ms late, an early one \(windows.earlyDropout.inMilliseconds), and that of a "
        + "very short stroke up to \(windows.settle.inMilliseconds) ms after its press; a press that comes meanwhile is lost",
      "the end of a chain of such strokes, and another key's press behind it, come up to \(longestWait.inMilliseconds) ms late",
      "of a hundred taps, each held for half of the time, are lost: "
        + Self.tapRates.map { "\(lostTaps(perSecond: $0)) at \($0) a second" }
        .joined(separator: ", "),
    ]
  }

  /// How late anything is at most.
  private var longestWait: Microseconds {
    Adaptive(threshold: threshold, confirm: windows.confirm, dropout: windows.dropout).longestWait
  }

  /// What to write instead for a key of which fast taps are lost, such as a game's; `nil` if hardly any are.
  public var insteadForGames: String? {
    lostTaps(perSecond: Self.tapRates[1]) < 2
      ? nil
      : "for a key of games that is often too much; { strategy = \"eager-defer\", threshold = 25 } delays no press"
  }

  /// How fast players tap a key: fast, very fast, and with a finger that trembles on purpose.
  static let tapRates = [8, 12, 16]

  /// How many of a hundred taps are lost, which are held for half of the time.
  ///
  /// Found by playing them: intervals and holds differ by up to a tenth, as a finger's do.
  public func lostTaps(perSecond rate: Int) -> Int {
    let hasOwnSuspect = windows.suspect != Adaptive(threshold: threshold).ofBadKeys.suspect
    let rule = Adaptive(
      threshold: threshold, confirm: windows.confirm, dropout: windows.dropout,
      suspect: hasOwnSuspect ? windows.suspect : nil, isNamed: true)
    var engine = Debouncer(Rules(strategy: .adaptive(rule)))
    let period = Microseconds(1_000_000 / rate)
    var (time, spread): (Microseconds, Microseconds) = (0, 0)
    let taps = 300
    for _ in 0..<taps {
      // A walk through the spread that comes near every place in it.
      spread = (spread + 618) % 1000
      let interval = period * (9000 + 2 * spread) / 10_000
      let hold = interval * (4500 + (spread * 7919 % 1000)) / 10_000
      engine.process(Frame(time: time, [.key(2, down: true)]))
      engine.process(Frame(time: time + hold, [.key(2, down: false)]))
      engine.output.removeAll()
      time += interval
    }
    engine.advance(to: .max)
    return (taps - Int(engine.counters.pressesOut)) * 100 / taps
  }
}
