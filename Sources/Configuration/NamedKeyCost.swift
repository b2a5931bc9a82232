import Debounce

/// The cost of a key that the settings name: it counts as bad from the start, for good, and a fast finger pays for that.
public struct NamedKeyCost: Equatable, Sendable {
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

  /// Sentences on what comes late, and on what is lost.
  public var sentences: [String] {
    let window = min(windows.suspect, rule.recent)
    let last = windows.suspectIsGiven == true ? 0 : rule.recent
    let late = last <= window ? "" : " (\(last.textInMilliseconds) if it bounced so late)"
    return [
      "a press within \(window.textInMilliseconds) ms of the key's last release\(late) comes up to "
        + "\(windows.confirm.textInMilliseconds) ms late, and is lost if it is held for less",
      "a release comes \(windows.dropout.textInMilliseconds) ms late, an early one \(windows.earlyDropout.textInMilliseconds), and that of a "
        + "very short stroke up to \(windows.settle.textInMilliseconds) ms after its press; a press that comes meanwhile is lost",
      "the end of a chain of such strokes, and another key's press behind it, come up to \(rule.longestWait.textInMilliseconds) ms late",
      "lost taps of a hundred, each held for half of the time: "
        + Self.tapRates.map { "\(lostTaps(perSecond: $0)) at \($0) a second" }
        .joined(separator: ", "),
    ]
  }

  private var rule: Adaptive {
    Adaptive(
      threshold: threshold, confirm: windows.confirm, dropout: windows.dropout,
      suspect: windows.suspectIsGiven == true ? windows.suspect : nil, isNamed: true)
  }

  /// The taps a second of players: fast, very fast, and with a finger that trembles on purpose.
  private static let tapRates = [8, 12, 16]

  /// How many of a hundred taps are lost, each held for this percentage of the time.
  ///
  /// An engine plays the taps. They are as even as a player's: intervals differ by up to 4 %, holds by up to 6. A finger that
  /// is less even loses fewer: each longer gap ends a chain of strokes that became one.
  func lostTaps(perSecond rate: Int, held share: Microseconds = 50) -> Int {
    let (bursts, taps, period) = (12, 300, Microseconds(1_000_000 / rate))
    var (lost, random): (Int, UInt64) = (0, 9)
    /// The time, or up to so many thousandths more or less. Every call begins with the same random number, so that the answer
    /// is always the same.
    func differing(_ time: Microseconds, by most: Microseconds) -> Microseconds {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return time + time * (Microseconds(random >> 33) % (2 * most + 1) - most) / 1000
    }
    for _ in 0..<bursts {
      var engine = Debouncer(Rules(strategy: .adaptive(rule)))
      var time: Microseconds = 0
      for _ in 0..<taps {
        let hold = differing(period * share / 100, by: 60)
        engine.process(Frame(time: time, [.key(2, down: true)]))
        engine.process(Frame(time: time + hold, [.key(2, down: false)]))
        engine.output.removeAll()
        time += differing(period, by: 40)
      }
      engine.advance(to: .max)
      lost += taps - Int(engine.counters.pressesOut)
    }
    return (lost * 100 + bursts * taps / 2) / (bursts * taps)
  }
}
