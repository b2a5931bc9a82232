/// The strategies, an entry each: their names, their parameters, and the limits and meaning of these.
///
/// To add a strategy, write its rule in a file of its own in this folder, add a case to ``Strategy`` that has it decide,
/// and add an entry here, to ``all`` too. Nothing else lists strategies or their parameters.
enum StrategyTable {
  /// All strategies, in the order in which messages list them.
  static let all = [
    StrategyKind(none), StrategyKind(`defer`), StrategyKind(eager), StrategyKind(eagerDefer),
    StrategyKind(prompt), StrategyKind(confirm), StrategyKind(adaptive), StrategyKind(throttle),
    StrategyKind(bounceKeys), StrategyKind(slowKeys),
  ]

  private static let standard = Strategy.packagedThreshold

  // What desktops offer for their settings of the same names.
  private static let handStandard: Microseconds = 300_000
  private static let handTimes: ClosedRange<Microseconds> = 0...2_000_000
  private static let handReason = "the key would seem dead"

  static let none = StrategyEntry(
    "none", packaged: (), { _ in Strategy.none },
    { if case .none = $0 { () } else { nil } },
    summary: "Everything passes.",
    parameters: [])

  static let `defer` = StrategyEntry(
    "defer", packaged: Defer(press: standard, release: standard), Strategy.defer,
    { if case .defer(let rule) = $0 { rule } else { nil } },
    summary: "Presses and releases pass once they have lasted. Against noise on long wires.",
    parameters: [
      .time(
        "press", \.press, .threshold, "How long a press must last.",
        long: LongTime { "every press comes \($0) ms late, and quicker strokes are lost" }),
      .time(
        "release", \.release, .threshold, "How long a release must last.",
        long: LongTime { "every release comes \($0) ms late, and \(loss(within: $0))" }),
    ],
    longThreshold: LongTime {
      "every press and release comes \($0) ms late, and quicker strokes are lost"
    }
  ) {
    .init(window: $0.release, longestWait: ($0.press, $0.release))
  }

  static let eager = StrategyEntry(
    "eager", packaged: Eager(press: standard, release: standard), Strategy.eager,
    { if case .eager(let rule) = $0 { rule } else { nil } },
    summary: "Presses and releases pass at once, and then the key does nothing for a while.",
    parameters: [
      .time(
        "press", \.press, .threshold, "For how long after a press.",
        long: LongTime { "a key that is let go within \($0) ms seems to be held that long" }),
      .time("release", \.release, .threshold, "For how long after a release.", long: lateOrLost),
    ], longThreshold: lateOrLost
  ) {
    .init(window: $0.release, longestWait: ($0.release, $0.press))
  }

  static let eagerDefer = StrategyEntry(
    "eager-defer", packaged: EagerDefer(press: standard, release: standard), Strategy.eagerDefer,
    { if case .eagerDefer(let rule) = $0 { rule } else { nil } },
    summary: "Presses pass at once, releases once they have lasted.",
    parameters: [
      .time(
        "press", \.press, .threshold, "For how long after a press no release passes.",
        long: LongTime {
          "a key that is let go within \($0) ms seems to be held that long, and \(loss(within: $0))"
        }),
      .time("release", \.release, .threshold, "How long a release must last.", long: lateRelease),
    ], longThreshold: lateRelease
  ) {
    .init(window: $0.release, longestWait: (0, max($0.press, $0.release)))
  }

  static let prompt = StrategyEntry(
    "prompt", packaged: Prompt(quiet: standard), Strategy.prompt,
    { if case .prompt(let rule) = $0 { rule } else { nil } },
    summary: "Presses and releases pass at once if the key was quiet before, otherwise once it is.",
    parameters: [
      .time("quiet", \.quiet, .threshold, "How long the key must be quiet.", long: restless)
    ], longThreshold: restless
  ) {
    .init(window: $0.quiet, longestWait: ($0.quiet, $0.quiet))
  }

  static let confirm = StrategyEntry(
    "confirm", packaged: Confirm(), Strategy.confirm,
    { if case .confirm(let rule) = $0 { rule } else { nil } },
    summary: "Holds back only what may be chatter.",
    parameters: confirmParameters(long: lateRelease), longThreshold: lateRelease
  ) { $0.properties }

