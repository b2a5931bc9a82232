import Bus
import Glibc
import Samples
import Testing

@Suite("A command's connection to the bus")
struct BusConnectionTests {
  @Test(
    "takes descriptors only if it is to: anybody may send a signal with one",
    arguments: [false, true])
  func descriptors(takesDescriptors: Bool) throws {
    let listener = try UnixListener()
    let connection = try BusConnection(
      takesDescriptors: takesDescriptors, at: "unix:path=\(listener.path)")
    let bus = listener.accept()
    var (greeting, byte) = ("", UInt8(0))
    while !greeting.hasSuffix("BEGIN\r\n"), recv(bus, &byte, 1, 0) == 1 {
      greeting.unicodeScalars.append(Unicode.Scalar(byte))
    }
    // The connection waits for its answers otherwise, when it is closed.
    close(bus)
    #expect(greeting.contains("AUTH EXTERNAL"))
    #expect(greeting.contains("NEGOTIATE_UNIX_FD") == takesDescriptors)
    _ = consume connection
  }
}
