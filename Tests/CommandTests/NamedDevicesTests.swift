import EventDevices
import Samples
import Testing

@testable import keydebounce

@Suite("Devices as a person names them")
struct NamedDevicesTests {
  private let nodes = [
    (3, "Keychron K2"), (4, "Keychron K2 Mouse"), (5, "Pedal"),
    (6, "ImPS/2 Generic Wheel Mouse"),
  ].map {
    node($0, $1, links: ["/dev/input/by-id/\($0)"])
  }

  private func path(_ name: String, preferring held: Int? = nil) throws -> String {
    try NamedDevices.path(
      named: name, among: nodes, preferring: held.map { ["/dev/input/event\($0)"] } ?? [])
  }

  @Test("are found by a part of the name, the node or a path; of several, the one that is held")
  func names() throws {
    #expect(try path("pedal") == "/dev/input/event5")
    #expect(try path("event4", preferring: 3) == "/dev/input/event4")
    #expect(try path("keychron", preferring: 3) == "/dev/input/event3")
    #expect(try path("keychron*", preferring: 4) == "/dev/input/event4")
    // The daemon says that it does not hold it.
    #expect(try path("pedal", preferring: 3) == "/dev/input/event5")
    #expect(try path("ImPS/2 Generic") == "/dev/input/event6")
    #expect(try path("/dev/input/event99") == "/dev/input/event99")
  }

  @Test("are missing, and a sentence says what to do")
  func missing() throws {
    /// The error, in words.
    func words(_ name: String?, among nodes: [DeviceNode], isFit: Bool = true) -> String {
      let error = #expect(throws: NamedDeviceError.self) {
        try NamedDevices.chosen(name, among: nodes) { _ in isFit }
      }
      return error.map { "\($0)" } ?? ""
    }
    #expect(words("abacus", among: nodes).hasPrefix("there is no device “abacus”. "))
    #expect(words(nil, among: nodes, isFit: false).hasPrefix("there is no device here for that"))
    #expect(
      words(nil, among: []).contains("no input device was found. udev lists them: does it run?"))
    #expect(
      words("abacus", among: []).hasPrefix(
        "there is no device “abacus”: no input device was found. udev lists them: does it run?"))
  }
}
