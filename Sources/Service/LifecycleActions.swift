/// What passes between a ``Lifecycle`` and its owner.
extension Lifecycle {
  /// What the owner must do.
  enum Action: Equatable {
    /// Try to grab the source, and report the outcome with ``grabEnded(_:at:)``.
    ///
    /// `releasingKeys`: whether keys that are down are released first, for those who saw them pressed. Without, a key
    /// that is down prevents the grab.
    case grab(releasingKeys: Bool)
    /// Pass on what is kept, release the keys that the clone holds, and then ungrab the source.
    case releaseKeysAndUngrab
    /// Ungrab the source; the clone takes no more events. What is kept is lost, and how much that is worth a line in the
    /// log.
    case ungrab
    /// Log what has happened.
    case report(Report)
  }

  /// What is worth a line in the log.
  enum Report: Equatable {
    /// udev is busy, and has not announced the clone in time.
    case udevIsBusy
    /// udev has not announced the clone in time.
    case cloneNotAnnounced
    /// A key has been down for so long that the user may want to know.
    case awaitingKeys
    /// The configured time has passed: the device is grabbed although a key is down.
    case grabbingWithKeysDown
    case busy
    case forwarding
    case lent
    /// The loan has reached its limit.
    case loanEnded
    case unplugged
    case cannotBeGrabbed
    /// What was counted while the device was grabbed.
    case counts
  }

  /// What came of the action ``Action/grab(releasingKeys:)``.
  enum GrabOutcome {
    /// The source is grabbed, and the clone has its state.
    case grabbed
    /// It is not grabbed, because a key is down, or was a moment ago.
    case keyIsDown
    /// Another program has grabbed it.
    case busy
    case unplugged
    /// It failed for another reason, and the source is not grabbed.
    case failed
  }
}
