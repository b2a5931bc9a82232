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

  private func held(by programs: String..., cloneName: String? = nil) -> HeldDevice {
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
    #expect(held(by: "keyd").holders == "keyd (process 7) has it open")
    #expect(
      held(by: "keyd", "Xorg").holders == "these have it open: keyd (process 7), Xorg (process 8)")
    #expect(held().holders.contains("root can"))
    #expect(!held(by: "\u{1b}[2J").holders.contains("\u{1b}"))
  }

  @Test("the lines for keyd, whatever else has it open")
  func keyd() {
    for program in ["keyd", "keyd.rvaiya"] {
      #expect(
        held(by: "Xorg", program).literals
          == ["clone-name = \"%s (debounced)\"", "-0001:abc1:a01fad73"])
    }
  }

  @Test("the lines for kanata, with the name that the clone has, if it has one of its own")
  func kanata() {
    #expect(
      held(by: "kanata").literals
        == [
          "clone-name = \"%s (debounced)\"", "linux-dev-names-include (\"Desk (debounced)\")",
          "linux-continue-if-no-devs-found yes",
        ])
    #expect(
      held(by: "kanata", cloneName: "Clean desk").literals
        == ["linux-dev-names-include (\"Clean desk\")", "linux-continue-if-no-devs-found yes"])
  }

  @Test("no line for kanata has what a device adds to its name")
  func hostileName() {
    for quote in ["\"", "\"\u{301}"] {
      let name = "Desk\(quote)) linux-cmd (\(quote)rm"
      #expect(held(by: "kanata", cloneName: name).literals.isEmpty)
      var device = held(by: "kanata")
      (device.name, device.cloneName) = (name, name)
      #expect(device.literals.isEmpty && !device.advice.isEmpty)
      device.cloneName = "Desk"
      #expect(device.literals.first == "linux-dev-names-include (\"Desk\")")
    }
  }

  @Test("in general for others, and nothing if it is another keydebounce")
  func others() {
    #expect(held(by: "evsieve").literals.isEmpty)
    #expect(!held(by: "evsieve").advice.isEmpty)
    #expect(held(by: "keydebounce").advice.isEmpty)
    #expect(held(by: "keydx").literals.isEmpty)
  }

  @Test("in status, for root; for others, that root is told")
  func report() throws {
    var status = StatusSamples.wornKeyboard
    status.devices[0].state = .busy
    let node = status.devices[0].node
    func text(_ held: [String: HeldDevice]) -> String {
      StatusReport(
        of: status, held: held,
        on: Sheet(columns: 80, rows: nil, hasColours: false, characters: .unicode)
      ).text
    }
    #expect(text([:]).contains("held by    “sudo keydebounce status” names the program"))
    let lines = text([node: held(by: "keyd")]).split(separator: "\n")
    #expect(lines.contains("  held by    keyd (process 7) has it open"))
    #expect(lines.contains { $0.trimming == "-0001:abc1:a01fad73" })
    status.devices[0].state = .debounced
    #expect(!text([node: held(by: "keyd")]).contains("held by"))
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
