import Debounce

/// What a finger does: it presses a key and lets it go. Times in microseconds.
public struct Stroke: Equatable, Sendable {
  public var key: KeyCode
  public var press: Microseconds
  public var release: Microseconds

  public init(key: KeyCode, press: Microseconds, release: Microseconds) {
    self.key = key
    self.press = press
    self.release = release
  }

  /// A stroke with its times in milliseconds.
  init(key: KeyCode, at press: Double, hold: Double) {
    self.init(
      key: key, press: Microseconds(milliseconds: press),
      release: Microseconds(milliseconds: press + hold))
  }

  public var hold: Microseconds { release - press }

  /// The same stroke, so much later.
  public func moved(by delay: Microseconds) -> Stroke {
    Stroke(key: key, press: press + delay, release: release + delay)
  }
}

extension Microseconds {
  /// The nearest whole number of microseconds.
  init(milliseconds: Double) {
    self.init((milliseconds * 1000).rounded())
  }
}
