import Glibc
import Recording
import SystemPackage

/// The daemon's end of a pipe that a client reads: records go through it, or are lost where the reader is too slow. Nothing
/// waits for it.
///
/// Owns the descriptor.
final class WatchPipe {
  /// What the kernel writes as a whole or not at all: no record is ever torn.
  private static let whole = WatchRecords.most * WatchRecords.size

  private let descriptor: FileDescriptor
  /// How many records the reader has not been given since it was last told.
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

  /// Writes what comes before the records: to a pipe in which nothing is yet, there is room for it.
  ///
  /// - Returns: Whether all of it was written.
  func write(head: [UInt8]) -> Bool {
    head.withUnsafeBytes { head in
      var start = 0
      while start < head.count {
        let end = min(start + Self.whole, head.count)
        guard put(head, start..<end) == .done else { return false }
        start = end
      }
      return true
    }
  }

  /// Writes records, as many as there is room for; the rest is lost.
  ///
  /// - Returns: Whether anybody reads.
  func write(_ records: borrowing WatchRecords) -> Bool {
    records.withUnsafeBytes { bytes in
      var start = 0
      writing: while start < bytes.count, lost == 0 {
        let end = min(start + Self.whole, bytes.count)
        switch put(bytes, start..<end) {
        case .done: start = end
        case .full: break writing
        case .gone: return false
        }
      }
      lost += (bytes.count - start) / WatchRecords.size
      return true
    }
  }

  /// Reports to the reader, if there is room, that records were lost.
  ///
  /// - Returns: Whether anybody reads.
  func write(notice: borrowing WatchRecords) -> Bool {
    let outcome = notice.withUnsafeBytes { put($0, 0..<$0.count) }
    if outcome == .done { lost = 0 }
    return outcome != .gone
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
