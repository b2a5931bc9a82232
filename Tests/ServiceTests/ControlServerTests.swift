import Control
import Dispatch
import Glibc
import Logging
import Samples
import Status
import Synchronization
import SystemPackage
import Testing

@testable import Service

/// A call that the server answers by itself.
private let info = #"{"method":"org.varlink.service.GetInfo"}"#

/// Starting a server changes the umask of the whole process for a moment: one at a time.
private let starting = Mutex(())

/// A server whose daemon the test plays.
private final class Desk {
  /// The service's own user, and a member.
  static let (own, member): (Int64, Int64) = (999, 1000)

  let server: ControlServer
  let folder: Folder
  /// Who connects next, in this order; root where nobody is named.
  private let users: Mailbox<Int64>

  init(_ change: (inout ControlServer.Limits) -> Void = { _ in }) throws {
    var limits = ControlServer.Limits()
    change(&limits)
    let users = try Mailbox<Int64>()
    self.users = users
    folder = try Folder()
    server = try ControlServer(in: folder.path, limits: limits, ownUser: Self.own) { _ in
      users.takeFirst() ?? 0
    }
    starting.withLock { _ in
      server.start(log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }
  }

  deinit { server.end() }

  var path: String { ControlInterface.socket(in: folder.path) }

  func connect(isRoot: Bool = true) throws -> Client { try connect(as: isRoot ? 0 : Self.member) }

  func connect(as user: Int64) throws -> Client {
    users.put(user)
    return try Client(path)
  }

  /// Waits for the next request.
  func request() -> (kind: ControlRequest, call: ControlledCall) {
    while true {
      server.requests.hasBeenWoken()
      if let request = server.requests.takeFirst() { return request }
      var state = pollfd(fd: server.requests.descriptor, events: Int16(POLLIN), revents: 0)
      poll(&state, 1, -1)
    }
  }
}

/// What connects to the server, and waits for what it answers.
private final class Client {
  typealias Answer = ControlAnswer<[String: ControlValue]>

  let socket: CInt
  private var received: [UInt8] = []

  init(_ path: String) throws {
    socket = try openSocket(connectedTo: path)
    _ = fcntl(socket, F_SETFL, 0)
  }

  deinit { close(socket) }

  /// The server closes what is too long.
  func send(_ bytes: [UInt8]) { sendAll(bytes, to: socket) }

  /// Sends a call, as it is written.
  func send(_ text: String) { send(Array(text.utf8) + [endOfMessage]) }

  func send(_ call: ControlCall) throws { send(try StatusJSON.encode(call) + [endOfMessage]) }

  /// Reads up to the end of a message; `nil` if the server has closed the connection before.
  func message() -> [UInt8]? {
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      if let end = received.firstIndex(of: endOfMessage) {
        defer { received.removeFirst(end + 1) }
        return Array(received[..<end])
      }
      let count = recv(socket, &chunk, chunk.count, 0)
      guard count > 0 else { return nil }
      received += chunk.prefix(count)
    }
  }

  func answer() throws -> Answer? {
    try message().map { try StatusJSON.decode(Answer.self, from: $0) }
  }

  func call(_ method: String, _ parameters: [String: ControlValue] = [:]) throws -> Answer? {
    try send(ControlCall(method, parameters))
    return try answer()
  }

  /// Sends a call that the server answers by itself.
  ///
  /// - Returns: Whether it does.
  func isServed() -> Bool {
    send(info)
    return message() != nil
  }

  /// Whether the server has closed the connection. Reads nothing.
  ///
  /// - Parameter limit: How long to wait for it, in milliseconds; for as long as it takes if it is negative.
  func hasEnded(after limit: CInt = 0) -> Bool {
    var state = pollfd(fd: socket, events: 0, revents: 0)
    return poll(&state, 1, limit) == 1
  }
}

