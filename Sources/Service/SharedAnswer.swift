import Debounce

/// One answer for all who ask the same: made at most once a second, however often they ask.
///
/// Making it takes the daemon longer than a frame does. Who asks too early waits until the second is over, instead of
/// getting an answer that is no longer true.
struct SharedAnswer<Call, Version: Equatable> {
  /// Between two times that the answer is made.
  static var pause: Microseconds { 1_000_000 }
  /// How many may wait. If there are more, all get the answer that there is.
  static var room: Int { 64 }

  private var present: (text: String?, version: Version)?
  private var madeAt = Instant.longAgo
  private var waiting: [Call] = []

  /// When ``take(at:version:make:)`` must be called at the latest.
  var deadline: Instant { waiting.isEmpty ? .never : madeAt + Self.pause }

  /// Adds a call that is to be answered.
  mutating func add(_ call: Call) {
    waiting.append(call)
  }

  /// Takes those who can be answered now.
  ///
  /// - Parameters:
  ///   - version: Another one whenever the answer may be another one.
  ///   - make: Makes the answer; `nil` if that fails.
  /// - Returns: The calls, and the answer to them.
  mutating func take(
    at now: Instant, version: Version, make: () -> String?
  ) -> (calls: [Call], answer: String?)? {
    guard !waiting.isEmpty else { return nil }
    if present?.version != version {
      if madeAt + Self.pause <= now {
        present = (make(), version)
        madeAt = now
      } else if waiting.count <= Self.room {
        return nil
      }
    }
    guard let present else { return nil }
    defer { waiting.removeAll() }
    return (waiting, present.text)
  }
}
