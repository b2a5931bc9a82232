import Glibc

/// Sends bytes over a socket, as long as somebody reads.
///
/// - Returns: Whether all were sent.
@discardableResult
public func sendAll(_ bytes: [UInt8], to socket: CInt) -> Bool {
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes {
      send(socket, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
    }
    guard count > 0 else { return false }
    rest = rest.dropFirst(count)
  }
  return true
}