extension ControlMethod {
  /// Parameters with which it may be called.
  fileprivate var sample: [String: ControlValue] {
    Dictionary(
      uniqueKeysWithValues: parameters.map { name, _ in
        (name, name == "seconds" ? .number(5) : .text(name == "device" ? "/dev/input/event3" : "E"))
      })
  }
}

@Suite("The daemon's socket: who may call what")
struct ControlTableTests {
  /// What members of the group may call; everything else is root's.
  private static let forGroup: Set<String> = ["Devices", "Pause", "Resume", "Reload"]

  @Test(
    "passes each method on for those who may call it, and refuses it to others",
    arguments: ControlMethod.allCases, [true, false])
  func row(_ method: ControlMethod, isRoot: Bool) throws {
    let desk = try Desk()
    let client = try desk.connect(isRoot: isRoot)
    try client.send(ControlCall(method.fullName, method.sample, upgrade: method == .watch))
    guard isRoot || Self.forGroup.contains(method.rawValue) else {
      #expect(try client.answer()?.error == "io.github.keydebounce.Daemon.NotAllowed")
      #expect(desk.server.requests.isEmpty)
      return
    }
    let request = desk.request()
    switch (method, request.kind) {
    case (.devices, .devices(isRoot: isRoot)), (.status, .status): break
    case (.reload, .reload(forOthers: !isRoot)): break
    case (.history, .history(device: "/dev/input/event3")): break
    case (.pause, .pause(device: "/dev/input/event3", seconds: 5)): break
    case (.resume, .resume(device: "/dev/input/event3")): break
    case (.reset, .reset(device: "/dev/input/event3", key: "E")): break
    case (.watch, .watch(device: "/dev/input/event3", _)): break
    default: Issue.record("\(request.kind) for \(method)")
    }
    request.call.refuse(.notHeld, "a reason")
    let answer = try client.answer()
    #expect(answer?.error == "io.github.keydebounce.Daemon.NotHeld")
    #expect(answer?.parameters == ["text": .text("a reason")])
    #expect(client.isServed())
  }

  @Test("gives the service's own user a member's rights, and has it reload as root does")
  func own() throws {
    let desk = try Desk()
    let client = try desk.connect(as: Desk.own)
    let answer = try client.call(ControlMethod.status.fullName)
    #expect(answer?.error == ControlRefusal.notAllowed.fullName)
    try client.send(ControlCall(ControlMethod.reload.fullName))
    #expect(desk.request().kind == .reload(forOthers: false))
  }

  @Test("has the table in the code as it has it in the interface's description")
  func description() throws {
    let text = ControlInterface.description
    #expect(text.contains("\ninterface \(ControlInterface.name)\n"))
    var methods: [String: [String]] = [:]
    for match in text.matches(of: /(?m)^method (\w+)\((.*?)\) -> \((.*?)\)$/) {
      methods[String(match.1)] = [String(match.2), String(match.3)]
    }
    #expect(Set(methods.keys) == Set(ControlMethod.allCases.map(\.rawValue)))
    for method in ControlMethod.allCases {
      let parameters = method.parameters.map { name, isNeeded in
        "\(name): \(isNeeded ? "" : "?")\(name == "seconds" ? "int" : "string")"
      }
      #expect(methods[method.rawValue]?[0] == parameters.joined(separator: ", "))
      #expect(method.isForGroup == Self.forGroup.contains(method.rawValue))
    }
    let results = ["devices: []Device", "status: object", "days: string", "problems: []string"]
    #expect(
      [ControlMethod.devices, .status, .history, .reload].map { methods[$0.rawValue]?[1] }
        == results)
    for method: ControlMethod in [.pause, .resume, .reset, .watch] {
      #expect(methods[method.rawValue]?[1] == "")
    }
    let errors = text.matches(of: /(?m)^error (\w+) \(text: string\)$/).map { String($0.1) }
    #expect(Set(errors) == Set(ControlRefusal.allCases.map(\.rawValue)))
    #expect(text.matches(of: /(?m)^(?:method|error)\b/).count == methods.count + errors.count)
    let states = try #require(text.firstMatch(of: /type State \((.*)\)/)).1
    #expect(states == ControlledDevice.State.allCases.map(\.rawValue).joined(separator: ", "))
    let fields = try #require(text.firstMatch(of: /type Device \(([^)]*)\)/)).1
    let device = ControlledDevice(
      node: "/dev/input/event3", name: "Desk", state: .busy, paused: true, pausedUntil: 7)
    let written = String(decoding: try StatusJSON.encode(device), as: UTF8.self)
    #expect(
      Set(fields.matches(of: /(\w+):/).map { String($0.1) })
        == Set(written.matches(of: /"(\w+)":/).map { String($0.1) }))
  }
}

