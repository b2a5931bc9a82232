import CEvdev
import Control
import Debounce
import EventDevices
import Glibc
import Status
import TestMachine
import TypingModel

/// What may happen in a soak besides typing.
enum SoakAction: CaseIterable {
  /// Other settings: SIGHUP, or through the socket.
  case reload
  /// Settings that are refused.
  case brokenReload
  /// The process does not run for a moment, and what is typed meanwhile has room in the kernel's buffer.
  case stall
  /// The same, and there is not room for all.
  case stallWithOverrun
  /// More than the kernel's buffer holds, at once.
  case overrun
  case unplug
  /// Pulled out while the process does not run.
  case unplugInStall
  /// The wall clock.
  case clockJump
  case led
  /// The status is asked for while keys move.
  case status
  /// A terminal asks the process to stop, as with Ctrl-Z.
  case stopSignal
  /// New settings leave a device alone for a while.
  case giveBack
  /// The machine.
  case sleep

  /// Those that are drawn from the deck. The machine takes long to sleep.
  static let drawn = allCases.filter { $0 != .sleep }

  /// Whether nothing else happens meanwhile.
  var isInterlude: Bool {
    switch self {
    case .giveBack, .sleep: true
    default: false
    }
  }
}

extension Soak {
  /// Does it, unless it is not possible now.
  func perform(_ action: SoakAction) throws {
    happened.append(action)
    let isDone =
      switch action {
      case .reload: try reload()
      case .brokenReload: try reloadBroken()
      case .stall: try stall()
      case .stallWithOverrun: try stall(overrunning: true)
      case .overrun: try overrun()
      case .unplug: try unplug()
      case .unplugInStall: try unplug(whileStopped: true)
      case .clockJump: jump()
      case .led: setLED()
      case .status: try askInFlight()
      case .stopSignal: sendStopSignal()
      case .giveBack: try giveBack()
      case .sleep: try sleepMachine()
      }
    if isDone { done[action, default: 0] += 1 }
  }

  private var present: [SoakDevice] { devices.filter(\.isGrabbed) }

  private var now: Int64 { monotonicNow() }

  private func jump() -> Bool {
    wallClock.jump(&random)
    return true
  }
}

// MARK: - Typing

extension Soak {
  /// Has a person type on the device, which is worn, or move it if it is a mouse.
  func scheduleTyping(on device: SoakDevice, from start: Int64, lasting length: Int64) {
    var wear = Wear()
    wear.faultyKeys = 0.6
    wear.rate = 0.25
    var manner = Typing.Manner()
    manner.tapping = 5
    let session = Session(
      presses: Int(length / 150_000), manner: manner, wear: wear, seed: random.next())
    for edge in session.edges where edge.time < length {
      let key = device.kind == .mouse ? KeyCode(BTN_LEFT) + edge.key % 3 : edge.key
      schedule(at: start + edge.time) { [unowned device] in
        if device.isGrabbed { device.send(key, down: edge.down) }
      }
    }
    guard device.kind == .mouse else { return }
    for time in stride(from: 0, to: length, by: 40_000) {
      let way = [REL_X, REL_Y].map { (axis: $0, value: Int.random(in: 1...50, using: &random)) }
      schedule(at: start + time) { [unowned device] in device.send(way) }
    }
  }

  /// Has a device send more at once than the kernel keeps.
  private func overrun() throws -> Bool {
    guard let device = present.randomElement(using: &random) else { return false }
    device.mayLose = true
    for _ in 0..<Int.random(in: 2...8, using: &random) {
      var edges: [(key: KeyCode, down: Bool)] = []
      for _ in 0..<100 {
        let key = device.keys.randomElement(using: &random) ?? 2
        edges.append((key, !device.down.contains(key)))
        edges.append((key, Bool.random(using: &random)))
      }
      try device.send(atOnce: edges)
    }
    return true
  }

  private func setLED() -> Bool {
    guard let desk = devices.first, desk.isGrabbed, let reader = desk.reader else { return false }
    let value = Int32.random(in: 0...1, using: &random)
    // Both ways: what a clone shows already, the kernel does not pass on.
    for value in [1 - value, value] {
      reader.node.send([Event(type: UInt16(EV_LED), code: UInt16(LED_MISC), value: value)])
    }
    led = value
    return true
  }
}

// MARK: - Settings

extension Soak {
  /// Whether the daemon has yet to answer to what it was told.
  private var isReloading: Bool { reloadsHeard + refusalsHeard < reloads }

  private func reload() throws -> Bool {
    guard !isReloading else { return false }
    strategiesToCome = [:]
    try folder.write(defaults: SoakSettings.defaults(&random))
    for device in devices where Bool.random(using: &random) {
      let settings = SoakSettings(for: device, &random)
      try folder.write(device: device.file, settings.text)
      strategiesToCome[device.name] = settings.strategy
    }
    reloads += 1
    if isStopped || Bool.random(using: &random) {
      daemon.signal(SIGHUP)
    } else {
      let problems = try Self.askToReload()
      if !problems.isEmpty { complain("the settings are refused: \(problems)") }
    }
    return true
  }

