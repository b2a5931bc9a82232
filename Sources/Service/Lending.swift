import Debounce
import Logging

/// A device that is lent for a while to a program that reads it itself: `monitor`, `record` or `calibrate`.
extension Pipeline {
  /// Lends the device: as soon as no key is down, so that nobody sees half a stroke.
  ///
  /// Lending what is lent moves the limit.
  ///
  /// - Parameter limit: When the loan ends at the latest.
  /// - Returns: Whether it can be lent: not when it is about to go.
  func lend(until limit: Microseconds, now: Microseconds) -> Bool {
    switch stage {
    case .running:
      stage = .lending(until: now + Stage.Pause.leaving, limit: limit)
      if isAtRest { handOver(until: limit, now: now) }
    case .lending(let until, _):
      stage = .lending(until: until, limit: limit)
    case .awaitingClone, .settling, .awaitingRelease, .busy, .lent:
      stage = .lent(until: limit)
    case .leaving, .closed:
      return false
    }
    return true
  }

  /// Takes the device back, and begins anew with it.
  func takeBack(now: Microseconds) {
    switch stage {
    case .lending: stage = .running
    case .lent: stage = .settling(until: now + Stage.Pause.settling)
    default: break
    }
  }

  /// Lets everything go at once, because the daemon is about to be stopped for a while.
  ///
  /// - Returns: Whether it is to be taken back afterwards, with ``takeBack(now:)``.
  func putAside(now: Microseconds) -> Bool {
    switch stage {
    case .running:
      stage = .lent(until: .max)
      release(at: now)
      return true
    case .lending(_, let limit):
      handOver(until: limit, now: now)
    case .leaving:
      letGo(now: now)
    case .awaitingClone, .settling, .awaitingRelease, .busy, .lent, .closed:
      break
    }
    return false
  }

  /// Whether the borrower can read the device now.
  var isLent: Bool {
    if case .lent = stage { true } else { false }
  }

  /// Whether the borrower must wait a little for it.
  var isToBeLent: Bool {
    if case .lending = stage { true } else { false }
  }

  /// Lets everything go, so that the borrower finds a device that nobody has grabbed.
  func handOver(until limit: Microseconds, now: Microseconds) {
    stage = .lent(until: limit)
    release(at: now)
    log.notice("\(title): lent to another program, and not debounced meanwhile")
  }
}
