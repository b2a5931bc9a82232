import Debounce
import Status

/// When `top` asks the daemon for its status: soon after something has happened, and otherwise hardly ever.
///
/// What is pressed is seen by watching the device that is shown, and that a device comes, goes or is paused, the daemon
/// announces. What nobody announces, as the counts of other devices, is shown within a minute.
public struct StatusSchedule: Sendable {
  /// Between two questions, at least. The daemon makes no answer sooner, and whoever asks would wait for it.
  static let shortestPause: Microseconds = 1_050_000
  /// Between two questions while nothing happens.
  static let longestPause: Microseconds = 60_000_000
  /// Until the daemon is asked again after it has not answered.
  static let retry: Microseconds = 5_000_000
  /// How long after a whole minute others than root ask, who are shown what was counted up to then.
  static let delay: Microseconds = 200_000

  private let isRoot: Bool
  private var asked: Microseconds?

  /// When the daemon is to be asked.
  public private(set) var due: Microseconds

  /// - Parameters:
  ///   - isRoot: Whether everything is shown as it is now.
  ///   - now: The present; the first question is due at once.
  public init(isRoot: Bool, at now: Microseconds) {
    self.isRoot = isRoot
    due = now
  }

  /// The daemon may have another answer than the last: ask as soon as it would give it.
  public mutating func somethingHappened() {
    due = min(due, asked.map { $0 + Self.shortestPause } ?? due)
  }

  /// A key of the device that is shown was pressed. Others than root would be shown nothing of it yet.
  public mutating func keyMoved() {
    if isRoot { somethingHappened() }
  }

  /// The daemon has answered.
  public mutating func receive(_ status: DaemonStatus, at now: Microseconds) {
    asked = now
    var pause = Self.longestPause
    if !isRoot { pause += Self.delay - now % Self.longestPause }
    for change in status.devices.compactMap(\.nextChange) { pause = min(pause, change) }
    due = now + max(pause, Self.shortestPause)
  }

  /// The daemon has not answered.
  public mutating func receiveNothing(at now: Microseconds) {
    asked = now
    due = now + Self.retry
  }
}

extension DeviceStatus {
  /// In how many microseconds the device will be in another state without anybody announcing that; `nil` if that is not to
  /// be expected.
  fileprivate var nextChange: Microseconds? {
    switch state {
    case .starting, .waiting, .lent, .leaving: 0
    case .busy: 5_000_000
    case .debounced: pause?.remaining.map { Microseconds($0 * 1_000_000) }
    }
  }
}
