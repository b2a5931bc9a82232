import Debounce

/// How frames of a grabbed source are kept until there is somebody to pass them on to.
extension Source {
  /// What a call of ``keep()`` found.
  public enum Keeping: Sendable {
    /// All that was there is kept.
    case all
    /// There is no room for more.
    case full
    /// The device is gone.
    case gone
  }

  /// Whether frames are kept: ``read()`` returns those first.
  public var keeps: Bool { store != nil }

  /// Makes room for frames to be kept.
  mutating func beginToKeep() {
    store = FrameStore()
  }

  /// Keeps what the device has sent.
  public mutating func keep() -> Keeping {
    while store?.isFull == false {
      switch readFromDevice() {
      case .frame: store?.append(frame)
      case .resynchronised(let held): store?.append(frame, held: held)
      case .nothing: return .all
      case .gone: return .gone
      }
    }
    return .full
  }

  /// Drops what is kept, and what the device has sent since.
  ///
  /// - Returns: How many presses that were.
  public mutating func dropKept() -> Int {
    guard store != nil else { return 0 }
    _ = keep()
    defer { store = nil }
    return store?.presses ?? 0
  }

  /// Takes the first of the frames that are kept; `nil` if there are none any more, and nothing is kept from now on.
  mutating func readKept() -> Reading? {
    guard store?.isEmpty == false else {
      store = nil
      return nil
    }
    let held = store?.takeFirst(into: &frame)
    frameIsComplete = true
    return if let held = held ?? nil { .resynchronised(held) } else { .frame }
  }
}
