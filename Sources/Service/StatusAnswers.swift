import Debounce

/// The answers to those who ask for a status: one for each ``Audience``.
struct StatusAnswers {
  /// What an answer is an answer to.
  struct Version: Equatable {
    let moment: Instant
    /// How often something has changed that the answer shows.
    let changes: UInt64
  }

  private typealias Answer = SharedAnswer<BusCall, Version>
  private var everyone = Answer()
  private var group = Answer()
  private var root = Answer()

  /// When ``answer(_:at:version:make:)`` must be called for each audience at the latest. Stored, because the daemon asks
  /// for it in most turns.
  private(set) var deadline = Instant.never

  mutating func add(_ call: BusCall, from audience: Audience) {
    defer { findDeadline() }
    switch audience {
    case .everyone: everyone.add(call)
    case .group: group.add(call)
    case .root: root.add(call)
    }
  }

  /// Answers those who can be answered now; see ``SharedAnswer/take(at:version:make:)``.
  mutating func answer(
    _ audience: Audience, at now: Instant, version: Version, make: () -> String?
  ) {
    defer { findDeadline() }
    let taken =
      switch audience {
      case .everyone: everyone.take(at: now, version: version, make: make)
      case .group: group.take(at: now, version: version, make: make)
      case .root: root.take(at: now, version: version, make: make)
      }
    guard let (calls, answer) = taken else { return }
    for call in calls {
      if let answer {
        call.answer(answer)
      } else {
        call.refuse("org.freedesktop.DBus.Error.Failed", "the status cannot be written")
      }
    }
  }

  private mutating func findDeadline() {
    deadline = min(everyone.deadline, group.deadline, root.deadline)
  }
}
