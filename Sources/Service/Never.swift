import Debounce

extension Microseconds {
  /// As a point in time: never. The deadline of what does not wait for a time.
  static var never: Microseconds { .max }
}