  private static func askToReload() throws -> [String] {
    var client = try DaemonClient()
    return try client.reload()
  }

  private func reloadBroken() throws -> Bool {
    guard !isReloading, !isStopped else { return false }
    let file = "99-broken.toml"
    try folder.write(device: file, "[device]\nname = \"x\"\n[debounce]\nstrategy = \"eagre\"\n")
    reloads += 1
    if try Self.askToReload().isEmpty { complain("broken settings are accepted") }
    unlink("\(folder.path)/devices.d/\(file)")
    return true
  }

  /// Has the daemon leave a device alone for a while, with keys down or not.
  private func giveBack() throws -> Bool {
    try wait(for: "the reload before") { !isReloading }
    guard let device = present.randomElement(using: &random) else { return false }
    guard let before = try statusWhenAllHasComeIn(of: device) else { return false }
    strategiesToCome = [:]
    device.finalCounts = nil
    for isIgnored in [true, false] {
      let settings = SoakSettings(for: device, isIgnored: isIgnored, &random)
      try folder.write(device: device.file, settings.text)
      strategiesToCome[device.name] = settings.strategy
      reloads += 1
      daemon.signal(SIGHUP)
      if isIgnored {
        try wait(for: "“\(device.name)” to be given back") { device.finalCounts != nil }
        device.isGrabbed = false
        device.keysWereLetGo()
        try waitForEnd(of: device, after: before)
        guard let path = device.device?.path, try EventReader(path: path).grab() else {
          complain("\(device.name): still grabbed")
          continue
        }
      }
      try wait(for: "the reload") { !isReloading }
    }
    try waitUntilGrabbed()
    return true
  }
}

// MARK: - Coming and going

extension Soak {
  private func unplug(whileStopped: Bool = false) throws -> Bool {
    guard !isStopped, let device = present.randomElement(using: &random) else { return false }
    guard let before = try statusWhenAllHasComeIn(of: device) else { return false }
    device.finalCounts = nil
    if whileStopped { try stop(for: 200_000) }
    device.unplug()
    if device.kind == .desk { led = nil }
    if whileStopped { try listen(until: now + 100_000) }
    if isStopped { try goOn() }
    try wait(for: "“\(device.name)” to be let go of") { device.finalCounts != nil }
    try waitForEnd(of: device, after: before)
    // Sometimes at once, sometimes later.
    schedule(at: now + Int64.random(in: 0...1_000_000, using: &random)) { [unowned self] in
      try device.plug()
      guard Bool.random(using: &random), let key = device.keys.randomElement(using: &random) else {
        return
      }
      // The daemon waits for it to come up.
      device.send(key, down: true)
      schedule(at: now + Int64.random(in: 0...500_000, using: &random)) {
        device.send(key, down: false)
      }
    }
    return true
  }

  private func statusWhenAllHasComeIn(of device: SoakDevice) throws -> DeviceStatus? {
    try statusWhenAllHasComeIn().first { $0.device === device }?.status
  }

  private func waitForEnd(of device: SoakDevice, after before: DeviceStatus) throws {
    try wait(for: "the end of the clone of “\(device.name)”") {
      device.reader?.node.hasEnded ?? true
    }
    for complaint in device.reconcileEnd(after: before) {
      complain("\(device.name): \(complaint)")
    }
  }
}

// MARK: - The process

extension Soak {
  private func stop(for length: Int64) throws {
    daemon.signal(SIGSTOP)
    try daemon.waitUntilStopped()
    isStopped = true
    for device in devices {
      device.eventsWhileStopped = 0
      // Its keys repeat, which takes room too.
      if device.kind == .desk, length > 200_000 { device.mayLose = true }
    }
    schedule(at: now + length) { [unowned self] in if isStopped { try goOn() } }
  }

  /// Lets the process run again.
  func goOn() throws {
    // The kernel keeps 64 events; some may have been there before.
    for device in devices where device.eventsWhileStopped > 40 { device.mayLose = true }
    isStopped = false
    daemon.signal(SIGCONT)
  }

  private func stall(overrunning: Bool = false) throws -> Bool {
    guard !isStopped else { return false }
    try stop(for: Int64.random(in: 10_000...800_000, using: &random))
    return try !overrunning || overrun()
  }

  private func askInFlight() throws -> Bool {
    guard !isStopped else { return false }
    _ = try statusWhenAllHasComeIn()
    return true
  }

  /// The daemon goes on: whatever comes next shows it.
  private func sendStopSignal() -> Bool {
    daemon.signal([SIGTSTP, SIGTTIN, SIGTTOU].randomElement(using: &random) ?? SIGTSTP)
    return true
  }

  /// Has the machine sleep, with keys down or not.
  private func sleepMachine() throws -> Bool {
    _ = try statusWhenAllHasComeIn()
    let before = sleepsHeard
    try MachineSleep.sleepAndWake()
    for device in devices {
      device.interruptions += 1
      if !device.down.isEmpty { device.mayLose = true }
      device.keysWereLetGo()
    }
    try wait(for: "the daemon to notice that the machine was asleep") { sleepsHeard > before }
    return true
  }
}
