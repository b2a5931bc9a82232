import Glibc
import SystemPackage

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
