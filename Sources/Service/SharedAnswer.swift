import Debounce

/// One answer for all who ask the same: made at most once a second, however often they ask.
///
/// Making it takes the daemon longer than a frame does. Who asks too early waits until the second is over, instead of
/// getting an answer that is no longer true.
struct SharedAnswer<Call, Version: Equatable> {
  /// Between two times that the answer is made.
  static var pause: Microseconds { 1_000_000 }

  enum Turn {
    /// To make the answer, for ``put(_:)``.
    case make
    case answer([Call], String?)
  }

  private var present: (text: String?, version: Version)?
  private var madeAt = Instant.longAgo
  /// The version of the answer that is being made.
  private var making: Version?
  private var waiting: [Call] = []

  /// When ``take(at:version:)`` must be called at the latest.
  var deadline: Instant { waiting.isEmpty || making != nil ? .never : madeAt + Self.pause }

  mutating func add(_ call: Call) {
    waiting.append(call)
  }

  /// What is to be done now, if anything.
  ///
  /// - Parameter version: Another one whenever the answer may be another one.
  mutating func take(at now: Instant, version: Version) -> Turn? {
    guard !waiting.isEmpty, making == nil else { return nil }
    if let present, present.version == version {
      defer { waiting.removeAll() }
      return .answer(waiting, present.text)
    }
    guard madeAt + Self.pause <= now else { return nil }
    (making, madeAt) = (version, now)
    return .make
  }

  /// Receives the answer that was made.
  ///
  /// - Returns: Those who wait for it.
  mutating func put(_ text: String?) -> [Call] {
    if let making { present = (text, making) }
    making = nil
    defer { waiting.removeAll() }
    return waiting
  }

  mutating func forgetCalls() {
    waiting = []
  }
}
