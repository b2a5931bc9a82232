import CEvdev
import Debounce
import Status
import TestMachine

/// A keyboard or mouse in a soak: what it sends, what is read of it, and what must be true of both.
final class SoakDevice {
  /// What kind of device it is.
  enum Kind: CaseIterable {
    /// With LEDs, and keys that repeat.
    case desk
    /// With scan codes.
    case scanning
    case plain
    case mouse
  }

  let kind: Kind
  let name: String

  /// A key whose edges wait for ``restWait``: when its stroke is read, everything sent before it has been decided.
  let restMark: KeyCode
  /// In milliseconds; longer than any other wait of the soak's configurations.
  static let restWait = 200

  /// The device, while it is plugged in.
  private(set) var device: UinputDevice?
  /// The application at its clone, while there is one.
  private(set) var reader: SoakReader?
  /// Whether the daemon has it: what it sends counts.
  var isGrabbed = false
  /// The keys that are down.
  private(set) var down: Set<KeyCode> = []
  /// The counts that the daemon told when the device's last life ended.
  var finalCounts: SoakCounts?
  /// The strategy that its file gives it, and the one of a file not yet read.
  var strategy = ""

  // MARK: What happened since the last account

  /// Whether it sent more than the kernel keeps while the daemon did not read.
  var mayLose = false
  /// How often what waited was dropped: the daemon let go of the device, or the machine slept.
  var interruptions = 0
  /// How many events it sent since the daemon was stopped.
  var eventsWhileStopped = 0
  private(set) var sent = 0
  private var motion: [UInt16: Int] = [:]
  private var countsBefore = SoakCounts()
  private var readBefore = (
    presses: 0, releases: 0, scanCodes: 0, motion: [UInt16: Int]()
  )

  // MARK: The whole soak

  /// What the daemon has counted in all lives.
  private(set) var counts = SoakCounts()
  private(set) var lives = 0
  private(set) var events = 0
  /// Clones that went before all was read, although the daemon lets them stay for a moment.
  private(set) var unreadEnds = 0

  init(_ kind: Kind) {
    self.kind = kind
    name = "keydebounce soak \(kind)"
    restMark = KeyCode(kind == .mouse ? BTN_TASK : KEY_F10)
  }

  /// Its file in the configuration.
  var file: String { "10-\(kind).toml" }

  /// What the mark is called in a configuration.
  var restMarkName: String { kind == .mouse ? "BTN_TASK" : "KEY_F10" }

  /// Keys that any action may press. Escape is not among them: with it, they might hold the panic chord.
  var keys: [KeyCode] {
    kind == .mouse ? (KeyCode(BTN_LEFT)...KeyCode(BTN_EXTRA)).map { $0 } : Array(2...53)
  }

  private var blueprint: Blueprint {
    if kind == .mouse {
      var mouse = Blueprint.mouse(name: name)
      mouse.codes[EV_KEY] = Array(BTN_LEFT...BTN_TASK)
      return mouse
    }
    var keyboard = Blueprint.keyboard(name: name)
    // Each key takes a call to make.
    keyboard.codes[EV_KEY] = Array(1..<70)
    keyboard.codes[EV_LED] = kind == .desk ? [LED_CAPSL, LED_MISC] : nil
    keyboard.repeats = kind == .desk
    return keyboard
  }
}

// MARK: - Coming and going

extension SoakDevice {
  func plug() throws {
    device = try UinputDevice(blueprint, waitingForUdev: false)
    down = []
    finalCounts = nil
  }

  /// Pulls it out: the kernel lets go of its keys.
  func unplug() {
    device = nil
    isGrabbed = false
    down = []
  }

  /// Hears that the daemon has it, and where the clone is.
  func isDebounced(as path: String) throws {
    isGrabbed = true
    guard reader?.node.path != path || reader?.node.hasEnded != false else { return }
    reader = try SoakReader(path: path)
    countsBefore = SoakCounts()
    readBefore = (0, 0, 0, [:])
    sent = 0
    motion = [:]
    lives += 1
  }

