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
      .defer, packaged: Defer.kind,
      .defer(Defer(press: 5.ms, release: 20.ms)), .defer(Defer(press: 12.ms, release: 0))),
    ExhaustiveCase(
      .eager, packaged: Eager.kind,
      .eager(Eager(press: 20.ms, release: 5.ms)), .eager(Eager(press: 0, release: 12.ms))),
    ExhaustiveCase(
      .eagerDefer, packaged: EagerDefer.kind,
      .eagerDefer(EagerDefer(press: 20.ms, release: 5.ms)),
      .eagerDefer(EagerDefer(press: 5.ms, release: 20.ms))),
    ExhaustiveCase(
      .prompt, packaged: Prompt.kind, .prompt(Prompt(quiet: 5.ms))),
    ExhaustiveCase(
      .confirm, packaged: Confirm.kind,
      .confirm(Confirm(short: 5.ms, settle: 9.ms, suspect: 12.ms, confirm: 7.ms, dropout: 20.ms))),
    ExhaustiveCase(
      .adaptive, packaged: Adaptive.kind,
      .adaptive(Adaptive(confirm: 12.ms, dropout: 37.ms, within: 2))),
    ExhaustiveCase(
      .throttle, packaged: Throttle.kind,
      .throttle(Throttle(interval: 5.ms))),
    ExhaustiveCase(
      .throttleLatest, Rules(strategy: .throttle(Throttle(interval: 25.ms, latest: true))),
      Rules(strategy: .throttle(Throttle(interval: 5.ms, latest: true)), flush: .all)),
    ExhaustiveCase(
      .bounceKeys, packaged: BounceKeys.kind,
      .bounceKeys(BounceKeys(delay: 20.ms))),
    ExhaustiveCase(
      .slowKeys, packaged: SlowKeys.kind, .slowKeys(SlowKeys(delay: 20.ms))),
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
