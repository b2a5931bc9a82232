import Foundation
import Glibc
import Testing

@testable import Service

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
    manager.ready("")
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
