import CEvdev
import Debounce

/// Whole frames as the kernel has them, each with its `SYN_REPORT`. Their events are lent by whoever read them.
public struct KernelFrames {
  let events: UnsafeBufferPointer<input_event>
  /// The times of the first and the last frame. In between, time does not run backwards.
  public let times: (first: Microseconds, last: Microseconds)
}
