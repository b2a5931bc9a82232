import Debounce
import EventDevices
import Recording

/// Who listens to the path: a recording, and those who watch.
extension EventPath {
  var hasListeners: Bool { listeners != nil }

  /// Writes for them what has happened since this was last called.
  ///
  /// - Throws: What keeps the recording from being written. It has ended then.
  mutating func flushListeners() throws {
    defer { if listeners?.isEmpty == true { listeners = nil } }
    try listeners?.flush()
  }

  /// Adds one who watches from now on.
  ///
  /// - Returns: Whether there was room for it.
  mutating func add(_ pipe: WatchPipe, at now: Instant) -> Bool {
    if listeners == nil { listeners = Listeners() }
    return listeners?.add(
      pipe, RecordedDevice(source.identity, source.capabilities), engine.habits,
      held: engine.rawHeld, at: max(now.microseconds, advanced.microseconds, source.frame.time))
      ?? false
  }

  /// Ends the watching: the device is no longer the daemon's. Those who watch read up to the end.
  mutating func endWatching(at now: Instant) {
    listeners?.endWatching(at: now.microseconds)
  }
}
