import EventDevices
import Foundation
import Glibc
import Status
import TestMachine
import Testing

extension Installed {
  /// What is typed in the first moment after a keyboard was plugged in, as an application of a desktop receives it.
  ///
  /// Run by `make compatibility`: the guests of later releases have Xorg.
  @Suite("Somebody types under Xorg", .enabled(if: Xorg.isInstalled, "make compatibility"))
  struct XorgTests {
    /// Each once: nothing that is typed resembles chatter.
    private static let letters = Array("abcdefghijklmnopqrstuvwxyz")

    @Test("as soon as the keyboard is there, and loses no more than without the service")
    func pluggedIn() throws {
      defer { try? Unit.keydebounce.order("start") }
      let hypervisor = try Hypervisor()
      let desktop = try Xorg()
      // The first keyboard does not count: a machine is slower at its first.
      _ = try lettersLost(to: desktop, from: "first", of: hypervisor)
      var lost: [String: [Int]] = [:]
      for round in 0..<Remapper.plugs {
        for order in ["start", "stop"] {
          try Unit.keydebounce.order(order)
          let count = try lettersLost(
            to: desktop, from: "plugged\(round)\(order)", of: hypervisor)
          lost[order, default: []].append(count)
        }
      }
      let (with, without) = (lost["start", default: []], lost["stop", default: []])
      print("compatibility | Xorg, first letters lost | with keydebounce | \(with) | – |")
      print("compatibility | Xorg, first letters lost | without | \(without) | – |")
      // A letter more or less is chance on an emulated machine.
      #expect(Self.median(with) <= Self.median(without) + 1)
    }

    private static func median(_ numbers: [Int]) -> Int { numbers.sorted()[numbers.count / 2] }

    /// Plugs a keyboard in, types as soon as the kernel has it, and pulls it out when what is typed comes through.
    ///
    /// - Returns: How many letters were typed before the first that came.
    private func lettersLost(
      to desktop: Xorg, from id: String, of hypervisor: Hypervisor
    ) throws -> Int {
      desktop.forgetLetters()
      let earlier = try Self.keyboards()
      try hypervisor.plugKeyboard(id)
      defer {
        try? hypervisor.unplug(id)
        try? hypervisor.waitForRemoval(of: id)
      }
      try wait(for: "a keyboard", lookingEvery: 1000) {
        try !Self.keyboards().isSubset(of: earlier)
      }
      let deadline = monotonicNow() + patience
      var typed: [Character] = []
      // On a slow machine the first alphabet may be over before anybody reads the keyboard.
      repeat {
        guard monotonicNow() < deadline else {
          throw WaitedInVain(description: "no letter of \(typed.count)")
        }
        for letter in Self.letters {
          try hypervisor.type([(String(letter), true), (String(letter), false)])
          sleep(until: monotonicNow() + 50_000)
        }
        typed += Self.letters
      } while desktop.letters().isEmpty
      let end = String(Xorg.end)
      try hypervisor.type([(end, true), (end, false)])
      let missing = "the end of the letters from \(id)"
      try wait(for: "\(missing); received: \(desktop.letters()); \(Self.circumstances())") {
        desktop.hasReceivedEnd
      }
      let received = desktop.letters()
      // The first ones were typed before anybody read the keyboard. After those, each comes once, and in order.
      #expect(received == typed.suffix(received.count), "\(id): \(received)")
      return typed.count - received.count
    }

    /// What the service does, and what has been logged last.
    private static func circumstances() throws -> String {
      let status = (try? DaemonStatus.ask()).map { "\($0.devices)" } ?? "it does not run"
      let log = try Command(program: "/usr/bin/journalctl", ["--no-pager", "--lines=30"]).output
      return "the service: \(status); the log:\n\(log)"
    }

    /// The keyboards that the kernel has, whether udev has seen them or not.
    private static func keyboards() throws -> Set<String> {
      let names = try FileManager.default.contentsOfDirectory(atPath: "/sys/class/input")
      return Set(
        names.filter { name in
          let file = "/sys/class/input/\(name)/device/name"
          return name.hasPrefix("event")
            && (try? String(contentsOfFile: file, encoding: .utf8)) == "QEMU QEMU USB Keyboard\n"
        })
    }
  }
}

/// An Xorg on a console of its own, without a screen, and a program that listens to all that is typed there.
private final class Xorg {
  static let isInstalled = FileManager.default.fileExists(atPath: "/usr/bin/xinput")
  private static let unit = Unit(name: "desktop.service")
  private static let socket = "/tmp/.X11-unix/X0"
  /// The kernel's numbers of letters, to which X adds 8.
  private static let letters = Dictionary(
    uniqueKeysWithValues: [(16, "qwertyuiop"), (30, "asdfghjkl"), (44, "zxcvbnm")].flatMap {
      first, row in row.enumerated().map { (first + 8 + $0.offset, $0.element) }
    })

  private let listener: WatchingProcess
  private var forgotten = 0

  init() throws {
    let configuration = "/run/desktop.conf"
    try """
    Section "Device"
      Identifier "none"
      Driver "dummy"
    EndSection

    """.write(toFile: configuration, atomically: true, encoding: .utf8)
    let start = try Command(
      program: "/usr/bin/systemd-run",
      [
        "--quiet", "--unit=\(Self.unit.name)", "/usr/lib/xorg/Xorg", ":0", "vt7", "-noreset", "-r",
        "-extension", "GLX", "-config", configuration,
      ])
    guard start.status == 0 else { throw WaitedInVain(description: start.errors) }
    try wait(for: "Xorg; \(Self.log())") { FileManager.default.fileExists(atPath: Self.socket) }
    listener = try WatchingProcess(
      ["DISPLAY=:0", "xinput", "test-xi2", "--root"], program: "/usr/bin/env")
    // It lists what is there before it listens.
    try listener.waitForLine(containing: "Virtual core keyboard")
  }

  deinit {
    try? Self.unit.order("stop")
  }

  private static func log() throws -> String {
    try Command(program: "/usr/bin/journalctl", ["--no-pager", "--unit=\(unit.name)"]).output
  }

  /// What is typed after the letters: a digit.
  static let end: Character = "0"
  /// The kernel's number of it, to which X adds 8.
  private static let endDetail = 11 + 8

  /// The letters received since ``forgetLetters()``.
  func letters() -> [Character] {
    details.compactMap { Self.letters[$0] }
  }

  /// Whether ``end`` was received since ``forgetLetters()``.
  var hasReceivedEnd: Bool { details.contains(Self.endDetail) }

  /// X's numbers of the keys pressed since ``forgetLetters()``.
  private var details: [Int] {
    presses.dropFirst(forgotten).compactMap { press in
      press.firstMatch(of: /detail: (\d+)/).flatMap { Int($0.1) }
    }
  }

  func forgetLetters() {
    forgotten = presses.count
  }

  /// What the listener says of each press.
  private var presses: [Substring] {
    listener.shownSoFar().split(separator: "EVENT type ").filter { $0.contains("(RawKeyPress)") }
  }
}
