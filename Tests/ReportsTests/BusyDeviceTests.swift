import EventDevices
import Samples
import Terminal
import Testing

@testable import Reports
import Status

@Suite("What status says of a device that another program has grabbed")
struct BusyDeviceTests {
  private let identity = DeviceIdentity(
    name: "AT Translated Set 2 keyboard", bus: 0x11, vendor: 1, product: 0xabc1, version: 1)

  private func held(by programs: [String] = [], cloneName: String? = nil) -> HeldDevice {
    HeldDevice(
      name: "Desk", cloneName: cloneName ?? "Desk",
      keydID: KeydID(identity, DeviceCapabilities(codes: [1: Array(0..<254)])),
      programs: programs.enumerated().map { DeviceHolder(program: $1, process: Int32($0 + 7)) })
  }

  /// The numbers are those that keyd's own function gives, version 2.5.0.
  @Test("what keyd calls it: numbers, and one of its name, its keys and the first of its axes")
  func keydID() {
    #expect("\(held().keydID)" == "0001:abc1:a01fad73")
    var mouse = identity
    mouse.name = "Tästatur"
    // The first eight relative codes: 0, 1, 6; of the absolute ones, 0; others do not count.
    let capabilities = DeviceCapabilities(
      codes: [1: Array(0..<300), 2: [0, 1, 6, 8, 11], 3: [0, 40]])
    #expect("\(KeydID(mouse, capabilities))" == "0001:abc1:cd40bb4e")
  }

  @Test("which programs have it open")
  func holders() {
    #expect(held(by: ["keyd"]).holders == "keyd (process 7) has it open")
    #expect(
      held(by: ["keyd", "Xorg"]).holders
        == "these have it open: keyd (process 7), Xorg (process 8)")
    #expect(held().holders.contains("root can"))
    #expect(!held(by: ["\u{1b}[2J"]).holders.contains("\u{1b}"))
  }

  @Test("the lines for keyd and kanata, with the name that the clone has; none for others")
  func lines() {
    let clone = "clone-name = \"%s (debounced)\""
    let goesOn = "linux-continue-if-no-devs-found yes"
    for (programs, name, expected) in [
      (["Xorg", "keyd"], nil, [clone, "-0001:abc1:a01fad73"]),
      (["Xorg", "keyd.rvaiya"], nil, [clone, "-0001:abc1:a01fad73"]),
      (["kanata"], nil, [clone, "linux-dev-names-include (\"Desk (debounced)\")", goesOn]),
      (["kanata"], "Clean desk", ["linux-dev-names-include (\"Clean desk\")", goesOn]),
      (["evsieve"], nil, []), (["keydx"], nil, []),
    ] as [([String], String?, [String])] {
      let held = held(by: programs, cloneName: name)
      #expect(held.literals == expected && !held.advice.isEmpty, "\(programs)")
    }
    // No setting helps.
    #expect(held(by: ["keydebounce"]).advice.isEmpty)
  }

  @Test("no line for kanata has what a device adds to its name")
  func hostileName() {
    for quote in ["\"", "\"\u{301}"] {
      let name = "Desk\(quote)) linux-cmd (\(quote)rm"
      #expect(held(by: ["kanata"], cloneName: name).literals.isEmpty)
      var device = held(by: ["kanata"])
      (device.name, device.cloneName) = (name, name)
      #expect(device.literals.isEmpty && !device.advice.isEmpty)
      device.cloneName = "Desk"
      #expect(device.literals.first == "linux-dev-names-include (\"Desk\")")
    }
  }

  @Test("in status, for root; for others, that root is told")
  func report() throws {
    var status = StatusSamples.wornKeyboard
    status.devices[0].state = .busy
    let node = status.devices[0].node
    func text(_ held: [String: HeldDevice]) -> String {
      StatusReport(of: status, held: held, on: Sheet(columns: 80)).text
    }
    #expect(text([:]).contains("held by    “sudo keydebounce status” names the program"))
    let lines = text([node: held(by: ["keyd"])]).split(separator: "\n")
    #expect(lines.contains("  held by    keyd (process 7) has it open"))
    #expect(lines.contains { $0.trimming == "-0001:abc1:a01fad73" })
    status.devices[0].state = .debounced
    #expect(!text([node: held(by: ["keyd"])]).contains("held by"))
  }
}

extension HeldDevice {
  /// The lines that are to be written as they stand.
  fileprivate var literals: [String] {
    advice.filter { $0.hasPrefix("    ") }.map { String($0.dropFirst(4)) }
  }
}

extension Substring {
  fileprivate var trimming: Substring { drop { $0 == " " } }
}
