@testable import Debounce

/// A strategy, with the settings for which all short streams are looked at.
struct ExhaustiveCase: Sendable, CustomStringConvertible {
  var kind: Kind
  /// The packaged ones first.
  var settings: [Rules]

  var description: String { kind.rawValue }

  /// What is adopted at any one place: no strategy, the next setting, and a strategy of another kind.
  func others(than index: Int) -> [Rules] {
    [
      Rules(strategy: .none), settings[(index + 1) % settings.count],
      Rules(strategy: .prompt(Prompt(quiet: 7.ms)), flush: .all),
    ]
  }

  private init(_ kind: Kind, packaged: StrategyKind, _ strategies: Strategy...) {
    self.kind = kind
    settings =
      [Rules(strategy: packaged.packaged)] + strategies.map { Rules(strategy: $0, flush: .all) }
  }

  private init(_ kind: Kind, _ settings: Rules...) {
    self.kind = kind
    self.settings = settings
  }

  static let all: [ExhaustiveCase] = [
    ExhaustiveCase(.none, Rules(strategy: .none), Rules(strategy: .none, flush: .all)),
    ExhaustiveCase(
      .defer, packaged: .defer,
      .defer(Defer(press: 5.ms, release: 20.ms)), .defer(Defer(press: 12.ms, release: 0))),
    ExhaustiveCase(
      .eager, packaged: .eager,
      .eager(Eager(press: 20.ms, release: 5.ms)), .eager(Eager(press: 0, release: 12.ms))),
    ExhaustiveCase(
      .eagerDefer, packaged: .eagerDefer,
      .eagerDefer(EagerDefer(press: 20.ms, release: 5.ms)),
      .eagerDefer(EagerDefer(press: 5.ms, release: 20.ms))),
    ExhaustiveCase(.prompt, packaged: .prompt, .prompt(Prompt(quiet: 5.ms))),
    ExhaustiveCase(
      .adaptive, packaged: .adaptive,
      .adaptive(Adaptive(confirm: 12.ms, dropout: 37.ms, within: 2))),
    ExhaustiveCase(.throttle, packaged: .throttle, .throttle(Throttle(interval: 5.ms))),
    ExhaustiveCase(
      .throttleLatest, Rules(strategy: .throttle(Throttle(interval: 25.ms, latest: true))),
      Rules(strategy: .throttle(Throttle(interval: 5.ms, latest: true)), flush: .all)),
    ExhaustiveCase(.bounceKeys, packaged: .bounceKeys, .bounceKeys(BounceKeys(delay: 20.ms))),
    ExhaustiveCase(.slowKeys, packaged: .slowKeys, .slowKeys(SlowKeys(delay: 20.ms))),
    ExhaustiveCase(
      .group,
      Rules(
        strategy: .eagerDefer(EagerDefer(threshold: 12.ms)),
        groups: [Group(keys: [.a, .leftShift], lockout: 20.ms)]),
      Rules(
        strategy: .adaptive(Adaptive()), groups: [Group(keys: [.a, .leftShift], lockout: 50.ms)],
        flush: .all)),
  ]
}
