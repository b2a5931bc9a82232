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

  public var hold: Microseconds { release - press }
}

extension Microseconds {
  /// The nearest whole number of microseconds.
  init(milliseconds: Double) {
    self.init((milliseconds * 1000).rounded())
  }
}
