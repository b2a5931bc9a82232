import CEvdev
import Control
import Debounce
import EventDevices
import Foundation
import Glibc
import Randomness
import Status
import TestMachine
import Testing
import TypingModel

/// A daemon with several devices, to which everything happens that may, in an order that a seed decides.
///
/// One thread does it all: what is to be sent stands on a timeline, and until the next moment comes, what the clones and
/// the log say is read. After each epoch every key comes up, and every counter is accounted for.
final class Soak {
  let folder: ConfigurationFolder
  private let state: TemporaryFolder
  let daemon: DaemonProcess
  let devices = SoakDevice.Kind.allCases.map { SoakDevice($0) }
  var random: SeededRandom

  /// What is to be done, and when: the latest first.
  private var timeline: [(time: Int64, act: () throws -> Void)] = []
  /// Whether the daemon is stopped.
  var isStopped = false
  /// The actions that are still to come before the deck is shuffled anew.
  var deck: [SoakAction] = []
  /// How often each thing was done.
  var done: [SoakAction: Int] = [:]

  /// How often the daemon was told to read its configuration, and what it said to that.
  var reloads = 0
  private(set) var reloadsHeard = 0
  private(set) var refusalsHeard = 0
  /// The strategies in the device files that the daemon has yet to read, by the device's name.
  var strategiesToCome: [String: String] = [:]
  /// How often the daemon said that the machine was asleep.
  private(set) var sleepsHeard = 0

  /// What is wrong, in the order in which it was noticed.
  private(set) var complaints: [String] = []
  /// What the daemon used after each epoch.
  private(set) var uses: [ProcessUse] = []
  private(set) var epochs = 0
  /// What was done in this epoch.
  var happened: [SoakAction] = []
  /// How many descriptors the daemon has open when all devices are there.
  private(set) var descriptors = 0
  /// The LEDs that applications set, which the device is to show by the end of the epoch.
  var led: Int32?
  /// Puts the wall clock wrong, and right again.
  let wallClock = WallClock()

  init(seed: UInt64) throws {
    random = SeededRandom(seed: seed)
    folder = try ConfigurationFolder()
    state = try TemporaryFolder()
    try folder.write(defaults: SoakSettings.defaults(&random))
    for device in devices {
      let settings = SoakSettings(for: device, &random)
      try folder.write(device: device.file, settings.text)
      device.strategy = settings.strategy
    }
    try BuiltInKeyboard.detach()
    daemon = try DaemonProcess(
      call: ["run", "--config", folder.path, "--state", state.path],
      wrapper: ["/usr/bin/env", "KEYDEBOUNCE_LOG=debug"])
    try daemon.waitForLine(containing: "waiting for one to be plugged in")
    for device in devices { try device.plug() }
    try waitUntilGrabbed()
    descriptors = try daemon.countDescriptors()
  }

  func complain(_ text: String) {
    complaints.append(text)
    Issue.record(
      "soak, epoch \(epochs), after \(happened.map { "\($0)" }.joined(separator: ", ")): \(text)")
  }
}

// MARK: - Waiting

extension Soak {
  /// Reads what the clones and the log say until `end`, microseconds of the monotonic clock, or as soon as that is enough.
  func listen(until end: Int64, orUntil isEnough: () throws -> Bool = { false }) throws {
    while try !isEnough() {
      let rest = end - monotonicNow()
      guard rest > 0 else { return }
      let readers = devices.compactMap(\.reader).filter { !$0.node.hasEnded }
      var polls = readers.map { pollfd(fd: $0.node.descriptor, events: Int16(POLLIN), revents: 0) }
      polls.append(pollfd(fd: daemon.logDescriptor, events: Int16(POLLIN), revents: 0))
      guard poll(&polls, nfds_t(polls.count), CInt(rest / 1000)) > 0 else {
        // poll(2) does not wait for less than a millisecond.
        if rest < 1000 { sleep(until: end) }
        continue
      }
      for (reader, poll) in zip(readers, polls) where poll.revents != 0 { reader.read() }
      guard polls[readers.count].revents != 0 else { continue }
      guard let line = daemon.nextLine(limit: 0) else {
        if polls[readers.count].revents & Int16(POLLHUP) != 0 {
          throw WaitedInVain(description: "the daemon has ended: \(recentLog)")
        }
        continue
      }
      try hear(line)
      // More lines may have been read at once.
      while let line = daemon.nextLine(limit: 0) { try hear(line) }
    }
  }

