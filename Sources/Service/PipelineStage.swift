import Debounce
import Status

extension Pipeline {
  /// How far a device has come.
  enum Stage: Equatable {
    /// The clone exists; programs cannot open it before udev has dealt with it.
    case awaitingClone(until: Microseconds)
    /// Programs have heard of the clone and open it.
    case settling(until: Microseconds)
    /// Everything is ready for the grab, but a key is down. From `grabAt` on the device is grabbed all the same.
    case awaitingRelease(since: Microseconds, said: Bool, grabAt: Microseconds)
    /// Another program has grabbed the device. Since `keyDownSince`, a key was down at every try: at such a try, it cannot
    /// be said whether the program still has it.
    case busy(retryAt: Microseconds, pause: Microseconds, keyDownSince: Microseconds?)
    /// Grabbed: frames pass through the engine.
    case running
    /// To be lent as soon as no key is down, and then at the latest; the loan ends at `limit`.
    case lending(until: Microseconds, limit: Microseconds)
    /// Lent to another program until then. The device works as if there were no daemon.
    case lent(until: Microseconds)
    /// To be given back as soon as no key is down, and then at the latest.
    case leaving(until: Microseconds)
    /// Given back or gone. The clone stays until then, so that its readers get their last events.
    case closed(until: Microseconds)
  }
}

extension Pipeline.Stage {
  /// How long the pauses are. None of them delays a key: the real device works meanwhile.
  enum Pause {
    /// For udev, which may not be running.
    static let clone: Microseconds = 2_000_000
    /// For programs to open the clone once udev has told them.
    static let settling: Microseconds = 100_000
    /// Until it is said that a key is still down.
    static let notice: Microseconds = 5_000_000
    /// Between tries to grab what another program holds: the first, and the longest.
    static let busy: ClosedRange<Microseconds> = 200_000...5_000_000
    /// For keys that are still down when the device is to be given back or lent.
    static let leaving: Microseconds = 250_000
    /// For readers of the clone: what they have not read when it goes is lost.
    static let closing: Microseconds = 50_000
  }

  /// When something is to be done if nothing happens before; `.max` for never.
  var deadline: Microseconds {
    switch self {
    case .awaitingClone(let until), .settling(let until), .lending(let until, _), .lent(let until),
      .leaving(let until), .closed(let until):
      until
    case .awaitingRelease(let since, let said, let grabAt):
      min(said ? .max : since + Pause.notice, grabAt)
    case .busy(let retryAt, _, _): retryAt
    case .running: .max
    }
  }

  /// The stage as `status` tells it; `nil` for a device that is done with.
  var state: DeviceStatus.State? {
    switch self {
    case .awaitingClone, .settling: .starting
    case .awaitingRelease: .waiting
    case .busy: .busy
    case .running, .lending: .debounced
    case .lent: .lent
    case .leaving: .leaving
    case .closed: nil
    }
  }
}
