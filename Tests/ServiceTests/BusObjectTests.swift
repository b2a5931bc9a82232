import CLinux
import Glibc
import Logging
import Samples
import Status
import Testing

@testable import Service

/// The daemon's side of the bus, with a bus that the test plays.
@Suite("The daemon's object, on a bus that sends descriptors")
struct BusObjectTests {
  @Test("learns who calls, though the bus tells with a descriptor which process that is")
  func processDescriptor() throws {
    let server = try BusServer()
    let bus = try FakeBus(for: server)
    try bus.send(.call("Reload"))
    let question = try bus.next(containing: "GetConnectionCredentials")
    let process = open("/proc/self", O_RDONLY | O_CLOEXEC)
    defer { close(process) }
    // As dbus-daemon and dbus-broker do, with what this does not read before what it reads.
    var body: [UInt8] = []
    FakeBus.append("ProcessFD", "h", FakeBus.number(0), to: &body)
    FakeBus.append("UnixUserID", "u", FakeBus.number(0), to: &body)
    try bus.send(
      FakeBus.answer(
        to: question, "a{sv}", FakeBus.number(body.count) + [0, 0, 0, 0] + body, descriptors: 1),
      with: process)
    let request = try bus.request()
    guard case .reload = request?.kind else {
      Issue.record("root was refused")
      return
    }
  }

  @Test("does not wait for a socket that is closed slowly")
  func lingeringSocket() throws {
    let server = try BusServer()
    let bus = try FakeBus(for: server)
    let slow = try SlowSocket()
    var call = BusIntakeTests.Message.call("Status")
    call.texts.append((8, "g", "h"))
    (call.descriptors, call.body) = (1, FakeBus.number(0))
    try bus.send(call, with: slow.descriptor)
    slow.close()
    guard case .status(.everyone) = try bus.request()?.kind else {
      Issue.record("the call did not arrive")
      return
    }
    #expect(slow.isReset)
  }
}

extension BusIntakeTests.Message {
  fileprivate static func call(_ member: String) -> Self {
    Self(
      texts: [
        (1, "o", "/io/github/keydebounce"), (2, "s", "io.github.keydebounce.Daemon1"),
        (3, "s", member),
        (6, "s", ":1.1"), (7, "s", ":1.5"),
      ])
  }
}

/// A bus with one client: the daemon.
private final class FakeBus {
  private let server: BusServer
  private let client: CInt

  /// Takes the daemon in, and gives it its name.
  init(for server: BusServer) throws {
    self.server = server
    let listener = try UnixListener()
    let path = listener.path
    // This thread ends with the process, as the daemon's does.
    let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    try #require(Worker.startThread { BusObject(server, log, at: path).run() })
    client = listener.accept()
    try #require(client >= 0)
    var greeting = ""
    while !greeting.hasSuffix("BEGIN\r\n") {
      greeting.unicodeScalars.append(Unicode.Scalar(try read(1)[0]))
    }
    try send(Array("DATA\r\nOK 1234567890abcdef1234567890abcdef\r\nAGREE_UNIX_FD\r\n".utf8))
    let hello = try next(containing: "Hello")
    try send(Self.answer(to: hello, "s", Self.number(4) + Array(":1.1\0".utf8)))
    try send(Self.answer(to: next(containing: "RequestName"), "u", Self.number(1)))
  }

  deinit {
    close(client)
  }

  static func number(_ number: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }

  /// Appends an entry of a dictionary of names and variants, whose value is a number.
  static func append(_ name: String, _ type: Character, _ value: [UInt8], to body: inout [UInt8]) {
    func pad(to size: Int) { while body.count % size != 0 { body.append(0) } }
    pad(to: 8)
    body += number(name.utf8.count) + Array(name.utf8) + [0, 1, type.asciiValue ?? 0, 0]
    pad(to: 4)
    body += value
  }

  static func answer(
    to serial: UInt32, _ signature: String, _ body: [UInt8], descriptors: UInt32? = nil
  ) -> BusIntakeTests.Message {
    BusIntakeTests.Message(
      type: 2,
      texts: [(6, "s", ":1.1"), (7, "s", "org.freedesktop.DBus"), (8, "g", signature)],
      descriptors: descriptors, answered: serial, body: body)
  }

  func send(_ message: BusIntakeTests.Message, with descriptors: CInt...) throws {
    try send(message.bytes, descriptors)
  }

  private func send(_ bytes: [UInt8], _ descriptors: [CInt] = []) throws {
    let sent = clinux_send(client, bytes, bytes.count, descriptors, descriptors.count)
    try #require(sent == bytes.count)
  }

  private func read(_ count: Int) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    try #require(count == 0 || recv(client, &bytes, count, CInt(MSG_WAITALL)) == count)
    return bytes
  }

  /// Reads the daemon's next message.
  ///
  /// - Returns: Its number.
  func next(containing name: String) throws -> UInt32 {
    let start = try read(16)
    func number(at place: Int) -> Int {
      start[place..<place + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
    let rest = try read((number(at: 12) + 7) / 8 * 8 + number(at: 4))
    #expect(String(decoding: rest, as: UTF8.self).contains(name))
    return UInt32(number(at: 8))
  }

  /// Waits for what the daemon's own thread is asked; `nil` if the bus's thread answers at once.
  func request() throws -> BusRequest? {
    var ready = [server.requests.descriptor, client].map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    while poll(&ready, 2, -1) < 0 {}
    return server.requests.takeAll().first
  }
}

/// A connection whose other end reads nothing: whoever closes it waits for that, for two seconds.
private final class SlowSocket {
  let descriptor: CInt
  private let other: CInt

  init() throws {
    let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    let listener = socket(AF_INET, kind, 0)
    defer { Glibc.close(listener) }
    descriptor = socket(AF_INET, kind, 0)
    var (address, length) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let result = withUnsafeMutablePointer(to: &address) { [descriptor] in
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        max(
          -(bind(listener, $0, length) + listen(listener, 1) + getsockname(listener, $0, &length)),
          -connect(descriptor, $0, length))
      }
    }
    try #require(result == 0)
    other = accept(listener, nil, nil)
    var wait = linger(l_onoff: 1, l_linger: 2)
    setsockopt(
      descriptor, SOL_SOCKET, SO_LINGER, &wait, socklen_t(MemoryLayout.size(ofValue: wait)))
    let bytes = [UInt8](repeating: 0, count: 65_536)
    while Glibc.send(descriptor, bytes, bytes.count, CInt(MSG_DONTWAIT)) > 0 {}
  }

  deinit {
    Glibc.close(other)
  }

  func close() {
    Glibc.close(descriptor)
  }

  /// Whether the connection was cut with bytes on their way. Waits longer than whoever closes it would.
  var isReset: Bool {
    var end = pollfd(fd: other, events: 0, revents: 0)
    return poll(&end, 1, 5000) == 1 && CInt(end.revents) & POLLERR != 0
  }
}