  /// Waits for something that must happen.
  func wait(for what: String, _ hasHappened: () throws -> Bool) throws {
    let end = monotonicNow() + patience
    // Some of it only shows when asked for.
    while try !hasHappened() {
      guard monotonicNow() < end else {
        throw WaitedInVain(description: "waited in vain for \(what); the log ends: \(recentLog)")
      }
      try listen(until: monotonicNow() + 20_000, orUntil: hasHappened)
    }
  }

  /// Waits until the daemon has every device.
  func waitUntilGrabbed() throws {
    try wait(for: "all devices to be debounced") { devices.allSatisfy(\.isGrabbed) }
  }

  private var recentLog: String {
    daemon.log.split(separator: "\n").suffix(20).joined(separator: "\n")
  }

  private func hear(_ line: String) throws {
    let device = devices.first { line.contains("“\($0.name)”") }
    if line.contains(": debounced from now on; applications read "),
      let path = line.split(separator: " ").last
    {
      try device?.isDebounced(as: String(path))
    } else if let match = line.firstMatch(of: Self.summary) {
      var counts = SoakCounts()
      counts.pressesOut = Int(match.1) ?? -1
      counts.pressBounces = Int(match.2) ?? -1
      counts.releaseBounces = Int(match.3) ?? -1
      counts.dropOuts = Int(match.4) ?? -1
      device?.finalCounts = counts
    } else if line.contains("reloaded the configuration") {
      reloadsHeard += 1
      for device in devices {
        if let strategy = strategiesToCome[device.name] { device.strategy = strategy }
      }
    } else if line.contains("the settings from before still hold") {
      refusalsHeard += 1
    } else if line.contains("the machine was asleep") {
      sleepsHeard += 1
    } else if line.contains("error: "), !line.contains(folder.path) {
      complain("the daemon says: \(line)")
    }
  }

  private nonisolated(unsafe) static let summary =
    #/(\d+) presses passed on, \d+ removed as chatter \((\d+) press bounces, (\d+) release bounces, (\d+) drop-outs\)/#

  /// What the daemon tells once it has read all that was sent, and of which device.
  func statusWhenAllHasComeIn() throws -> [(device: SoakDevice, status: DeviceStatus)] {
    var answer: [(SoakDevice, DeviceStatus)] = []
    try wait(for: "all presses to come in") {
      let status = try DaemonClient.statusNow()
      answer = devices.filter(\.isGrabbed).compactMap { device in
        status.devices.first { $0.name == device.name }.map { (device, $0) }
      }
      return answer.allSatisfy { $0.hasComeIn($1) }
    }
    for (device, status) in answer {
      for complaint in device.complaintsInFlight(status) {
        complain("\(device.name): \(complaint)")
      }
    }
    return answer
  }
}

// MARK: - Epochs

extension Soak {
  /// Puts something on the timeline.
  func schedule(at time: Int64, _ act: @escaping () throws -> Void) {
    let index = timeline.firstIndex { $0.time <= time } ?? timeline.count
    timeline.insert((time, act), at: index)
  }

  /// Does what stands on the timeline.
  private func play() throws {
    while let next = timeline.last?.time {
      try listen(until: next)
      while let (time, act) = timeline.last, time <= monotonicNow() {
        timeline.removeLast()
        try act()
        // What takes long, or comes late, puts the rest off. Nobody types faster to make up for it, and the kernel might
        // not have room for all that came at once.
        let delay = monotonicNow() - time
        if delay > 10_000 { for index in timeline.indices { timeline[index].time += delay } }
      }
    }
  }

