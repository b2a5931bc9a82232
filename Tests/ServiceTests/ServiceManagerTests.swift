import Debounce
import Foundation
import Glibc
import Samples
import SystemPackage
import Testing

@testable import Service

@Suite("Reports to a service manager")
struct ServiceManagerReportTests {
  @Test("are made once a second at most, and tell the newest state")
  func paced() {
    // Nobody listens there.
    var manager = ServiceManager { $0 == "NOTIFY_SOCKET" ? "/nowhere/notify" : nil }
    let (now, second) = (Instant(5_000_000), 1_000_000 as Microseconds)
    manager.report("a", at: now)
    #expect(manager.deadline == .never)
    manager.report("b", at: now + 1)
    #expect(manager.deadline == now + second)
    // What was reported last is so again.
    manager.report("a", at: now + 2)
    #expect(manager.deadline == .never)
    manager.report("c", at: now + 3)
    manager.giveSignOfLife(at: now + second - 1)
    #expect(manager.deadline == now + second)
    manager.giveSignOfLife(at: now + second)
    #expect(manager.deadline == .never)
    manager.report("d", at: now + second + 1)
    #expect(manager.deadline == now + 2 * second)
    // That it stops is the last word.
    manager.stopping()
    #expect(manager.deadline == .never)
  }

  @Test("wait for one that hangs, and then tell the newest state alone")
  func hangs() throws {
    let folder = try Folder()
    let listener = try Listener(folder.path + "/notify")
    var manager = ServiceManager { $0 == "NOTIFY_SOCKET" ? listener.path : nil }
    let start = Instant.now
    let states = (0..<5000).map { "state \($0)" }
    for (second, state) in states.enumerated() {
      manager.report(state, at: start + Microseconds(second) * 1_000_000)
    }
    var told = listener.read()
    // The kernel keeps some for it; the first that it did not take is the last of the old ones.
    #expect(told == states.prefix(told.count).map { "STATUS=" + $0 })
    #expect(told.count < states.count / 2)
    let later = start + Microseconds(states.count) * 1_000_000
    manager.giveSignOfLife(at: later)
    manager.giveSignOfLife(at: later)
    told = listener.read()
    #expect(told.count == 2)
    #expect(told.last == states.last.map { "STATUS=" + $0 })
    #expect(manager.deadline == .never)
  }

  @Test("keep for one that hangs the newest of each kind alone, in their order")
  func kept() throws {
    let folder = try Folder()
    let listener = try Listener(folder.path + "/notify")
    var manager = ServiceManager { $0 == "NOTIFY_SOCKET" ? listener.path : nil }
    let (now, rounds) = (Instant(5_000_000), 3000)
    manager.ready("start")
    for round in 1...rounds {
      manager.reloading(at: now + Microseconds(round))
      manager.reloaded("\(round)")
    }
    var told = listener.read()
    #expect(told.count < rounds)
    manager.giveSignOfLife(at: Instant.now + 10_000_000)
    told = listener.read()
    #expect(told == ["RELOADING=1\nMONOTONIC_USEC=5003000", "READY=1\nSTATUS=3000"])
    #expect(manager.deadline == .never)
  }

  @Test("tell of a reload neither before the start is over, nor once the daemon stops")
  func reloads() throws {
    let folder = try Folder()
    let listener = try Listener(folder.path + "/notify")
    let file = folder.path + "/ready"
    let variables = ["NOTIFY_SOCKET": listener.path, "KEYDEBOUNCE_READY": file]
    var manager = ServiceManager { variables[$0] }
    let now = Instant(5_000_000)
    manager.reloading(at: now)
    manager.reloaded("a")
    var told = listener.read()
    #expect(told.isEmpty)
    #expect(access(file, F_OK) != 0)
    manager.ready("b")
    manager.reloading(at: now)
    manager.reloaded("c")
    told = listener.read()
    #expect(
      told == [
        "READY=1\nSTATUS=b", "RELOADING=1\nMONOTONIC_USEC=5000000", "READY=1\nSTATUS=c",
      ])
    manager.reloading(at: now)
    manager.stopping()
    manager.reloaded("d")
    manager.reloading(at: now)
    manager.ready("e")
    told = listener.read()
    #expect(told.count == 2)
    #expect(told.last?.hasPrefix("STOPPING=1\n") == true)
  }
}

/// The socket of a service manager that reads when it is told to.
private struct Listener: ~Copyable {
  let path: String
  private let socket = Glibc.socket(
    AF_UNIX, CInt(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)

  init(_ path: String) throws {
    self.path = path
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, size) }
    }
    guard result == 0 else { throw Errno(rawValue: errno) }
  }

  deinit { close(socket) }

  /// All that was said.
  func read() -> [String] {
    var messages: [String] = []
    var bytes = [UInt8](repeating: 0, count: 256)
    while case let size = recv(socket, &bytes, bytes.count, 0), size >= 0 {
      messages.append(String(decoding: bytes.prefix(size), as: UTF8.self))
    }
    return messages
  }
}

/// What stands in for a service manager in an initial RAM disk.
@Suite("Without a service manager", .serialized)
struct ServiceManagerTests {
  @Test("a file shows that the daemon is ready, and not before")
  func ready() {
    let file = NSTemporaryDirectory() + "keydebounce-ready-\(UUID())"
    defer { unlink(file) }
    var manager = ServiceManager { $0 == "KEYDEBOUNCE_READY" ? file : nil }
    #expect(!FileManager.default.fileExists(atPath: file))
    manager.ready("")
    #expect(FileManager.default.fileExists(atPath: file))
    // A reload reports it again.
    manager.reloaded("")
    #expect(manager.deadline == .never)
  }

  @Test("the kernel ends a daemon that gives no sign of life in time")
  func watchdog() {
    let limit: UInt32 = 1000
    var manager = ServiceManager { $0 == "KEYDEBOUNCE_WATCHDOG" ? "\(limit)" : nil }
    defer { alarm(0) }
    // While it starts, too. This takes the alarm away, and returns what was left of it.
    #expect((1...limit).contains(alarm(0)))

    let start = Instant.now
    #expect(manager.deadline <= start)
    manager.giveSignOfLife(at: start)
    #expect((1...limit).contains(alarm(0)))
    // Well before the time is up there is another.
    #expect(manager.deadline == start + 500_000_000)
    manager.giveSignOfLife(at: start + 499_999_999)
    #expect(alarm(0) == 0)
    manager.giveSignOfLife(at: start + 500_000_000)
    #expect((1...limit).contains(alarm(0)))
  }

  @Test(
    "without the variables, or with a wrong one, there is neither",
    arguments: ["", "0", "soon", "-1"])
  func none(value: String) {
    alarm(0)
    var manager = ServiceManager { $0 == "KEYDEBOUNCE_WATCHDOG" ? value : nil }
    manager.ready("")
    manager.giveSignOfLife(at: .now)
    #expect(manager.deadline == .never)
    #expect(alarm(0) == 0)
  }
}
