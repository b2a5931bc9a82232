import Debounce
import EventDevices
import Files
import Glibc
import Recording
import SystemPackage

/// Those who are told of each frame of a device: a recording, and clients who watch. Most devices have none, and cost nothing
/// for it.
///
/// Clients who watch get the text of a recording with what became of each edge. It is made once for all of them, and written at
/// the end of a turn, behind everything that matters to those who type. Once there is room, nothing is allocated.
struct Listeners: ~Copyable {
  /// How many may watch at a time.
  static let mostWatchers = 4

  private var recorder: Recorder?
  private var watchers: [WatchSocket] = []
  private var text = RecordingText(eventsSince: 0)
  private var notice = RecordingText(eventsSince: 0)

  init(_ recorder: consuming Recorder? = nil) {
    self.recorder = recorder
    watchers.reserveCapacity(Self.mostWatchers)
  }

  var isEmpty: Bool { recorder == nil && watchers.isEmpty }

  /// Adds one who watches from now on, who is given an answer to its call, the device's head, what was learned of it, and the
  /// keys that are down.
  ///
  /// - Parameter socket: The client's connection. It is the daemon's from now on if there is room for one more, else nothing is
  ///   written to it.
  /// - Returns: Whether there was room.
  mutating func add(
    _ socket: FileDescriptor, _ device: RecordedDevice, _ habits: LearnedHabits, held: KeySet,
    at now: Microseconds
  ) -> Bool {
    watchers.removeAll { $0.isAbandoned }
    guard watchers.count < Self.mostWatchers else { return false }
    // The new watcher gets nothing that happened before.
    flushWatched(held: held, at: now)
    let watcher = WatchSocket(socket)
    var beginning = RecordingText(of: device, eventsSince: 0)
    beginning.append(habits)
    beginning.appendLoss(of: 0, held: held, at: now)
    if watcher.write(notice: VarlinkService.done), watcher.write(beginning.bytes) {
      watchers.append(watcher)
    }
    return true
  }

  /// Ends the watching: the device is no longer the daemon's. Those who watch read up to the end.
  mutating func endWatching(at now: Microseconds) {
    flushWatched(held: KeySet(), at: now)
    for watcher in watchers {
      notice.removeBytes()
      // No line goes out behind lost ones before the reader is told of those.
      if watcher.lost > 0 { notice.appendLoss(of: watcher.lost, held: KeySet(), at: now) }
      notice.appendClosing(at: now)
      _ = watcher.write(notice: notice.bytes)
    }
    watchers = []
  }

  /// Writes what has been added, and drops those who have gone. Those who lost lines are told so, and the keys that are down then.
  ///
  /// - Throws: What keeps the recording from being written. It has ended then.
  mutating func flush(held: KeySet, at time: Microseconds) throws {
    flushWatched(held: held, at: time)
    do {
      try recorder?.flush()
    } catch {
      recorder = nil
      throw error
    }
  }

  private mutating func flushWatched(held: KeySet, at time: Microseconds) {
    guard !text.bytes.isEmpty else { return }
    var index = watchers.count
    while index > 0 {
      index -= 1
      if !flush(to: watchers[index], held: held, at: time) { watchers.remove(at: index) }
    }
    text.removeBytes()
  }

  /// - Returns: Whether anybody reads.
  private mutating func flush(to watcher: WatchSocket, held: KeySet, at time: Microseconds) -> Bool
  {
    guard watcher.write(text.bytes) else { return false }
    guard watcher.lost > 0 else { return true }
    notice.removeBytes()
    notice.appendLoss(of: watcher.lost, held: held, at: time)
    return watcher.write(notice: notice.bytes)
  }
}

// MARK: - What is told

extension Listeners {
  /// Adds a line for the recording and for those who watch.
  mutating func tell(_ line: (inout RecordingText) -> Void) {
    recorder?.tell(line)
    if !watchers.isEmpty { line(&text) }
  }

  mutating func append(raw frame: borrowing Frame) { tell { $0.append(raw: frame) } }

  mutating func append(clean events: UnsafeBufferPointer<Event>, at time: Microseconds) {
    tell { $0.append(clean: events, at: time) }
  }

  /// Appends that events were lost (`SYN_DROPPED`), and which keys are down.
  mutating func append(resynchronisedTo held: KeySet, before: KeySet, others: borrowing Frame) {
    tell { $0.append(raw: Frame(resynchronisedTo: held, before: before, others: others)) }
  }

  /// Appends what has become of edges, for those who watch, and empties the list of it.
  mutating func append(_ outcomes: inout ContiguousArray<Outcome>) {
    if !watchers.isEmpty { text.append(outcomes) }
    outcomes.removeAll(keepingCapacity: true)
  }

  /// Appends what had been learned. Nothing must have been sent yet.
  mutating func append(_ habits: LearnedHabits) {
    recorder?.text.append(habits)
  }

  /// Appends to the recording that the device goes or is given back. Those who watch are told with ``endWatching(at:)``.
  mutating func appendClosing(at time: Microseconds) {
    recorder?.text.appendClosing(at: time)
  }
}

// MARK: - A recording

/// Writes the frames of one device to a file: what it sent, and what was passed on.
///
/// Only for `run --record`, for tests and bug reports: the file holds what was typed.
struct Recorder: ~Copyable {
  private let file: FileDescriptor
  fileprivate var text: RecordingText

  /// Opens the file; see `PrivateFile`. A pipe whose reader sleeps must end the recording, not the typing.
  init(path: String, of source: borrowing Source) throws(FileError) {
    file = try PrivateFile.open(path)
    text = RecordingText(of: RecordedDevice(source.identity, source.capabilities))
  }

  deinit {
    try? file.close()
  }

  mutating func tell(_ line: (inout RecordingText) -> Void) { line(&text) }

  mutating func flush() throws {
    guard !text.bytes.isEmpty else { return }
    _ = try file.writeAll(text.bytes)
    text.removeBytes()
  }
}
