/// What the engine makes of parameters that nobody means: it calculates with them, and must be able to.
///
/// The configuration refuses them long before; whoever uses the library may give what they like.
extension Strategy {
  /// The strategy with every parameter at the nearest value that the engine can work with.
  var limited: Strategy {
    switch self {
    case .none: .none
    case .defer(let rule):
      .defer(Defer(press: rule.press.limited, release: rule.release.limited))
    case .eager(let rule):
      .eager(Eager(press: rule.press.limited, release: rule.release.limited))
    case .eagerDefer(let rule):
      .eagerDefer(EagerDefer(press: rule.press.limited, release: rule.release.limited))
    case .prompt(let rule): .prompt(Prompt(quiet: rule.quiet.limited))
    case .confirm(let rule): .confirm(rule.limited)
    case .adaptive(let rule):
      // Its initialiser knows the limits of the numbers.
      .adaptive(
        Adaptive(
          rule: rule.rule.limited, learn: rule.learn, within: rule.within,
          spurious: rule.spurious.limited))
    case .throttle(let rule):
      .throttle(Throttle(interval: rule.interval.limited, latest: rule.latest))
    }
  }
}

extension Confirm {
  fileprivate var limited: Confirm {
    Confirm(
      short: short.limited, settle: settle.limited, suspect: suspect.limited,
      confirm: confirm.limited, dropout: dropout.limited)
  }
}

extension Microseconds {
  /// A length of time that is not negative, and at most some decades.
  var limited: Microseconds { Swift.min(Swift.max(self, 0), 1 << 50) }
}
