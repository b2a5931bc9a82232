import Debounce
import EventDevices
import Glibc
import Recording
import SystemPackage

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
    recorder?.text.append(raw: frame)
    watchers?.append(raw: frame)
  }

  /// Appends that events were lost (`SYN_DROPPED`), and which keys are down.
  mutating func append(resynchronisedTo held: KeySet, before: KeySet, others: borrowing Frame) {
    recorder?.text.append(resynchronisedTo: held, before: before, others: others)
    watchers?.append(resynchronisedTo: held, before: before, others: others)
  }

  mutating func append(clean events: UnsafeBufferPointer<Event>, at time: Microseconds) {
    recorder?.text.append(clean: events, at: time)
    watchers?.text.append(clean: events, at: time)
  }

  /// Appends what had been learned. Nothing must have been sent yet.
  mutating func append(_ habits: LearnedHabits) {
    recorder?.text.append(habits)
  }

  /// Appends that what was learned of a key was dropped, or of all.
  mutating func appendReset(of key: KeyCode?, at time: Microseconds) {
    recorder?.text.appendReset(of: key, at: time)
    watchers?.text.appendReset(of: key, at: time)
  }

  /// Appends that from now on everything passes as it is, or no longer.
  mutating func append(isPaused: Bool, at time: Microseconds) {
    recorder?.text.append(isPaused: isPaused, at: time)
    watchers?.text.append(isPaused: isPaused, at: time)
  }

  mutating func appendClosing(at time: Microseconds) {
    recorder?.text.appendClosing(at: time)
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
    watchers?.text.append(outcomes)
    outcomes.removeAll()
  }
}

// MARK: - Those who watch

/// Those who watch what the daemon does with a device. They get the text of a recording: each frame that is read, what
/// becomes of its edges, and each frame that is passed on.
///
/// It is made once for all of them, and written at the end of a turn, behind everything that matters to those who type. Once
/// there is room, nothing is allocated.
struct Watchers: ~Copyable {
  /// How many there may be at a time.
  static let most = 4
  var text = RecordingText(eventsSince: 0)
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

  mutating func appendClosing(at time: Microseconds) {
    text.appendClosing(at: time)
    (held, self.time, isClosed) = (KeySet(), time, true)
  }
}

/// The daemon's end of a pipe that a client reads: lines go through it, or are lost where the reader is too slow. Nothing
/// waits for it.
///
/// Owns the descriptor.
final class WatchPipe {
  /// What the kernel writes as a whole or not at all (`PIPE_BUF`): no line is ever torn.
  private static let whole = 4096

  private let descriptor: FileDescriptor
  /// How many lines the reader has not been given since it was last told.
  private(set) var lost = 0

  /// Makes a pipe.
  ///
  /// - Returns: The daemon's end, and the reader's, which is the caller's to close and waits for what comes.
  static func make() throws(Errno) -> (pipe: WatchPipe, reader: FileDescriptor) {
    let ends: (readEnd: FileDescriptor, writeEnd: FileDescriptor)
    do {
      ends = try FileDescriptor.pipe()
    } catch {
      throw error as? Errno ?? .ioError
    }
    for end in [ends.readEnd, ends.writeEnd] { _ = fcntl(end.rawValue, F_SETFD, FD_CLOEXEC) }
    // Of this end alone.
    _ = fcntl(ends.writeEnd.rawValue, F_SETFL, O_WRONLY | O_NONBLOCK)
    return (WatchPipe(ends.writeEnd), ends.readEnd)
  }

  private init(_ descriptor: FileDescriptor) {
    self.descriptor = descriptor
  }

  deinit {
    try? descriptor.close()
  }

  /// Whether nobody has the other end open any more.
  var isAbandoned: Bool {
    var state = pollfd(fd: descriptor.rawValue, events: 0, revents: 0)
    return poll(&state, 1, 0) > 0 && Int32(state.revents) & POLLERR != 0
  }

  /// Writes lines, as many as there is room for; the rest is lost.
  ///
  /// - Returns: Whether anybody reads.
  func write(_ lines: borrowing [UInt8]) -> Bool {
    lines.withUnsafeBytes { bytes in
      var start = 0
      writing: while start < bytes.count, lost == 0 {
        let end = Self.end(of: bytes, from: start)
        switch put(bytes, start..<end) {
        case .done: start = end
        case .full: break writing
        case .gone: return false
        }
      }
      while start < bytes.count {
        if bytes[start] == Self.lineEnd { lost += 1 }
        start += 1
      }
      return true
    }
  }

  /// Reports to the reader, if there is room, that lines were lost: one line that says so.
  ///
  /// - Returns: Whether anybody reads.
  func write(notice: borrowing [UInt8]) -> Bool {
    let outcome = notice.withUnsafeBytes { put($0, 0..<$0.count) }
    if outcome == .done { lost = 0 }
    return outcome != .gone
  }

  private static let lineEnd = UInt8(ascii: "\n")

  /// Where as many lines end as are written at once.
  private static func end(of bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    var end = min(start + whole, bytes.count)
    while end > start, bytes[end - 1] != lineEnd { end -= 1 }
    return end > start ? end : min(start + whole, bytes.count)
  }

  private enum Outcome {
    case done
    case full
    case gone
  }

  private func put(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Outcome {
    while true {
      let count = Glibc.write(
        descriptor.rawValue, bytes.baseAddress?.advanced(by: range.lowerBound), range.count)
      if count >= 0 { return .done }
      switch errno {
      case EINTR: continue
      case EAGAIN: return .full
      default: return .gone
      }
    }
  }
}

// MARK: - A recording

/// Writes the frames of one device to a file: what it sent, and what was passed on.
///
/// Only for `run --record`, for tests and bug reports: the file holds what was typed.
struct Recorder: ~Copyable {
  private let file: FileDescriptor
  fileprivate(set) var text: RecordingText

  /// Opens the file; see `PrivateFile`. A pipe whose reader sleeps must end the recording, not the typing.
  init(path: String, of source: borrowing Source) throws(RecorderError) {
    do {
      file = try PrivateFile.open(path)
    } catch {
      throw RecorderError(path: path, reason: error)
    }
    text = RecordingText(of: RecordedDevice(source.identity, source.capabilities))
  }

  deinit {
    try? file.close()
  }

  /// Writes what has been added.
  mutating func flush() throws {
    guard !text.bytes.isEmpty else { return }
    _ = try file.writeAll(text.bytes)
    text.removeBytes()
  }
}

public struct RecorderError: Error, CustomStringConvertible {
  public let path: String
  public let reason: Errno

  public var description: String {
    switch reason {
    case .fileExists:
      """
      cannot record to \(path): the file exists already; name another, or delete it. (A pipe is passed open, as \
      /dev/stdout or /dev/fd/3)
      """
    default: "cannot record to \(path): \(reason)"
    }
  }
}
