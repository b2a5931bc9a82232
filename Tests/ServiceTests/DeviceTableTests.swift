import Debounce
import Glibc
import Logging
import Testing

@testable import Service

@Suite("The table of devices")
struct DeviceTableTests {
  private let loop: EventLoop
  private let devices: DeviceTable<ScriptedDevice>
  private let start = Instant.now

  init() throws {
    let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    loop = try EventLoop(signals: [])
    devices = DeviceTable(
      loop: loop, background: try Background(folder: nil, log: log), log: log)
  }

  private func add(_ script: ScriptedDevice.Script) throws -> DeviceID {
    try devices.add(ScriptedDevice(script))
    return try #require(devices.first { $0.nodePath == script.nodePath })
  }

  /// What the loop finds without waiting.
  private func found() throws -> [EventLoop.Token] {
    (0..<(try loop.wait(false))).compactMap { loop.token(at: $0) }
  }

  @Test("listens to a device's source and to its clone")
  func listening() throws {
    let script = ScriptedDevice.Script()
    let id = try add(script)
    script.source.send()
    #expect(try found() == [.source(id)])
    script.source.drain()
    script.clone.send()
    #expect(try found() == [.clone(id)])
    devices.readClone(of: id)
    #expect(script.cloneReads == 1)
  }

  @Test("passes motion on as long as a device sends nothing else")
  func motion() throws {
    let script = ScriptedDevice.Script()
    let id = try add(script)
    script.motions = [.passed(at: nil), .passed(at: start), .other]
    for _ in script.motions { script.source.send() }
    var times: [Instant] = []
    func pass(_ goesOn: Bool) throws -> Int {
      try devices.passMotion(of: id) {
        times.append($0)
        return goesOn
      }
    }
    #expect(try pass(true) == 1)
    #expect(times == [start])
    #expect(script.motions.isEmpty && script.turns == 0)
    // It sends none any more.
    #expect(try pass(true) == 1)

    script.motions = [.passed(at: start), .passed(at: start)]
    for _ in script.motions { script.source.send() }
    #expect(try pass(false) == 0)
    #expect(script.motions.count == 1)
  }

  @Test("passes motion on until something else happens")
  func motionAmongOthers() throws {
    let scripts = [ScriptedDevice.Script(), ScriptedDevice.Script()]
    let ids = try scripts.map(add)
    scripts[0].motions = [.passed(at: nil), .passed(at: nil), .passed(at: nil)]
    for _ in 0..<2 { scripts[0].source.send() }
    scripts[1].clone.send()
    #expect(try devices.passMotion(of: ids[0]) { _ in true } == 2)
    #expect(scripts[0].motions.count == 2)
    // The next thing alone is of another device.
    #expect(try devices.passMotion(of: ids[0]) { _ in true } == 1)
    #expect(loop.token(at: 0) == .clone(ids[1]))
    #expect(scripts[0].motions.count == 1)
  }

  @Test("wakes the loop for a deadline that an update has set")
  func deadline() throws {
    let script = ScriptedDevice.Script()
    let id = try add(script)
    devices.update(id) { _ in script.deadline = start + 1000 }
    #expect(try loop.wait(true) == 1)
    #expect(loop.token(at: 0) == .timer)
  }

  @Test("is settled when none of its devices is on its way to being grabbed")
  func settled() throws {
    #expect(devices.areSettled)
    let scripts = [ScriptedDevice.Script(), ScriptedDevice.Script()]
    for script in scripts { _ = try add(script) }
    #expect(devices.areSettled)
    scripts[1].lifecycle = Lifecycle(grabAfter: nil, at: start)
    #expect(!devices.areSettled)
  }

  @Test("reports news once, whatever it came from")
  func news() throws {
    let scripts = [ScriptedDevice.Script(), ScriptedDevice.Script()]
    let ids = try scripts.map(add)
    _ = devices.takeNews()
    devices.update(ids[0]) { _ in scripts[0].hasNews = true }
    #expect(devices.takeNews())
    #expect(!devices.takeNews())
    scripts[1].hasNews = true
    devices.updateAll { _ in }
    #expect(devices.takeNews())
  }

  @Test("reads on with a device that has more, and with no other")
  func backlog() throws {
    let scripts = [ScriptedDevice.Script(), ScriptedDevice.Script()]
    let ids = try scripts.map(add)
    scripts[0].turnsWithMore = 2
    devices.readSource(of: ids[0], now: start)
    #expect(devices.isBehind)
    devices.readBacklog(now: start)
    #expect(devices.isBehind)
    devices.readBacklog(now: start)
    #expect(!devices.isBehind)
    devices.readBacklog(now: start)
    #expect(scripts.map(\.turns) == [3, 0])
  }

  @Test("stores a closed device's counts, and removes it when its clone's readers are done")
  func closing() throws {
    let script = ScriptedDevice.Script()
    let id = try add(script)
    script.turnsWithMore = 1
    devices.readSource(of: id, now: start)
    devices.update(id) { _ in
      script.lifecycle.state = .closed(until: start + 5000)
      script.deadline = start + 5000
    }
    #expect(!devices.isBehind)
    #expect(script.stores == 1)
    script.source.send()
    #expect(try !found().contains(.source(id)))
    devices.advance(to: start + 4999)
    #expect(!devices.isEmpty)
    devices.advance(to: start + 5000)
    #expect(devices.isEmpty)
    devices.readSource(of: id, now: start)
    #expect(devices.update(id) { _ in } == nil)
    #expect(script.turns == 1, "reached after it was removed")
  }

  @Test("gives a turn to the devices that are due, and keeps the others' deadlines")
  func time() throws {
    let scripts = [ScriptedDevice.Script(), ScriptedDevice.Script()]
    for script in scripts { _ = try add(script) }
    scripts[0].deadline = start + 100
    scripts[1].deadline = start + 2000
    devices.updateAll { _ in }
    scripts[0].deadline = .never
    #expect(try loop.wait(true) == 1)
    loop.timerWentOff()
    devices.advance(to: start + 100)
    #expect(scripts.map(\.turns) == [1, 0])
    #expect(try loop.wait(true) == 1, "the second deadline is lost")
  }

  @Test("lets go of every device when the panic chord is held on one")
  func panic() throws {
    let scripts = (0..<3).map { _ in ScriptedDevice.Script() }
    let ids = try scripts.map(add)
    #expect(!devices.hasPanicked)
    scripts[1].panicsInTurn = true
    devices.readSource(of: ids[1], now: start)
    #expect(devices.hasPanicked)
    #expect(scripts.map(\.timesLetGo) == [1, 1, 1])
    devices.readSource(of: ids[1], now: start)
    #expect(scripts.map(\.timesLetGo) == [1, 1, 1])
  }

  @Test("reads every device that is open after the machine was asleep")
  func sleep() throws {
    let scripts = [ScriptedDevice.Script(), ScriptedDevice.Script()]
    let ids = try scripts.map(add)
    devices.update(ids[1]) { _ in scripts[1].lifecycle.state = .closed(until: .never) }
    devices.hasSlept(now: start)
    #expect(scripts[0].timesSlept == 1)
    #expect(devices.isBehind)
    devices.readBacklog(now: start)
    #expect(!devices.isBehind)
    #expect(scripts.map(\.turns) == [1, 0])
  }
}
