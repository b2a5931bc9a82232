import Debounce

@testable import Service

/// What can happen to a ``Lifecycle``: its methods as values.
enum Happening: Equatable {
  case cloneAnnounced
  case udevIsBusy
  case cloneOpened
  case cloneClosed
  case storeIsFull
  case timePassed
  case keysAreUp
  case keysAreUpForNow
  case sourceClosedByOther
  case grabEnded(Lifecycle.GrabOutcome)
  case leave
  case stay
  case letGo
  case unplugged
  case cloneFailed
  case cloneIsElsewhere
  case grabAfter(Microseconds?)
}

extension Lifecycle {
  mutating func receive(_ happening: Happening, at now: Instant) -> [Action] {
    switch happening {
    case .cloneAnnounced: cloneAnnounced(at: now)
    case .udevIsBusy: return udevIsBusy(at: now)
    case .cloneOpened: cloneOpened(at: now)
    case .cloneClosed: cloneClosed(at: now)
    case .storeIsFull: return storeIsFull(at: now)
    case .timePassed: return timePassed(to: now)
    case .sourceClosedByOther: sourceClosedByOther(at: now)
    case .keysAreUp: return keysAreUp(at: now)
    case .keysAreUpForNow: keysAreUpForNow(at: now)
    case .grabEnded(let outcome): return grabEnded(outcome, at: now)
    case .leave: return leave(at: now)
    case .stay: stay()
    case .letGo: return letGo(at: now)
    case .unplugged: return letGo(at: now, .unplugged)
    case .cloneFailed: return cloneFailed(at: now)
    case .cloneIsElsewhere: return cloneIsElsewhere(at: now)
    case .grabAfter(let pause): grabAfter = pause
    }
    return []
  }
}
