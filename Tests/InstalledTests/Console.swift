import CEvdev
import Debounce
import EventDevices
import Foundation
import Glibc
import Status
import TestMachine

/// A worn USB keyboard, and the shell of somebody who has logged in on the first virtual console and types on it.
final class Console {
  /// What tests type there: nothing that a shell knows, and no letter twice, since the keyboard's settings take what follows
  /// within a second for chatter.
  static let word = "qzx"

  let hypervisor: Hypervisor
  /// The keyboard.
  private(set) var keyboard: DeviceNode

  private let id: String
  private let serial: String?
  private static let typed = "/tmp/typed"

  /// Plugs the keyboard in. Whoever has two plays the one that was plugged in last.
  ///
  /// - Parameters:
  ///   - hypervisor: The connection to be used, if there is one: only one program can have it at a time.
  ///   - serial: The serial number of the keyboard, where its links must stay the same.
  init(_ hypervisor: Hypervisor? = nil, serial: String? = nil) throws {
    let hypervisor = try hypervisor ?? Hypervisor()
    self.hypervisor = hypervisor
    self.serial = serial
    id = "keyboard\(getpid())x\(UInt32.random(in: 0...999_999))"
    keyboard = try Self.plug(id, serial, into: hypervisor)
  }

  /// Takes over the keyboard that was there when the machine was started.
  init(plugged id: String) throws {
    hypervisor = try Hypervisor()
    self.id = id
    serial = nil
    keyboard = try Monitor().waitForNode(where: Self.isKeyboard)
    try Self.endRepeats(of: keyboard)
  }

  deinit {
    try? unplug()
  }

  private static func isKeyboard(_ node: DeviceNode) -> Bool {
    node.name == "QEMU QEMU USB Keyboard" && !node.isVirtual
  }

  private static func plug(
    _ id: String, _ serial: String?, into hypervisor: Hypervisor
  ) throws -> DeviceNode {
    let monitor = try Monitor()
    let earlier = try monitor.nodes().map(\.id)
    try hypervisor.plugKeyboard(id, serial: serial)
    let keyboard = try monitor.waitForNode { isKeyboard($0) && !earlier.contains($0.id) }
    try endRepeats(of: keyboard)
    return keyboard
  }

  func unplug() throws {
    try hypervisor.unplug(id)
    try hypervisor.waitForRemoval(of: id)
  }

  /// Pulls the keyboard out and plugs it in again.
  func replug() throws {
    try unplug()
    keyboard = try Self.plug(id, serial, into: hypervisor)
  }

  /// Waits until the service has taken the keyboard.
  func waitUntilDebounced() throws {
    try wait(for: "the keyboard to be debounced; the service says: \(DaemonStatus.ask())") {
      try status()?.state == .debounced
    }
    let monitor = try Monitor()
    let clone = try monitor.waitForNode { $0.phys == "keydebounce/\(keyboard.phys)" }
    try Self.endRepeats(of: clone)
  }

  /// Waits until the service, which has been started, says that it has left the keyboard alone.
  func waitUntilLeftAlone() throws {
    try wait(for: "a service that leaves the keyboard alone") {
      try (try? DaemonStatus.ask()) != nil && status() == nil
    }
  }

  /// Waits until the service has taken the keyboard, or found it taken.
  func waitUntilTaken() throws -> DeviceStatus.State? {
    var state: DeviceStatus.State?
    try wait(for: "the keyboard to be taken; the service says: \(DaemonStatus.ask())") {
      state = try status()?.state
      return state == .debounced || state == .busy
    }
    return state
  }

  /// What the service does with the keyboard.
  func status() throws -> DeviceStatus? {
    try? DaemonStatus.ask().devices.first { $0.node == keyboard.path }
  }

  /// Has no key repeated, whatever keyboard a program has made.
  func endRepeats() throws {
    for node in try Monitor().nodes() where node.kinds.contains(.keyboard) {
      try? Self.endRepeats(of: node)
    }
  }

  /// On an emulated machine a short stroke may last long enough for the kernel to repeat it.
  private static func endRepeats(of node: DeviceNode) throws {
    try EventReader(path: node.path).send([
      Event(type: UInt16(EV_REP), code: UInt16(REP_DELAY), value: 60_000)
    ])
  }
}

// MARK: - Typing

extension Console {
  /// Types with bad contacts: each press bounces, and each release.
  func typeWorn(_ text: String) throws {
    for key in Self.keys(of: text) {
      try hypervisor.type([(key, true), (key, false), (key, true)])
      sleep(until: monotonicNow() + 250_000)
      try hypervisor.type([(key, false), (key, true), (key, false)])
      sleep(until: monotonicNow() + 500_000)
    }
  }

  /// Types as a new keyboard does.
  func type(_ text: String) throws {
    for key in Self.keys(of: text) {
      try hypervisor.type([(key, true), (key, false)])
      sleep(until: monotonicNow() + 100_000)
    }
  }

  /// Presses keys, or lets them go.
  func hold(_ keys: [String], down: Bool = true) throws {
    try hypervisor.type(keys.map { ($0, down) })
  }

  /// QEMU's names of the keys, Return at the end.
  private static func keys(of text: String) -> [String] {
    text.map { String($0) } + ["ret"]
  }

  /// Waits until the shell has got a line.
  func waitForLine(_ line: String) throws {
    try wait(for: "the line “\(line)”; the shell got: \(Self.lines)") { Self.lines.contains(line) }
    try FileManager.default.removeItem(atPath: Self.typed)
  }

  /// The next line that the shell gets: nil if none comes within ten seconds.
  func nextLine() throws -> String? {
    let end = monotonicNow() + 10_000_000
    while Self.lines.isEmpty, monotonicNow() < end { sleep(until: monotonicNow() + 50_000) }
    defer { try? FileManager.default.removeItem(atPath: Self.typed) }
    return Self.lines.last
  }

  private static var lines: [String] {
    let text = try? String(contentsOfFile: typed, encoding: .utf8)
    return text?.split(separator: "\n").map(String.init) ?? []
  }

  /// Checks that text arrives clean although every contact is bad.
  func checkDebounced() throws {
    try waitUntilDebounced()
    try typeWorn(Self.word)
    try waitForLine(Self.word)
  }

  /// Checks that the keyboard works as if there were no service: bad contacts and all.
  func checkLeftAlone() throws {
    try typeWorn("qu")
    try waitForLine("qqquuu")
  }

  /// How many keys are down on all keyboards together, clones too.
  func countKeysDown() throws -> Int {
    try Monitor().nodes().filter { $0.kinds.contains(.keyboard) }
      .reduce(0) { $0 + ((try? DeviceState(path: $1.path))?.keys.count ?? 0) }
  }
}
