import EventDevices
import Foundation
import Glibc
import Status
import TestMachine

/// The remapper for which `prepare-remapper` has prepared the guest: it makes `a` an `s`, and `s` a `d`.
struct Remapper {
  /// Nil where none was prepared.
  static let installed: Remapper? = {
    let environment = ProcessInfo.processInfo.environment
    guard let name = environment["KEYDEBOUNCE_REMAPPER"] else { return nil }
    return Remapper(name: name, isConfigured: environment["KEYDEBOUNCE_REMAPPER_LINES"] == "manual")
  }()
  /// How often each order is followed by pulling the keyboard out and plugging it in again.
  static let replugs = Int(ProcessInfo.processInfo.environment["KEYDEBOUNCE_REPLUGS"] ?? "") ?? 10
  /// How often a keyboard is plugged in to see who is first.
  static let plugs = Int(ProcessInfo.processInfo.environment["KEYDEBOUNCE_PLUGS"] ?? "") ?? 10
  /// The serial number of the keyboard that is plugged in from the start (`Tools/VirtualMachine/run`).
  static let serial = "worn"

  /// The Debian package.
  let name: String
  /// Whether it has the lines of the manual, or is as it comes.
  let isConfigured: Bool

  var title: String { name + (isConfigured ? ", lines of the manual" : ", as it comes") }

  var unit: Unit {
    switch name {
    case "interception-tools": Unit(name: isConfigured ? "remap-clone.service" : "udevmon.service")
    default: Unit(name: name + ".service")
    }
  }

  func start() throws {
    try unit.order("start")
    try load()
  }

  /// What a session does when somebody logs in.
  func load() throws {
    guard name == "input-remapper-daemon" else { return }
    _ = try Command(
      program: "/usr/sbin/runuser",
      ["-u", "typist", "--", "/usr/bin/input-remapper-control", "--command", "autoload"])
  }

  /// Waits until it will take a keyboard that is plugged in again for a new one.
  ///
  /// input-remapper loads nothing for a device for which it has done so within the last 15 seconds, so that somebody whom a
  /// preset has locked out need only plug the keyboard in again twice (`may_autoload` in its `daemon.py`).
  func waitUntilItLoadsAgain() {
    guard name == "input-remapper-daemon" else { return }
    sleep(until: monotonicNow() + 16_000_000)
  }

  /// Types a word on a worn keyboard.
  func resultOfTyping(on keyboard: Console) throws -> TypedResult {
    try waitUntilSettled(keyboard)
    try keyboard.endRepeats()
    try keyboard.typeWorn("as")
    let line = try keyboard.nextLine()
    print("compatibility: \(title): “\(line ?? "")”")
    guard let line else { return .nothing }
    return switch line {
    case "sd": .remappedOnce
    case "as": .clean
    case "dd": .remappedTwice
    case _ where line.allSatisfy { "sd".contains($0) }: .chatter
    case _ where line.allSatisfy { "as".contains($0) }: .raw
    default: .other
    }
  }

  /// Waits until neither program has opened or made a device for a while, and udev is done with them, and with the lines of
  /// the manual until the remapper reads the clone; or until udev has done nothing for ten seconds: where a remapper is as it
  /// comes, nobody knows what it will do.
  func waitUntilSettled(_ keyboard: Console) throws {
    let start = monotonicNow()
    var udevWasBusy = start
    let units = [Unit.keydebounce, unit]
    var (last, since) = (units.map(openDevices), start)
    while monotonicNow() - udevWasBusy < 10_000_000 {
      sleep(until: monotonicNow() + 200_000)
      let now = units.map(openDevices)
      if now != last { (last, since) = (now, monotonicNow()) }
      // Rules may run a program for each device, and the daemon waits for what they say of its clone.
      if access("/run/udev/queue", F_OK) == 0, monotonicNow() - start < patience {
        (udevWasBusy, since) = (monotonicNow(), monotonicNow())
      }
      guard monotonicNow() - since > 2_000_000 else { continue }
      if try !isConfigured || readsClone(of: keyboard, now[1]) { break }
    }
  }

  private func readsClone(of keyboard: Console, _ open: Set<OpenDevice>) throws -> Bool {
    let clone = try Monitor().nodes().first { $0.phys == "keydebounce/\(keyboard.keyboard.phys)" }
    return clone.map { clone in open.contains { $0.path == clone.path } } ?? false
  }

  private struct OpenDevice: Hashable {
    let process: Substring
    let descriptor: String
    let path: String
  }

  /// The input nodes that the processes of a unit have open.
  private func openDevices(of unit: Unit) -> Set<OpenDevice> {
    var found: Set<OpenDevice> = []
    let processes = try? String(
      contentsOfFile: "/sys/fs/cgroup/system.slice/\(unit.name)/cgroup.procs", encoding: .utf8)
    for process in (processes ?? "").split(separator: "\n") {
      let folder = "/proc/\(process)/fd"
      for descriptor in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
        let path = try? FileManager.default.destinationOfSymbolicLink(
          atPath: folder + "/" + descriptor)
        if let path, path.hasPrefix("/dev/input/") || path == "/dev/uinput" {
          found.insert(OpenDevice(process: process, descriptor: descriptor, path: path))
        }
      }
    }
    return found
  }
}