  /// Hears that the kernel has let go of its keys.
  func keysWereLetGo() {
    down = []
  }
}

// MARK: - Sending

extension SoakDevice {
  /// Sends an edge, if it is one.
  func send(_ key: KeyCode, down isDown: Bool) {
    guard move(key, down: isDown) else { return }
    send((kind == .scanning ? [.scan(Int32(key))] : []) + [.key(key, down: isDown)])
  }

  /// Moves the mouse.
  func send(_ movements: [(axis: CInt, value: Int)]) {
    guard isGrabbed else { return }
    for (axis, value) in movements { motion[UInt16(axis), default: 0] += value }
    send(
      movements.map { Event(type: UInt16(EV_REL), code: UInt16($0.axis), value: Int32($0.value)) })
  }

  private func send(_ frame: [Event]) {
    device?.send(frame)
    events += frame.count + 1
    eventsWhileStopped += frame.count + 1
  }

  /// Takes note of an edge.
  ///
  /// - Returns: Whether it is one.
  private func move(_ key: KeyCode, down isDown: Bool) -> Bool {
    guard device != nil, down.contains(key) != isDown else { return false }
    if isDown { down.insert(key) } else { down.remove(key) }
    if isDown, isGrabbed { sent += 1 }
    return true
  }

  /// Sends edges, each a frame, with one call.
  func send(atOnce edges: [(key: KeyCode, down: Bool)]) throws {
    var batch: [input_event] = []
    for (key, isDown) in edges where move(key, down: isDown) {
      if kind == .scanning {
        batch.append(cevdev_event(0, UInt16(EV_MSC), UInt16(MSC_SCAN), Int32(key)))
      }
      batch.append(cevdev_event(0, UInt16(EV_KEY), key, isDown ? 1 : 0))
      batch.append(cevdev_event(0, UInt16(EV_SYN), UInt16(SYN_REPORT), 0))
    }
    guard let device, batch.withUnsafeBufferPointer({ device.send($0) }) else {
      throw WaitedInVain(description: "“\(name)” cannot send")
    }
    events += batch.count
    eventsWhileStopped += batch.count
  }

  func letAllKeysGo() {
    for key in down.sorted() { send(key, down: false) }
  }
}

// MARK: - Accounts

extension SoakDevice {
  /// What the daemon has counted since the last account.
  func news(_ status: DeviceStatus) -> SoakCounts { SoakCounts(status) - countsBefore }

  /// Whether every press that was sent has come in.
  func hasComeIn(_ status: DeviceStatus) -> Bool { mayLose || news(status).pressesIn == sent }

  /// Complaints while keys move: more presses came in without an outcome than keys can wait.
  func complaintsInFlight(_ status: DeviceStatus) -> [String] {
    guard !mayLose, interruptions == 0 else { return [] }
    let news = news(status)
    guard 0...keys.count + 2 ~= news.unexplained else {
      return ["in flight, \(news.unexplained) presses wait of \(news)"]
    }
    return news.pressesIn <= sent ? [] : ["\(news.pressesIn) presses came in of \(sent) sent"]
  }

