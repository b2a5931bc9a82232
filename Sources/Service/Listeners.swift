import Debounce
import EventDevices
import Recording

/// What is told of each frame of a device: a recording, and those who watch. There are none for most devices, and nothing
/// is done for them then.
struct Listeners: ~Copyable {
  var recorder: Recorder?
  var watchers: Watchers?
  private var outcomes = OutcomeLog()

  init(_ recorder: consuming Recorder? = nil, _ watchers: consuming Watchers? = nil) {
    self.recorder = recorder
    self.watchers = watchers
  }

  var isEmpty: Bool { recorder == nil && watchers == nil }

  /// Adds one who watches from now on.
  ///
  /// - Parameter held: The keys that are down.
  /// - Returns: Whether there was room for it.
  mutating func add(
    _ pipe: WatchPipe, _ device: RecordedDevice, _ habits: LearnedHabits, held: KeySet,
    at now: Microseconds
  ) -> Bool {
    if watchers == nil { watchers = Watchers(held: held) }
    return watchers?.add(pipe, device, habits, at: now) ?? false
  }

  /// Ends the watching. Those who watch read up to the end.
  mutating func endWatching(at now: Microseconds) {
    watchers?.finish(at: now)
    watchers = nil
  }

  /// Writes what has been added.
  ///
  /// - Throws: What keeps the recording from being written. It has ended then.
  mutating func flush() throws {
    watchers?.flush()
    if watchers?.isEmpty == true { watchers = nil }
    do {
      try recorder?.flush()
    } catch {
      recorder = nil
      throw error
    }
  }
}

// MARK: - What is told

extension Listeners {
  mutating func append(raw frame: borrowing Frame) {
    recorder?.append(raw: frame)
    watchers?.append(raw: frame)
  }

  /// Appends that events were lost (`SYN_DROPPED`), and which keys are down.
  mutating func append(resynchronisedTo held: KeySet, before: KeySet, others: borrowing Frame) {
    recorder?.append(resynchronisedTo: held, before: before, others: others)
    watchers?.append(resynchronisedTo: held, before: before, others: others)
  }

  mutating func append(clean events: UnsafeBufferPointer<Event>, at time: Microseconds) {
    recorder?.append(clean: events, at: time)
    watchers?.append(clean: events, at: time)
  }

  /// Appends that what was learned of a key was dropped, or of all.
  mutating func appendReset(of key: KeyCode?, at time: Microseconds) {
    recorder?.appendReset(of: key, at: time)
    watchers?.appendReset(of: key, at: time)
  }

  /// Appends that from now on everything passes as it is, or no longer.
  mutating func append(isPaused: Bool, at time: Microseconds) {
    recorder?.append(isPaused: isPaused, at: time)
    watchers?.append(isPaused: isPaused, at: time)
  }

  mutating func appendClosing(at time: Microseconds) {
    recorder?.appendClosing(at: time)
    watchers?.appendClosing(at: time)
  }
}

// MARK: - The engine, with somebody who listens

extension Listeners {
  @inline(never)
  mutating func process(
    _ frame: borrowing Frame, by engine: inout Debouncer, into output: inout FrameQueue
  ) {
    guard watchers != nil else { return engine.process(frame, into: &output) }
    engine.process(frame, into: &output, outcomes: &outcomes)
    appendOutcomes()
  }

  @inline(never)
  mutating func advance(
    _ engine: inout Debouncer, to time: Microseconds, into output: inout FrameQueue
  ) {
    guard watchers != nil else { return engine.advance(to: time, into: &output) }
    engine.advance(to: time, into: &output, outcomes: &outcomes)
    appendOutcomes()
  }

  mutating func resynchronise(
    _ engine: inout Debouncer, held: KeySet, others: borrowing Frame,
    into output: inout FrameQueue
  ) {
    engine.resynchronise(held: held, others: others, into: &output, outcomes: &outcomes)
    appendOutcomes()
  }

  mutating func close(
    _ engine: inout Debouncer, at time: Microseconds, into output: inout FrameQueue
  ) {
    engine.close(at: time, into: &output, outcomes: &outcomes)
    appendOutcomes()
  }

  private mutating func appendOutcomes() {
    watchers?.append(outcomes)
    outcomes.removeAll()
  }
}
