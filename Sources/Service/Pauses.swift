/// Which devices are paused, and until when: also those that come or are taken anew meanwhile.
struct Pauses<ID: Hashable> {
  private struct Pause {
    let end: Instant
    /// The session with which it also ends.
    let session: String?
  }

  /// That of all devices that no one has resumed since; `nil` if there is none.
  private var all: Pause?
  /// Those of single devices; `nil` for one that was resumed while all are paused.
  private var single: [ID: Pause?] = [:]

  /// Pauses all, or one.
  mutating func pause(_ device: ID?, until end: Instant, session: String? = nil) {
    let pause = Pause(end: end, session: session)
    guard let device else {
      (all, single) = (pause, [:])
      return
    }
    single.updateValue(pause, forKey: device)
  }

  /// Receives that a session has ended, and with it what was paused from there.
  mutating func sessionEnded(_ session: String) {
    if all?.session == session { all = nil }
    single = single.filter { _, pause in
      if let pause { pause.session != session } else { all != nil }
    }
  }

  /// Resumes all, or one.
  mutating func resume(_ device: ID?) {
    guard let device else {
      (all, single) = (nil, [:])
      return
    }
    if all == nil {
      single[device] = nil
    } else {
      single.updateValue(nil, forKey: device)
    }
  }

  /// Receives that a device is gone: what comes under its number is another one.
  mutating func forget(_ device: ID) { single[device] = nil }

  /// Until when a device is paused; `nil` if it is not.
  func end(of device: ID, at now: Instant) -> Instant? {
    let pause = single[device] ?? all
    return pause.flatMap { $0.end > now ? $0.end : nil }
  }
}
