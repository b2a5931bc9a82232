import Debounce

@testable import Service

/// A lifecycle with one mistake. Each is found by one check of ``LifecycleGraph``, and so shows that it checks.
enum LifecycleMutant: String, CaseIterable {
  case ignoresFailureOfClone
  case forwardsWithoutGrab
  case keepsForEver
  case closesWithGrabHeld
  case ignoresLetGo
  case forgetsToLeave
  case leavesLater
  case ungrabsWithoutReleases
  case releasesKeysUnasked
  case releasesKeysEarly
  case grabsWhatIsClosed
  case destroysCloneAtOnce
  case triesAllTheTime
  case reportsEachTry
  case reportsAnew
  case neverSleeps
  case ignoresLateWakeUps
  case forgetsToTryAgain
  case missesLastKey

  /// What ``LifecycleGraph`` finds wrong.
  var fault: String {
    switch self {
    case .ignoresFailureOfClone, .ignoresLetGo: "is not free at once"
    case .forwardsWithoutGrab, .closesWithGrabHeld: "grabbed is not what it says"
    case .keepsForEver, .forgetsToLeave, .forgetsToTryAgain: "its deadline is too late"
    case .leavesLater: "leaves later than it was asked to"
    case .ungrabsWithoutReleases: "a key is stuck"
    case .releasesKeysUnasked, .releasesKeysEarly: "releases keys unasked"
    case .grabsWhatIsClosed: "what is closed asks for something"
    case .destroysCloneAtOnce: "the clone does not outlive its last events"
    case .triesAllTheTime: "tries all the time"
    case .reportsEachTry, .reportsAnew: "does not report once what is busy"
    case .neverSleeps, .ignoresLateWakeUps: "goes on waking up"
    case .missesLastKey: "does not debounce again within 10 s"
    }
  }
}

/// What the graph is made of: the lifecycle, or a mutant of it.
struct LifecycleSubject: Hashable {
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
    case (.ignoresLateWakeUps, .timePassed, _) where lifecycle.deadline < now: return []
    case (.leavesLater, .leave, .leaving):
      lifecycle.state = .leaving(until: now + Lifecycle.Pause.leaving)
      return []
    case (.reportsAnew, .grabEnded(.keyIsDown), .busy):
      lifecycle.state = .awaitingKeys(since: now, isReported: false)
      return []
    default: break
    }
    let actions = lifecycle.receive(happening, at: now)
    switch (mutant, happening, before) {
    case (.forwardsWithoutGrab, .leave, .forwarding): return [.ungrab]
    case (.closesWithGrabHeld, .unplugged, _), (.closesWithGrabHeld, .keysAreUp, .leaving):
      return actions.filter { $0 != .releaseKeysAndUngrab }
    case (.ungrabsWithoutReleases, _, _):
      return actions.map { $0 == .releaseKeysAndUngrab ? .ungrab : $0 }
    case (.releasesKeysUnasked, _, _),
      (.releasesKeysEarly, .keysAreUp, .awaitingKeys) where lifecycle.grabAfter != nil:
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