  /// One epoch, from keys that are up to keys that are up.
  ///
  /// - Parameter withSleep: Whether the machine sleeps in it.
  func runEpoch(withSleep: Bool) throws {
    epochs += 1
    happened = []
    let start = monotonicNow() + 20_000
    let length = Int64.random(in: 1_500_000...4_000_000, using: &random)
    var interludes: [SoakAction] = withSleep ? [.sleep] : []
    for _ in 0..<Int.random(in: 2...5, using: &random) {
      if deck.isEmpty { deck = SoakAction.drawn.shuffled(using: &random) }
      let action = deck.removeLast()
      if action.isInterlude {
        interludes.append(action)
      } else {
        let time = start + Int64.random(in: length / 10...length * 8 / 10, using: &random)
        schedule(at: time) { [unowned self] in try perform(action) }
      }
    }
    for device in devices where Int.random(in: 0..<5, using: &random) > 0 {
      scheduleTyping(on: device, from: start, lasting: length)
    }
    try play()
    if isStopped { try goOn() }
    // Interludes begin and end with every device debounced.
    try waitUntilGrabbed()
    for action in interludes { try perform(action) }
    try settle()
  }

  /// Has every key come up and every wait end, and accounts for what has happened.
  private func settle() throws {
    if Int.random(in: 0..<3, using: &random) == 0 {
      try rest()
      try compareHeldKeys()
    }
    for device in devices { device.letAllKeysGo() }
    try rest()
    if let led, let desk = devices.first, let path = desk.device?.path {
      try wait(for: "the LED") {
        try DeviceState(path: path).leds.contains(UInt16(LED_MISC)) == (led != 0)
      }
    }
    led = nil
    let status = try DaemonClient.statusNow()
    if status.configuration.reloads != reloads {
      complain("\(status.configuration.reloads) reloads were counted, and not \(reloads)")
    }
    for device in devices {
      guard let told = status.devices.first(where: { $0.name == device.name }) else {
        complain("\(device.name): the status does not tell of it")
        continue
      }
      for complaint in try device.reconcile(told) { complain("\(device.name): \(complaint)") }
    }
    do {
      if happened.contains(.sleep) {
        // A machine that wakes finds its built-in keyboard again.
        try wait(for: "the built-in keyboard to be gone again") {
          try BuiltInKeyboard.detach()
          return try daemon.countDescriptors() == descriptors
        }
      }
      try daemon.waitForDescriptors(descriptors)
    } catch {
      complain("\(error)")
      descriptors = try daemon.countDescriptors()
    }
    uses.append(try ProcessUse(of: daemon.processIdentifier))
  }

  /// Waits until everything that was sent has been decided: a stroke of the mark that waits for longer than anything else
  /// has come through.
  private func rest() throws {
    let counts = devices.map { $0.reader?.strokes[$0.restMark] ?? 0 }
    for isDown in [true, false] {
      for device in devices { device.send(device.restMark, down: isDown) }
      try wait(for: isDown ? "the marks" : "the marks to come up") {
        zip(devices, counts).allSatisfy { device, count in
          guard let reader = device.reader else { return false }
          return isDown
            ? reader.down.contains(device.restMark)
            : reader.strokes[device.restMark, default: 0] > count
        }
      }
    }
  }

  /// With nothing waiting, a clone holds the keys that its device does, but for strokes that were suppressed whole.
  private func compareHeldKeys() throws {
    let status = try DaemonClient.statusNow()
    for device in devices {
      guard let told = status.devices.first(where: { $0.name == device.name }),
        let (source, clone) = (device.device?.path).flatMap({ source in
          (device.reader?.node.path).map { (source, $0) }
        })
      else { continue }
      let (raw, clean) = (try DeviceState(path: source).keys, try DeviceState(path: clone).keys)
      let isEqual =
        device.news(told).suppressed == 0 ? raw == clean : Set(clean).isSubset(of: raw)
      if !isEqual { complain("\(device.name): down at the device: \(raw), at the clone: \(clean)") }
    }
  }
}
