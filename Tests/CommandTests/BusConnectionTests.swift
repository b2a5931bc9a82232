import Bus
import Glibc
import Testing

@Suite("A command's connection to the bus")
struct BusConnectionTests {
  @Test(
    "takes descriptors only if it is to: anybody may send a signal with one",
    arguments: [false, true])
  func descriptors(takesDescriptors: Bool) throws {
    var name = Array("/tmp/keydebounce-bus.XXXXXX".utf8CString)
    mkdtemp(&name)
    let folder = String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    let path = folder + "/bus"
    let listener = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer {
      close(listener)
      unlink(path)
      rmdir(folder)
    }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(result == 0 && listen(listener, 1) == 0)
    let connection = try BusConnection(takesDescriptors: takesDescriptors, at: "unix:path=\(path)")
    let bus = accept(listener, nil, nil)
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
