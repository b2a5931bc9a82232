import Debounce
import EventDevices
import Recording
import SystemPackage

/// Those who watch what the daemon does with a device: each frame that is read, what becomes of its edges, and each frame
/// that is passed on is written for them, once for all, as the text of a recording.
///
/// Written at the end of a turn, behind everything that matters to those who type. Once there is room, nothing is allocated.
struct Watchers: ~Copyable {
  /// How many there may be at a time.
  static let most = 4
  private var text = RecordingText(eventsSince: 0)
  private var notice = RecordingText(eventsSince: 0)
  private var pipes: [WatchPipe] = []
  /// The keys that are down, as the text says so far.
  private var held: KeySet
  /// The time of what was added last.
  private var time: Microseconds = 0
  /// Whether it has been written that the device went or was given back.
  private var isClosed = false

  init(held: KeySet) {
    self.held = held
    pipes.reserveCapacity(Self.most)
  }

  var isEmpty: Bool { pipes.isEmpty }

  /// Adds one, who is given the device's head, what was learned of it, and the keys that are down.
  ///
  /// - Returns: Whether there was room for it.
  mutating func add(
    _ pipe: WatchPipe, _ device: RecordedDevice, _ habits: LearnedHabits, at now: Microseconds
  ) -> Bool {
    pipes.removeAll { $0.isAbandoned }
    guard pipes.count < Self.most else { return false }
    // What has been is not for it.
    flush()
    var beginning = RecordingText(of: device, eventsSince: 0)
    beginning.append(habits)
    beginning.appendLoss(of: 0, held: held, at: max(now, time))
    if pipe.write(beginning.bytes) { pipes.append(pipe) }
    return true
  }

  /// Writes what has been added. Those who have gone are dropped.
  mutating func flush() {
    guard !text.bytes.isEmpty else { return }
    var index = pipes.count
    while index > 0 {
      index -= 1
      if !flush(to: pipes[index]) { pipes.remove(at: index) }
    }
    text.removeBytes()
  }

  /// - Returns: Whether anybody reads.
  private mutating func flush(to pipe: WatchPipe) -> Bool {
    guard pipe.write(text.bytes) else { return false }
    guard pipe.lost > 0 else { return true }
    notice.removeBytes()
    notice.appendLoss(of: pipe.lost, held: held, at: time)
    return pipe.write(notice: notice.bytes)
  }

  /// Writes what is left: the device is no longer the daemon's.
  mutating func finish(at now: Microseconds) {
    if !isClosed { appendClosing(at: max(now, time)) }
    flush()
  }
}

// MARK: - What is written

extension Watchers {
  mutating func append(raw frame: borrowing Frame) {
    text.append(raw: frame)
    time = frame.time
    guard frame.movesKeys else { return }
    for index in frame.events.indices {
      let event = frame.events[index]
      guard event.type == EventType.key else { continue }
      if event.value == 0 { held.remove(event.code) } else { held.insert(event.code) }
    }
  }

  mutating func append(resynchronisedTo held: KeySet, before: KeySet, others: borrowing Frame) {
    text.append(resynchronisedTo: held, before: before, others: others)
    (self.held, time) = (held, others.time)
  }

  mutating func append(clean events: UnsafeBufferPointer<Event>, at time: Microseconds) {
    text.append(clean: events, at: time)
  }

  mutating func appendReset(of key: KeyCode?, at time: Microseconds) {
    text.appendReset(of: key, at: time)
  }

  mutating func append(isPaused: Bool, at time: Microseconds) {
    text.append(isPaused: isPaused, at: time)
  }

  mutating func appendClosing(at time: Microseconds) {
    text.appendClosing(at: time)
    (held, self.time, isClosed) = (KeySet(), time, true)
  }

  mutating func append(_ outcomes: borrowing OutcomeLog) {
    text.append(outcomes)
  }
}