  static let adaptive = Adaptive.facts

  static let throttle = StrategyEntry(
    "throttle", packaged: Throttle(interval: standard), Strategy.throttle,
    { if case .throttle(let rule) = $0 { rule } else { nil } },
    summary: "One stroke passes in each interval; others vanish whole.",
    parameters: [
      .time(
        "interval", \.interval, .threshold,
        "The length of the interval, which begins with a press.",
        tooLong: "the key would seem dead"),
      .flag(
        "latest", \.latest,
        "`true`: the last stroke that would have vanished is delivered when the interval ends, and "
          + "no sooner than another key's press that came before it and still waits."),
    ]
  ) { rule in
    let wait = rule.latest ? rule.interval : 0
    return .init(longestWait: (wait, wait), takesStrokes: !rule.latest)
  }

  static let bounceKeys = StrategyEntry(
    "bounce-keys", packaged: BounceKeys(delay: handStandard), Strategy.bounceKeys,
    { if case .bounceKeys(let rule) = $0 { rule } else { nil } },
    summary: """
      A stroke that begins too soon after the key was let go vanishes whole. For fingers that tremble.
      """,
    parameters: [
      .time(
        "delay", \.delay, .threshold,
        "How long a key must have been up before a press of it counts.",
        in: handTimes, tooLong: handReason)
    ]
  ) { _ in .init(takesStrokes: true, isForHands: true) }

  static let slowKeys = StrategyEntry(
    "slow-keys", packaged: SlowKeys(delay: handStandard), Strategy.slowKeys,
    { if case .slowKeys(let rule) = $0 { rule } else { nil } },
    summary: "A press counts once it has lasted. For hands that touch keys which they do not mean.",
    parameters: [
      .time(
        "delay", \.delay, .threshold, "How long a press must last to count.", in: handTimes,
        tooLong: handReason)
    ]
  ) { .init(longestWait: ($0.delay, 0), isForHands: true) }
}

// MARK: - What several of them have

extension StrategyTable {
  /// The parameters of ``Confirm``, for strategies that go by it.
  ///
  /// - Parameter long: What a long `dropout` does.
  private static func confirmParameters(long: LongTime) -> [RuleParameter<Confirm>] {
    [
      .time(
        "short", \.short, nil, "A stroke shorter than this may be a bounce.",
        long: LongTime { _ in
          "more strokes than bounces are that short, and their releases come late"
        }),
      // Packaged it is 55 ms: only releases wait for it that come sooner than hardly a finger lets go.
      .time(
        "settle", \.settle, ThresholdFormula(plus: 30_000, atLeast: 55_000),
        "How long the release of such a stroke waits for the press that would show it.",
        long: LongTime(above: 85_000) {
          "a short stroke's release comes \($0) ms late, and \(loss(within: $0))"
        }),
      .time(
        "suspect", \.suspect, ThresholdFormula(times: 2, atLeast: 50_000),
        "A press that comes sooner than this after a release may be a bounce.",
        long: LongTime { _ in "fast double presses of healthy keys come late" }),
      .time(
        "confirm", \.confirm, nil, "How long such a press must last to be passed on.",
        long: LongTime {
          "a fast double press comes \($0) ms late, and is lost if it is shorter"
        }),
      .time(
        "dropout", \.dropout, .threshold,
        """
        How long all other releases wait, so that a key that loses contact while it is held stays down; \
        0 for not at all.
        """,
        long: long),
    ]
  }

  private static func loss(within time: String) -> String {
    "a key that is pressed again within \(time) ms loses that press"
  }

  private static let lateRelease = LongTime {
    "every release comes \($0) ms late, and \(loss(within: $0))"
  }
  private static let lateOrLost = LongTime { "\(loss(within: $0)), or gets it late" }
  private static let restless = LongTime {
    "a key that moves again within \($0) ms types late, or loses that press"
  }
}

extension Confirm {
  fileprivate var properties: StrategyKind.Properties {
    .init(
      window: dropout > 0 ? dropout : confirm, longestWait: (confirm, max(settle, dropout)))
  }
}