@Suite("The daemon's socket: calls and answers")
struct ControlCallTests {
  @Test("names a parameter that is unknown, missing or of another type")
  func parameters() throws {
    let desk = try Desk()
    let client = try desk.connect()
    let cases: [(ControlMethod, String, String)] = [
      (.devices, #"{"device":"x"}"#, "device"), (.status, #"{"all":true}"#, "all"),
      (.history, "{}", "device"), (.history, #"{"device":null}"#, "device"),
      (.history, #"{"device":3}"#, "device"), (.pause, #"{"seconds":"3"}"#, "seconds"),
      (.pause, #"{"seconds":0}"#, "seconds"), (.pause, #"{"seconds":-1}"#, "seconds"),
      (.pause, #"{"seconds":1.5}"#, "seconds"), (.reset, #"{"key":"KEY_E"}"#, "device"),
      (.reset, #"{"device":"x","key":["KEY_E"]}"#, "key"), (.watch, #"{"device":"x"}"#, "upgrade"),
    ]
    for (method, parameters, name) in cases {
      client.send(#"{"method":"\#(method.fullName)","parameters":\#(parameters)}"#)
      let answer = try client.answer()
      #expect(answer?.error == "org.varlink.service.InvalidParameter", "\(method) \(parameters)")
      #expect(answer?.parameters == ["parameter": .text(name)], "\(method) \(parameters)")
    }
    #expect(desk.server.requests.isEmpty)
    // What is not given, and what is null, is the same.
    client.send(
      #"{"method":"\#(ControlMethod.pause.fullName)","parameters":{"device":null,"seconds":9e9}}"#)
    #expect(desk.request().kind == .pause(device: nil, seconds: UInt32.max))
  }

  @Test("says what it is, describes itself, and knows nothing else")
  func service() throws {
    let desk = try Desk()
    let client = try desk.connect(isRoot: false)
    client.send(info)
    let said = String(decoding: try #require(client.message()), as: UTF8.self)
    #expect(said.contains(#""interfaces":["org.varlink.service","io.github.keydebounce.Daemon"]"#))
    #expect(said.contains(#""version":"\#(Version.current)""#))
    let describe = "org.varlink.service.GetInterfaceDescription"
    var answer = try client.call(describe, ["interface": .text(ControlInterface.name)])
    #expect(answer?.parameters == ["description": .text(ControlInterface.description)])
    answer = try client.call(describe, ["interface": .text("org.varlink.service")])
    let own = try #require(answer?.parameters?["description"])
    for method in ["GetInfo", "GetInterfaceDescription"] {
      #expect("\(own)".contains("method \(method)("))
    }
    let unknown: [(String, [String: ControlValue], String, [String: ControlValue])] = [
      (describe, [:], "InvalidParameter", ["parameter": .text("interface")]),
      (describe, ["interface": .text("a.b")], "InterfaceNotFound", ["interface": .text("a.b")]),
      ("a.b.C", [:], "InterfaceNotFound", ["interface": .text("a.b")]),
      ("nothing", [:], "InterfaceNotFound", ["interface": .text("")]),
      (
        "org.varlink.service.Get", [:], "MethodNotFound",
        ["method": .text("org.varlink.service.Get")]
      ),
      (
        ControlInterface.name + ".Borrow", [:], "MethodNotFound",
        ["method": .text("io.github.keydebounce.Daemon.Borrow")]
      ),
    ]
    for (method, parameters, error, details) in unknown {
      let answer = try client.call(method, parameters)
      #expect(answer?.error == "org.varlink.service.\(error)")
      #expect(answer?.parameters == details)
    }
    #expect(desk.server.requests.isEmpty)
  }

  @Test("sends each kind of answer in the form that the description has")
  func answers() throws {
    let desk = try Desk()
    let client = try desk.connect()
    let devices = [
      ControlledDevice(
        node: "/dev/input/event3", name: "Desk", state: .debounced, paused: true, pausedUntil: 99)
    ]
    func answer(_ method: ControlMethod, _ answer: ControlServer.Answer) throws -> String {
      try client.send(ControlCall(method.fullName, method.sample))
      desk.request().call.answer(answer)
      return try String(decoding: #require(client.message()), as: UTF8.self)
    }
    func parameters(_ answer: String) throws -> ControlParameters? {
      let bytes = Array(answer.utf8)
      return try StatusJSON.decode(ControlAnswer<ControlParameters>.self, from: bytes).parameters
    }
    #expect(try parameters(answer(.devices, .devices(devices)))?.devices == devices)
    let status = StatusSamples.manyDevices
    #expect(try parameters(answer(.status, .status(status)))?.status == status)
    #expect(try answer(.history, .days("a\nb\n")) == #"{"parameters":{"days":"a\nb\n"}}"#)
    let problems = try answer(.reload, .problems(["a", "b"]))
    #expect(problems == #"{"parameters":{"problems":["a","b"]}}"#)
    #expect(try answer(.resume, .done) == #"{"parameters":{}}"#)
  }

  @Test("answers calls that come at once one after the other, and none that wants no answer")
  func sequence() throws {
    let desk = try Desk()
    let client = try desk.connect()
    let oneway = #"{"method":"\#(ControlMethod.resume.fullName)","oneway":true}"#
    let both = Array("\(info)\0\(oneway)\0\(info)\0".utf8)
    // In pieces, as they may come.
    for byte in both { client.send([byte]) }
    desk.request().call.answer()
    #expect(client.message()?.isEmpty == false)
    #expect(client.message()?.isEmpty == false)
    client.send(#"{"method":"a.B"}"#)
    #expect(try client.answer()?.error == "org.varlink.service.InterfaceNotFound")
  }

  @Test("a call that takes long and wants no answer does not end the connection of the next one")
  func slowOneway() throws {
    // Any call takes longer.
    let desk = try Desk { $0.patience = 1 }
    let client = try desk.connect()
    let oneway = #"{"method":"\#(ControlMethod.resume.fullName)","oneway":true}"#
    client.send(Array("\(oneway)\0\(info)\0".utf8))
    desk.request().call.answer()
    #expect(client.message()?.isEmpty == false)
  }

  @Test(
    "makes one status for all who ask at about the same time, and a new one when something was done"
  )
  func shared() throws {
    let desk = try Desk { $0.pause = 3_600_000_000 }
    let clients = try (0..<3).map { _ in try desk.connect() }
    let status = ControlCall(ControlMethod.status.fullName)
    for client in clients { try client.send(status) }
    // Each is read after those before it, and the last one's own call after its status.
    let request = desk.request()
    request.call.answer(.status(StatusSamples.wornKeyboard))
    for client in clients { #expect(client.message() != nil) }
    for client in clients {
      try client.send(status)
      #expect(client.message() != nil)
    }
    #expect(desk.server.requests.isEmpty)
    try clients[0].send(ControlCall(ControlMethod.pause.fullName))
    desk.request().call.answer()
    #expect(clients[0].message() != nil)
    try clients[1].send(status)
    #expect(desk.request().kind == .status)
  }

  @Test("makes a status anew when the pause is over")
  func renewed() throws {
    let desk = try Desk { $0.pause = 0 }
    let client = try desk.connect()
    for _ in 0..<2 {
      try client.send(ControlCall(ControlMethod.status.fullName))
      desk.request().call.answer(.status(StatusSamples.withoutDevices))
      #expect(client.message() != nil)
    }
  }
}

@Suite("The daemon's socket: limits")
struct ControlLimitTests {
  @Test(
    "has room for twelve members who ask, and four more of root's and the service's own, and says so to others"
  )
  func connections() throws {
    let desk = try Desk()
    var clients: [Client] = []
    for _ in 1...12 {
      let client = try desk.connect(isRoot: false)
      try client.send(ControlCall(ControlMethod.reload.fullName))
      clients.append(client)
    }
    let calls = clients.map { _ in desk.request().call }
    let refused = try desk.connect(isRoot: false)
    #expect(try refused.answer()?.error == ControlRefusal.tooMany.fullName)
    #expect(refused.message() == nil)
    for user in [0, Desk.own, Desk.own, 0] {
      let root = try desk.connect(as: user)
      #expect(root.isServed())
      clients.append(root)
    }
    #expect(try desk.connect().answer()?.error == ControlRefusal.tooMany.fullName)
    // Who goes leaves room. The server closes its end once it has seen that.
    for call in calls { call.answer(.problems([])) }
    for client in clients[..<12] { #expect(client.message() != nil) }
    clients.removeFirst()
    #expect(clients[0].isServed())
    var next = try desk.connect(isRoot: false)
    next.send(info)
    while try next.answer()?.error != nil {
      next = try desk.connect(isRoot: false)
      next.send(info)
    }
  }

  @Test("closes the member's connection that has been idle for longest, where another one comes")
  func idle() throws {
    let desk = try Desk()
    let root = try desk.connect()
    #expect(root.isServed())
    var members: [Client] = []
    /// Connects one more, who is served; then those have been closed.
    func expectClosed(_ closed: Set<Int>) throws {
      let next = try desk.connect(isRoot: false)
      #expect(next.isServed())
      members.append(next)
      #expect(Set(members.indices.filter { members[$0].hasEnded() }) == closed)
    }
    for _ in 1...12 { try expectClosed([]) }
    // The first has asked something since.
    #expect(members[0].isServed())
    try expectClosed([1])
    // Neither half a request is idle, nor a call without an answer yet.
    members[2].send(Array(info.utf8))
    try members[3].send(ControlCall(ControlMethod.reload.fullName))
    let call = desk.request().call
    // Each turn of the thread reads from all before it takes anybody.
    #expect(members[4].isServed())
    try expectClosed([1, 5])
    call.answer(.problems([]))
    #expect(members[3].message() != nil)
    members[2].send([endOfMessage])
    #expect(members[2].message() != nil)
    #expect(!root.hasEnded())
  }

  @Test("gives root the place of a client that has gone before its answer came, and nobody else")
  func abandoned() throws {
    let desk = try Desk()
    var clients: [Client] = []
    for index in 1...16 {
      let client = try desk.connect(isRoot: index > 12)
      try client.send(ControlCall(ControlMethod.reload.fullName))
      clients.append(client)
    }
    let calls = clients.map { _ in desk.request().call }
    clients.removeFirst()
    #expect(try desk.connect(isRoot: false).answer()?.error == ControlRefusal.tooMany.fullName)
    let root = try desk.connect()
    #expect(root.isServed())
    // Those who still wait have kept their places, and get their answers.
    #expect(try desk.connect().answer()?.error == ControlRefusal.tooMany.fullName)
    for call in calls { call.answer(.problems([])) }
    for client in clients { #expect(client.message() != nil) }
    #expect(root.isServed())
  }

  @Test("lets a hundred wait in line while it is busy, and answers each of them")
  func line() throws {
    let folder = try Folder()
    let isBusy = DispatchSemaphore(value: 0)
    let server = try ControlServer(in: folder.path) { _ in
      isBusy.wait()
      isBusy.signal()
      return 0
    }
    server.start(log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    defer { server.end() }
    let clients = try (0..<100).map { _ in
      try Client(ControlInterface.socket(in: folder.path))
    }
    isBusy.signal()
    for client in clients[16...] {
      #expect(try client.answer()?.error == ControlRefusal.tooMany.fullName)
    }
    #expect(clients[0].isServed())
  }

  @Test("reads 4096 bytes of a request, and closes what is longer")
  func length() throws {
    let desk = try Desk()
    let padded = String(repeating: " ", count: 4095 - info.utf8.count)
    let client = try desk.connect()
    client.send(info + padded)
    #expect(client.message() != nil)
    client.send(info + padded + " ")
    #expect(client.message() == nil)
    let flood = try desk.connect(isRoot: false)
    flood.send([UInt8](repeating: UInt8(ascii: "{"), count: 1 << 20))
    #expect(flood.message() == nil)
  }

  @Test(
    "closes what sends no call, and answers others meanwhile",
    arguments: [
      "", "null", "{}", "[[[", "\u{7}", #"{"method":1}"#, #"{"method":"a.B","parameters":[]}"#,
    ])
  func garbage(_ text: String) throws {
    let desk = try Desk()
    let (client, other) = (try desk.connect(isRoot: false), try desk.connect(isRoot: false))
    client.send(text)
    #expect(client.message() == nil)
    #expect(other.isServed())
  }

  @Test("closes a connection whose request stays a half, and none that rests")
  func half() throws {
    let desk = try Desk { $0.patience = 1000 }
    let (resting, half) = (try desk.connect(), try desk.connect(isRoot: false))
    half.send(Array(info.utf8))
    #expect(half.message() == nil)
    #expect(resting.isServed())
  }

  @Test("closes a member that does not read its answer, and goes on sending to root")
  func unread() throws {
    // Root reads when the member is closed, which may take a busy machine longer than usual answers may.
    let desk = try Desk { $0.patience = 3_600_000_000 }
    let problems = Array(repeating: String(repeating: "x", count: 1 << 16), count: 64)
    let (member, root) = (try desk.connect(isRoot: false), try desk.connect())
    for client in [member, root] { try client.send(ControlCall(ControlMethod.reload.fullName)) }
    for _ in 0..<2 { desk.request().call.answer(.problems(problems)) }
    #expect(member.hasEnded(after: -1))
    #expect(member.message() == nil)
    #expect(root.message().map { $0.count > 64 << 16 } == true)
  }

  @Test("closes a member that does not read an answer that was made for another, too")
  func unreadShared() throws {
    let desk = try Desk { $0.pause = 3_600_000_000 }
    let members = try (0..<2).map { _ in try desk.connect(isRoot: false) }
    let root = try desk.connect()
    let call = ControlCall(ControlMethod.devices.fullName)
    try members[0].send(call)
    let name = String(repeating: "x", count: 1 << 22)
    let device = ControlledDevice(
      node: "/dev/input/event3", name: name, state: .debounced, paused: false)
    desk.request().call.answer(.devices([device]))
    #expect(members[0].hasEnded(after: -1))
    try members[1].send(call)
    // Each turn of the thread serves all connections: that of root's second call comes after the member's.
    for _ in 0..<2 { #expect(root.isServed()) }
    #expect(members[1].hasEnded())
    #expect(desk.server.requests.isEmpty)
  }

  @Test("closes a connection whose answer nobody reads for too long")
  func slow() throws {
    let desk = try Desk { $0.patience = 1000 }
    let client = try desk.connect()
    try client.send(ControlCall(ControlMethod.reload.fullName))
    let text = String(repeating: "x", count: 1 << 22)
    desk.request().call.answer(.problems([text]))
    #expect(client.hasEnded(after: -1))
    #expect(client.message() == nil)
  }
}

@Suite("The daemon's socket: watching")
struct ControlWatchTests {
  @Test("leaves the connection to the daemon, which answers and goes on writing")
  func watch() throws {
    let desk = try Desk()
    let client = try desk.connect()
    try client.send(
      ControlCall(ControlMethod.watch.fullName, ControlMethod.watch.sample, upgrade: true))
    let request = desk.request()
    guard case .watch(_, let socket) = request.kind else {
      Issue.record("the call did not arrive")
      return
    }
    let watcher = WatchSocket(socket)
    #expect(watcher.write(notice: VarlinkService.done))
    request.call.answer(.watching)
    // The zero byte is for the client here, which reads up to it.
    let lines = Array("N: Desk\nE: 1\n".utf8) + [endOfMessage]
    #expect(watcher.write(lines))
    #expect(client.message() == Array(#"{"parameters":{}}"#.utf8))
    #expect(client.message() == Array(lines.dropLast()))
    // Nobody reads what the client sends now, and the server does not end it.
    client.send("garbage")
    let other = try desk.connect()
    #expect(other.isServed())
    #expect(!watcher.isAbandoned)
    shutdown(client.socket, CInt(SHUT_RDWR))
    #expect(watcher.isAbandoned)
    #expect(!watcher.write(lines))
  }
}

@Suite("The daemon's socket in the file system")
struct ControlSocketTests {
  /// The kind of what is at a path, and its mode; `nil` if nothing is.
  private static func mode(of path: String) -> mode_t? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode : nil
  }

  private static func server(in folder: String) throws -> (ControlServer, Notebook) {
    let (server, log) = (try ControlServer(in: folder), Notebook())
    starting.withLock { _ in server.start(log: log.logger) }
    return (server, log)
  }

  @Test("is for root and the group alone, and gone at the end")
  func mode() throws {
    let folder = try Folder()
    let path = ControlInterface.socket(in: folder.path)
    let group = getegid()
    let (server, log) = try Self.server(in: folder.path)
    #expect(log.lines == [])
    let mode = try #require(Self.mode(of: path))
    let isForGroup = ControlServer.group.map { geteuid() == 0 || getegid() == $0 } ?? false
    #expect(mode & S_IFMT == S_IFSOCK && mode & 0o777 == (isForGroup ? 0o660 : 0o600))
    var status = stat()
    #expect(lstat(path, &status) == 0 && status.st_uid == geteuid())
    if isForGroup { #expect(status.st_gid == ControlServer.group) }
    // The process's own mask and group are as they were.
    let mask = starting.withLock { _ in
      let mask = umask(0o22)
      umask(mask)
      return mask
    }
    #expect(mask & 0o111 == 0 && getegid() == group)
    server.end()
    #expect(Self.mode(of: path) == nil)
  }

  @Test("takes the place of one that a killed daemon has left")
  func stale() throws {
    let folder = try Folder()
    let path = ControlInterface.socket(in: folder.path)
    close(try openSocket(listeningAt: path, backlog: 1))
    #expect(throws: Errno.connectionRefused) {
      try openSocket(connectedTo: path)
    }
    let (server, _) = try Self.server(in: folder.path)
    defer { server.end() }
    close(try openSocket(connectedTo: path))
  }

  @Test("leaves a file of another kind where it is, and says so")
  func otherFile() throws {
    let folder = try Folder([ControlInterface.name: "mine"])
    let path = ControlInterface.socket(in: folder.path)
    let (server, log) = try Self.server(in: folder.path)
    #expect(log.lines.first?.contains("\(path): a file that is no socket") == true)
    server.end()
    #expect(Self.mode(of: path).map { $0 & S_IFMT } == S_IFREG)
  }
}
