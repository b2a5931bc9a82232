import EventDevices
import Foundation
import Glibc
import Status
import TestMachine
import Testing

extension Installed {
  /// Keyboard, keydebounce, clone, remapper, shell: in every order of starting, and after every replug.
  ///
  /// Run by `make compatibility`, which prepares a guest for each remapper (`Tools/VirtualMachine/prepare-remapper`), once
  /// as the remapper comes, and once with the lines that keydebounce-remappers(7) says to write. With those lines each word
  /// must come out clean and remapped once; as it comes, what comes out is printed, and something must.
  @Suite("Beside a remapper", .enabled(if: Remapper.installed != nil, "make compatibility"))
  struct RemapperTests {
    @Test("in every order of starting, and after every replug", arguments: StartOrder.allCases)
    func order(_ order: StartOrder) throws {
      let remapper = try #require(Remapper.installed)
      let keyboard =
        try order == .boot
        ? Console(plugged: "keyboard") : Console(serial: Remapper.serial)
      try order.start(remapper, with: keyboard)
      var results = [try remapper.resultOfTyping(on: keyboard)]
      if order == .boot { try keyboard.unplug() }

      for _ in 0..<(order == .boot ? 0 : Remapper.replugs) {
        remapper.waitUntilItLoadsAgain()
        try keyboard.replug()
        results.append(try remapper.resultOfTyping(on: keyboard))
      }
      print("compatibility | \(remapper.title) | \(order.rawValue) | \(Self.summary(results)) |")
      if remapper.isConfigured {
        #expect(results.allSatisfy { $0 == .remappedOnce }, "\(results.map(\.rawValue))")
      }
      #expect(results.allSatisfy { $0 != .nothing }, "\(results.map(\.rawValue))")
    }

    @Test("keydebounce is first at a keyboard that is plugged in, or the remapper leaves it alone")
    func first() throws {
      let remapper = try #require(Remapper.installed)
      try Unit.keydebounce.order("restart")
      try remapper.unit.order("stop")
      try remapper.start()

      let keyboard = try Console(serial: Remapper.serial)
      var held = 0
      for plug in 0..<Remapper.plugs {
        if plug > 0 { try keyboard.replug() }
        if try keyboard.waitUntilTaken() == .debounced { held += 1 }
      }
      let count = "keydebounce has it first: \(held) of \(Remapper.plugs)"
      print("compatibility | \(remapper.title) | plugged in | \(count) | – |")
      if remapper.isConfigured { #expect(held == Remapper.plugs) }
    }

    /// What came out first, and after how many replugs of all what came out.
    private static func summary(_ results: [TypedResult]) -> String {
      let replugs = results.dropFirst()
      let counts = TypedResult.allCases.compactMap { result in
        let count = replugs.count { $0 == result }
        return count == 0 ? nil : "\(count) of \(replugs.count) \(result.rawValue)"
      }
      return results[0].rawValue + " | " + (counts.isEmpty ? "–" : counts.joined(separator: ", "))
    }
  }
}

/// In which order keydebounce and a remapper start.
enum StartOrder: String, CaseIterable, CustomTestStringConvertible {
  /// First, as it needs a machine that nobody has started anything on.
  case boot = "at boot"
  case remapperAfter = "the remapper starts after"
  case remapperFirst = "the remapper starts first"
  case together = "both in one transaction"
  case restart = "keydebounce restarts"
  case remapperRestart = "the remapper restarts"

  var testDescription: String { rawValue }

  func start(_ remapper: Remapper, with keyboard: Console) throws {
    let (keydebounce, other) = (Unit.keydebounce, remapper.unit)
    switch self {
    case .boot:
      // People log in when the remapper has looked at all devices. Called at once, it loaded no preset in two of three starts.
      try remapper.waitUntilSettled(keyboard)
      try remapper.load()
    case .remapperAfter:
      try other.order("stop")
      try keydebounce.order("restart")
      try keyboard.waitUntilDebounced()
      try remapper.start()
    case .remapperFirst:
      try keydebounce.order("stop")
      try other.order("stop")
      try remapper.start()
      try remapper.waitUntilSettled(keyboard)
      try keydebounce.order("start")
    case .together:
      try keydebounce.order("stop")
      try other.order("stop")
      try Unit.startTogether([other, keydebounce])
      try remapper.load()
      // systemd starts keydebounce first. The order at boot relies on that.
      let ready = try keydebounce.number("ActiveEnterTimestampMonotonic")
      #expect(try ready <= other.number("ExecMainStartTimestampMonotonic"))
    case .restart:
      remapper.waitUntilItLoadsAgain()
      try keydebounce.order("restart")
    case .remapperRestart:
      try other.order("stop")
      try remapper.start()
    }
  }
}

/// What came out of the word that was typed.
enum TypedResult: String, CaseIterable {
  case remappedOnce = "clean, remapped once"
  case chatter = "remapped, not debounced"
  case clean = "clean, not remapped"
  case remappedTwice = "remapped twice"
  case raw = "neither"
  case nothing = "nothing"
  case other = "something else"
}
