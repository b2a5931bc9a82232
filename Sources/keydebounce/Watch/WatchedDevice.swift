import Control
import Debounce
import EventDevices
import Glibc
import Recording
import SystemPackage

/// A device that is watched: in the command, an ``OpenDevice``, or a ``DaemonStream``.
protocol WatchedDevice: AnyObject {
  /// Becomes readable when there are events.
  var descriptor: CInt { get }
  /// Why nothing more comes, once `.closed` was read.
  var endInWords: String { get }

  /// Reads the next entry: `.closed` when there will be nothing more; `nil` if there is nothing for now.
  func read() -> RecordingParser.Entry?
  /// Begins anew, without what has been sent meanwhile.
  func reopen() throws(DeviceError)
}

/// A device that this process has opened. Its descriptor is closed with the object.
final class OpenDevice: WatchedDevice {
  private var source: Source
  /// The keys that are down according to what was read.
  private var held = KeySet()

  let endInWords = "the device was unplugged"

  init(_ source: consuming Source) {
    self.source = source
    held = keysDown
  }

  private var keysDown: KeySet { (try? source.keysDown()) ?? KeySet() }

  var device: RecordedDevice { RecordedDevice(source.identity, source.capabilities) }
  var descriptor: CInt { source.descriptor }

  func read() -> RecordingParser.Entry? {
    let frame: Frame
    switch source.read() {
    case .frame: frame = source.frame
    case .resynchronised(let keys):
      frame = Frame(resynchronisedTo: keys, before: held, others: source.frame)
    case .nothing: return nil
    case .gone: return .closed(at: monotonicNow())
    }
    held = frame.keysHeld(before: held)
    return .raw(frame)
  }

  func reopen() throws(DeviceError) {
    source = try Source(path: source.path)
    held = keysDown
  }
}

/// A device that the daemon holds, as the daemon shows it. The daemon goes on debouncing it.
final class DaemonStream: WatchedDevice {
  /// How many bytes are read at most until there is nothing for now: a daemon that writes without end must not keep the
  /// command from hearing a signal.
  private static let portion = 1 << 16
  /// How many portions are dropped at most when the command goes on: 1 MiB. The socket holds half of that at most (see `room` in
  /// `Service/WatchSocket.swift`), so all that waited has gone by then.
  private static let mostDropped = 16
  /// How long the daemon may take to say which device it is, in microseconds.
  private static let patience: Microseconds = 10_000_000

  private enum End: String {
    case deviceGone = "the device was unplugged, or the daemon has given it back"
    case daemonGone = "the daemon has ended, and shows no more of the device"
    case unreadable = "the daemon shows the device in a form that this version does not know"
  }

  let path: String
  private let socket: FileDescriptor
  private var recording: RecordingReader
  /// The first entry, which was read with the head.
  private var first: RecordingParser.Entry?
  private var end: End?

  /// Waits until the daemon has said which device it is.
  ///
  /// - Parameters:
  ///   - socket: The socket into which the daemon writes. It is closed with the object.
  ///   - interruption: A descriptor that ends the wait when it becomes readable; -1 for none.
  init(
    _ path: String, _ socket: FileDescriptor, interruptedBy interruption: CInt = -1
  ) throws(ControlError) {
    (self.path, self.socket) = (path, socket)
    _ = fcntl(socket.rawValue, F_SETFL, O_NONBLOCK)
    var room = Self.portion
    recording = RecordingReader(file: path) { buffer in
      do {
        guard room > 0 else { throw Errno.resourceTemporarilyUnavailable }
        let count = try socket.read(into: .init(rebasing: buffer.prefix(room)))
        room -= count
        return count
      } catch {
        room = Self.portion
        throw error
      }
    }
    let limit = monotonicNow() + Self.patience
    var waiting = [socket.rawValue, interruption].map(pollfd.init(reading:))
    repeat {
      poll(&waiting, until: limit)
      first = read()
    } while first == nil && monotonicNow() < limit && waiting[1].revents == 0
    switch (first, end) {
    case (nil, _): throw .unreachable(waiting[1].revents == 0 ? .timedOut : .canceled)
    case (_, .unreadable): throw peek() == 0 ? .ended : .unexpected(.watch)
    case (_, .daemonGone): throw .ended
    case (_, .deviceGone), (_, nil): break
    }
  }

  deinit {
    try? socket.close()
  }

  /// Looks at the next byte in the socket without reading it.
  ///
  /// - Returns: 1 if there is one, 0 if the daemon has closed its end and all was read, and -1 if there is nothing for now.
  private func peek() -> Int {
    var byte: UInt8 = 0
    return recv(socket.rawValue, &byte, 1, CInt(MSG_PEEK) | CInt(MSG_DONTWAIT))
  }

  var device: RecordedDevice { recording.device }
  var habits: LearnedHabits { recording.habits }

  var descriptor: CInt { socket.rawValue }

  var endInWords: String { (end ?? .deviceGone).rawValue }

  func read() -> RecordingParser.Entry? {
    if let entry = first {
      first = nil
      return entry
    }
    guard end == nil else { return .closed(at: monotonicNow()) }
    do {
      let entry = try recording.next()
      // A daemon that goes on says “closed” before it ends a stream.
      if entry == nil { end = .daemonGone }
      if case .closed = entry { end = .deviceGone }
      if let entry { return entry }
    } catch Errno.resourceTemporarilyUnavailable {
      return nil
    } catch {
      end = error is Errno ? .daemonGone : .unreadable
    }
    return .closed(at: monotonicNow())
  }

  func reopen() {
    // `read` returns `nil` after each portion, too, while more waits: only the socket knows whether all was read. The reader
    // keeps a line of which only the beginning has come, and joins the rest to it.
    for _ in 0..<Self.mostDropped {
      while let entry = read() {
        if case .closed = entry { return }
      }
      guard peek() >= 0 else { return }
    }
  }
}