  /// Closes the account since the last one, with every key up and nothing waiting.
  ///
  /// - Returns: What is wrong.
  func reconcile(_ status: DeviceStatus) throws -> [String] {
    guard let reader, let device else { return ["it is not there"] }
    var complaints = close(news(status), read: reader)
    if status.state != .debounced { complaints.append("it is \(status.state)") }
    if status.strategy != strategy {
      complaints.append("its strategy is \(status.strategy), not \(strategy)")
    }
    let (source, clone) = (
      try DeviceState(path: device.path), try DeviceState(path: reader.node.path)
    )
    if !clone.keys.isEmpty || !source.keys.isEmpty {
      complaints.append("down at the device: \(source.keys), at the clone: \(clone.keys)")
    }
    if !reader.hasLost, !reader.down.isEmpty {
      complaints.append("down for the application: \(reader.down.sorted())")
    }
    if !mayLose, interruptions == 0, !reader.hasLost {
      let edges = reader.presses - readBefore.presses + reader.releases - readBefore.releases
      let codes = reader.scanCodes - readBefore.scanCodes
      // Each edge brings its scan code along, however late it is passed on.
      if codes != (kind == .scanning ? edges : 0) {
        complaints.append("\(codes) scan codes came out with \(edges) edges")
      }
    }
    if !mayLose, !reader.hasLost {
      for (axis, moved) in motion {
        let read = reader.motion[axis, default: 0] - readBefore.motion[axis, default: 0]
        if read != moved { complaints.append("axis \(axis) moved by \(read) and not by \(moved)") }
      }
    }
    countsBefore = SoakCounts(status)
    readBefore = (reader.presses, reader.releases, reader.scanCodes, reader.motion)
    reader.restart()
    forgetNews()
    return complaints
  }

  /// Closes the account of a life that has ended.
  ///
  /// The engine's counters end with the device, so their last word is what the daemon says when it lets go of it; presses
  /// in and suppressed strokes are not part of that, and are those of the status just before.
  ///
  /// - Parameter before: The status just before, with nothing sent since.
  /// - Returns: What is wrong.
  func reconcileEnd(after before: DeviceStatus) -> [String] {
    guard let reader, var final = finalCounts else { return ["its end was not told"] }
    let waiting = news(before).unexplained
    final.pressesIn = Int(before.counts.pressesIn)
    final.throttled = Int(before.counts.throttled)
    final.lockedOut = Int(before.counts.lockedOut)
    final.resynchronisations = Int(before.counts.resynchronisations)
    let news = final - countsBefore
    var complaints: [String] = []
    // What waited may have been passed on, been chatter, or be given up; a stroke that was put off may have come out.
    if !mayLose, interruptions == 0, news.unexplained > waiting || news.unexplained < -keys.count {
      complaints.append(
        "\(waiting) presses waited at the end, and \(news.unexplained) were given up")
    }
    if !reader.hasLost,
      !reader.down.isEmpty || news.pressesOut != reader.presses - readBefore.presses
    {
      unreadEnds += 1
    }
    interruptions += 1
    complaints += close(news, read: reader, isEnd: true)
    self.reader = nil
    forgetNews()
    return complaints
  }

  private func close(_ news: SoakCounts, read reader: SoakReader, isEnd: Bool = false) -> [String] {
    counts += news
    let lost = sent - news.pressesIn
    let read = reader.presses - readBefore.presses
    let unread = news.pressesOut - read

    var complaints = reader.faults
    if mayLose ? lost < 0 : lost != 0 {
      complaints.append("\(sent) presses were sent, and \(news.pressesIn) came in")
    }
    if !mayLose, news.resynchronisations != 0 {
      complaints.append("events were lost although there was room for them")
    }
    let disturbances = news.resynchronisations + interruptions
    if abs(news.unexplained) > disturbances * (keys.count + 2) {
      complaints.append("\(news.unexplained) presses are not explained, of \(news)")
    }
    // Besides a machine that stands still, an overrun, or a clone's end, is all that an application may be too slow for.
    let mayBeUnread = reader.losses > 0 && mayLose || reader.delays > 0 || isEnd
    if unread < 0 || unread > 0 && !mayBeUnread {
      complaints.append("\(news.pressesOut) presses came out, and \(read) were read")
    }
    if let soonest = reader.soonestLoss, !mayLose {
      complaints.append("the application lost events, \(soonest) µs after it had read all")
    }
    return complaints
  }

  private func forgetNews() {
    sent = 0
    motion = [:]
    mayLose = false
    interruptions = 0
  }
}
