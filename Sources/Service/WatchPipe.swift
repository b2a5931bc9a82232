import Glibc
import SystemPackage

/// The daemon's end of a pipe that a client reads: lines go through it, or are lost where the reader is too slow. Nothing
/// waits for it.
///
/// Owns the descriptor.
final class WatchPipe {
  /// What the kernel writes as a whole or not at all (`PIPE_BUF`): no line is ever torn.
  static let whole = 4096

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

  /// Writes whole lines, as many as there is room for; the rest is lost.
  ///
  /// - Returns: Whether anybody reads.
  func write(_ lines: borrowing [UInt8]) -> Bool {
    var start = 0
    while start < lines.count, lost == 0 {
      let end = Self.endOfChunk(of: lines, from: start)
      switch put(lines, start..<end) {
      case .done: start = end
      case .full: return lose(lines, from: start)
      case .gone: return false
      }
    }
    return lose(lines, from: start)
  }

  /// Reports to the reader, if there is room, that lines were lost.
  ///
  /// - Returns: Whether anybody reads.
  func write(notice: borrowing [UInt8]) -> Bool {
    switch put(notice, 0..<notice.count) {
    case .done: lost = 0
    case .full: break
    case .gone: return false
    }
    return true
  }

  private enum Outcome {
    case done
    case full
    case gone
  }

  private func put(_ bytes: borrowing [UInt8], _ range: Range<Int>) -> Outcome {
    while true {
      let count = bytes.withUnsafeBytes {
        Glibc.write(
          descriptor.rawValue, $0.baseAddress?.advanced(by: range.lowerBound), range.count)
      }
      if count >= 0 { return .done }
      switch errno {
      case EINTR: continue
      case EAGAIN: return .full
      default: return .gone
      }
    }
  }

  private func lose(_ lines: borrowing [UInt8], from start: Int) -> Bool {
    // By index: nothing is allocated, however it is compiled.
    var index = start
    while index < lines.count {
      if lines[index] == UInt8(ascii: "\n") { lost += 1 }
      index += 1
    }
    return true
  }

  /// Where the whole lines end that are written at once.
  private static func endOfChunk(of lines: borrowing [UInt8], from start: Int) -> Int {
    guard lines.count - start > whole else { return lines.count }
    var end = start + whole
    while end > start, lines[end - 1] != UInt8(ascii: "\n") { end -= 1 }
    return end > start ? end : start + whole
  }
}
