/// Which devices are paused, and until when: also those that come or are taken anew meanwhile.
struct Pauses<ID: Hashable> {
  /// Until when all are that no one has resumed since; `nil` if they are not.
  private var all: Instant?
  /// Of single devices: until when each is paused, or `nil` if it was resumed while all are paused.
  private var single: [ID: Instant?] = [:]

  /// Pauses all, or one.
  mutating func pause(_ device: ID?, until end: Instant) {
    guard let device else {
      (all, single) = (end, [:])
      return
    }
    single.updateValue(end, forKey: device)
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
    let end = single[device] ?? all
    return end.flatMap { $0 > now ? $0 : nil }
  }
}
