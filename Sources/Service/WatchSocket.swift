import Glibc
import SystemPackage

/// A client's connection, when it has become the daemon's to write what a device sends and what is decided of it. Lines go
/// through it, or are lost where the reader is too slow: the daemon never waits.
///
/// Owns the descriptor.
final class WatchSocket {
  /// Longest write, in bytes. The kernel takes a write of this length as a whole or not at all: no line is ever torn.
  private static let whole = 4096
  /// Room for what the reader has not read, in bytes. The kernel grants as much of it as the system's limit allows.
  private static let room: CInt = 1 << 18

  private let descriptor: FileDescriptor
  /// How many lines the reader has not been given since it was last told.
  private(set) var lost = 0

  /// - Parameter descriptor: A connected stream socket, which is this object's from now on.
  init(_ descriptor: FileDescriptor) {
    self.descriptor = descriptor
    var room = Self.room
    setsockopt(
      descriptor.rawValue, SOL_SOCKET, SO_SNDBUF, &room, socklen_t(MemoryLayout<CInt>.size))
  }

  deinit {
    try? descriptor.close()
  }

  /// Whether nobody has the other end open any more.
  var isAbandoned: Bool {
    var state = pollfd(fd: descriptor.rawValue, events: 0, revents: 0)
    return poll(&state, 1, 0) > 0 && Int32(state.revents) & (POLLHUP | POLLERR) != 0
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

  /// Writes a text that no line may precede or follow in the same write, if there is room for it: the answer to the client's
  /// call, or the line that says how many were lost, or that the device is closed.
  ///
  /// - Returns: Whether anybody reads.
  func write(notice: borrowing [UInt8]) -> Bool {
    let outcome = notice.withUnsafeBytes { put($0, 0..<$0.count) }
    if outcome == .done { lost = 0 }
    return outcome != .gone
  }

  private static let lineEnd = UInt8(ascii: "\n")

  /// The end of the lines that one write takes.
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
      let count = send(
        descriptor.rawValue, bytes.baseAddress?.advanced(by: range.lowerBound), range.count,
        CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT))
      // A line that was torn would be read as another one.
      if count >= 0 { return count == range.count ? .done : .gone }
      switch errno {
      case EINTR: continue
      case EAGAIN: return .full
      default: return .gone
      }
    }
  }
}
