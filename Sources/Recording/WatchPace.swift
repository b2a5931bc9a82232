import Debounce

/// When one who watches a device looks into the pipe: as soon as something comes while nobody types, and then from time to
/// time, whether something has come or not. Who sleeps at the pipe must be woken for each frame, and to wake somebody costs
/// the daemon as much as all the rest that it does for who watches.
public struct WatchPace: Sendable {
  /// Between looks, in microseconds: nobody sees that something is shown so much later.
  public static let interval: Microseconds = 50_000
  /// For how long nothing must have come before the pipe is waited for, in microseconds: longer than between the strokes of
  /// one who types.
  public static let rest: Microseconds = 1_000_000

  private var lastRead: Microseconds?
  private var lastLook: Microseconds = 0

  public init() {}

  /// Receives that the pipe has been read empty.
  ///
  /// - Parameter hasRead: Whether there was something in it.
  public mutating func looked(hasRead: Bool, at now: Microseconds) {
    lastLook = now
    if hasRead { lastRead = now }
  }

  /// When to look again; `nil` for when there is something.
  public var due: Microseconds? {
    guard let lastRead, lastLook - lastRead < Self.rest else { return nil }
    return lastLook + Self.interval
  }
}
