import Debounce

/// When the daemon reports to its service manager that it is ready: as soon as every device that was there at the start
/// is held, or cannot be for now.
///
/// Whatever is ordered after the service then finds clones, and devices that are taken: a remapper that starts first
/// would take the keyboards instead. The value does nothing itself; its owner calls
/// ``isReady(udevIsBusy:devicesAreSettled:at:)`` at ``deadline``.
struct Readiness {
  /// How long the service manager may be kept waiting in all: what starts later must not wait for a device that fails.
  static let limit: Microseconds = 2_000_000
  /// Pause between looks at udev's queue. The queue must be empty twice, because what udev announced last is received in between.
  static let pause: Microseconds = 20_000

  private(set) var isReported = false
  /// When ``isReady(udevIsBusy:devicesAreSettled:at:)`` must be called at the latest.
  private(set) var deadline: Instant
  private let end: Instant
  private var wasIdle = false

  init(at now: Instant) {
    end = now + Self.limit
    deadline = now
  }

  /// Receives how things stand, and returns whether it is to be reported now: once.
  ///
  /// - Parameters:
  ///   - udevIsBusy: Whether udev has devices that it has not processed.
  ///   - devicesAreSettled: Whether no device is on its way to being grabbed; one that waits for a key to come up, or
  ///     for another program, is settled.
  mutating func isReady(
    udevIsBusy: @autoclosure () -> Bool, devicesAreSettled: @autoclosure () -> Bool, at now: Instant
  ) -> Bool {
    guard !isReported, deadline <= now else { return false }
    let isIdle = devicesAreSettled() && !udevIsBusy()
    if isIdle && wasIdle || now >= end {
      isReported = true
      deadline = .never
      return true
    }
    wasIdle = isIdle
    deadline = min(now + Self.pause, end)
    return false
  }
}
