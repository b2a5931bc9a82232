import EventDevices
import Foundation
import Glibc
import TestMachine
import Testing

extension EndToEnd {
  @Suite("A service manager")
  struct NotifyTests {
    @Test("is told that the daemon is ready when the keyboards that are there are held")
    func ready() throws {
      let manager = try NotifySocket()
      // No more than one: an emulated machine seldom has the clones of two announced in time.
      let (keyboard, held) = (
        try UinputDevice(), try UinputDevice(name: "keydebounce held keyboard")
      )
      held.send(30, down: true)
      // The daemon waits two seconds for the keyboards. On a machine that stands still for so long they may come later.
      for _ in 0..<60 {
        let start = monotonicNow()
        let daemon = try DaemonProcess(
          [keyboard, held].flatMap { ["--device", $0.path] },
          wrapper: ["/usr/bin/env", "NOTIFY_SOCKET=\(manager.path)"])
        var ready = try manager.next()
        while ready.hasPrefix("EXTEND_TIMEOUT_USEC=") { ready = try manager.next() }
        let isInTime = monotonicNow() - start < 2_000_000
        #expect(ready.hasPrefix("READY=1\n"), "\(ready)")
        if isInTime {
          #expect(try !EventReader(path: keyboard.path).grab())
          // One that cannot be held for now keeps nobody waiting.
          #expect(try EventReader(path: held.path).grab())
          return
        }
        #expect(try daemon.end() == 0)
        while try !manager.next().hasPrefix("STOPPING=1") {}
      }
      Issue.record("it is never ready in time")
    }
  }
}

/// The socket on which a service manager listens, as sd_notify(3) describes it.
final class NotifySocket {
  let path = "/tmp/notify-\(UUID().uuidString)"
  private let descriptor: CInt

  init() throws {
    descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else { throw WaitedInVain(description: "cannot bind \(path): \(errno)") }
  }

  deinit {
    close(descriptor)
    unlink(path)
  }

  /// Waits for the next message.
  func next() throws -> String {
    guard waitUntilReadable(descriptor) else {
      throw WaitedInVain(description: "the service manager hears no more")
    }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let size = recv(descriptor, &bytes, bytes.count, 0)
    return String(decoding: bytes.prefix(max(size, 0)), as: UTF8.self)
  }
}
