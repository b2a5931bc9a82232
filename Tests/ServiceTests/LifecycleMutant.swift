import Debounce

@testable import Service

/// A lifecycle with one mistake. Each breaks an invariant, and so shows that the invariant is checked.
enum LifecycleMutant: String, CaseIterable {
  case ignoresFailureOfClone
  case forwardsWithoutGrab
  case keepsForEver
  case closesWithGrabHeld
  case ignoresLetGo
  case forgetsToLeave
  case ungrabsWithoutReleases
  case releasesKeysUnasked
  case grabsWhatIsClosed
  case destroysCloneAtOnce
  case triesAllTheTime
  case reportsEachTry
  case neverSleeps
  case forgetsToTryAgain
  case missesLastKey

  var violates: Invariant {
    switch self {
    case .ignoresFailureOfClone, .forwardsWithoutGrab, .keepsForEver: .grabNeedsClone
    case .closesWithGrabHeld: .closedIsFree
    case .ignoresLetGo: .freeAtOnce
    case .forgetsToLeave: .freeInTime
    case .ungrabsWithoutReleases: .nothingStuck
    case .releasesKeysUnasked: .wholeStrokes
    case .grabsWhatIsClosed: .closedIsFinal
    case .destroysCloneAtOnce: .lastEventsRead
    case .triesAllTheTime: .politeTries
    case .reportsEachTry: .reportedOnce
    case .neverSleeps: .sleeps
    case .forgetsToTryAgain, .missesLastKey: .debouncesAgain
    }
  }
}

/// What the walk is made around: the lifecycle, or a mutant of it.
struct LifecycleSubject {
  var lifecycle: Lifecycle
  private let mutant: LifecycleMutant?

  init(_ lifecycle: Lifecycle, _ mutant: LifecycleMutant?) {
    self.lifecycle = lifecycle
    self.mutant = mutant
  }

  mutating func receive(_ happening: Happening, at now: Instant) -> [Lifecycle.Action] {
    let before = lifecycle.state
    switch (mutant, happening, before) {
    case (.ignoresFailureOfClone, .cloneFailed, _), (.ignoresLetGo, .letGo, .forwarding),
      (.forgetsToLeave, .timePassed, .leaving), (.forgetsToTryAgain, .timePassed, .busy),
      (.missesLastKey, .keysAreUp, .awaitingKeys), (.keepsForEver, .timePassed, .keeping):
      return []
    case (.triesAllTheTime, .timePassed, .busy(let retryAt, _, _)):
      return lifecycle.receive(happening, at: max(retryAt, now))
    default: break
    }
    let actions = lifecycle.receive(happening, at: now)
    switch (mutant, happening, before) {
    case (.forwardsWithoutGrab, .leave, .forwarding): return [.ungrab]
    case (.closesWithGrabHeld, .unplugged, _), (.closesWithGrabHeld, .keysAreUp, .leaving):
      return actions.filter { $0 != .releaseKeysAndUngrab }
    case (.ungrabsWithoutReleases, _, _):
      return actions.map { $0 == .releaseKeysAndUngrab ? .ungrab : $0 }
    case (.releasesKeysUnasked, _, _):
      return actions.map { $0 == .grab(releasingKeys: false) ? .grab(releasingKeys: true) : $0 }
    case (.grabsWhatIsClosed, .timePassed, .closed):
      return [.grab(releasingKeys: false)]
    case (.reportsEachTry, .grabEnded(.busy), .busy): return actions + [.report(.busy)]
    default: return actions
    }
  }

  var deadline: Instant {
    switch (mutant, lifecycle.state) {
    case (.forgetsToLeave, .leaving), (.forgetsToTryAgain, .busy), (.keepsForEver, .keeping): .never
    case (.neverSleeps, .busy): .longAgo
    default: lifecycle.deadline
    }
  }

  func hasEnded(at now: Instant) -> Bool {
    mutant == .destroysCloneAtOnce ? lifecycle.isClosed : lifecycle.hasEnded(at: now)
  }
}
