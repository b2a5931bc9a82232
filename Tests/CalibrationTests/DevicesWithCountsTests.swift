import Calibration
import Debounce
import Samples
import Status
import Testing

@Suite("The device whose counts are evaluated")
struct DevicesWithCountsTests {
  private let devices = StatusSamples.manyDevices.devices

  @Test("is named by its node, a link to it, or a part of its name")
  func names() throws {
    for (name, path) in [
      ("event7", nil), ("/dev/input/event7", nil), ("optical", nil),
      ("/dev/input/by-id/mouse", "/dev/input/event7"),
    ] as [(String, String?)] {
      let device = try DevicesWithCounts.named(name, leadingTo: path, among: devices)
      #expect(device.node == "/dev/input/event7", "\(name)")
    }
    let only = try DevicesWithCounts.named(nil, leadingTo: nil, among: [devices[0]])
    #expect(only == devices[0])
  }

  @Test("is the one of which a key was ever pressed")
  func pressed() throws {
    var devices = devices
    var own = KeyCounts()
    own.strokes = 3
    for index in devices.indices {
      devices[index].counts = DeviceCounts(
        keys: index == 1 ? [KeyStatus(key: "KEY_E", code: 18, counts: own)] : [])
    }
    #expect(
      try DevicesWithCounts.named(nil, leadingTo: nil, among: devices).node == devices[1].node)
    // Also of several that a name means.
    for index in devices.indices { devices[index].device.name = "Desk Keyboard" }
    #expect(
      try DevicesWithCounts.named("desk", leadingTo: nil, among: devices).node == devices[1].node)
  }

  @Test("is neither none nor one of several")
  func errors() {
    func error(_ name: String?, _ devices: [DeviceStatus]) -> String? {
      #expect(throws: CountsError.self) {
        try DevicesWithCounts.named(name, leadingTo: nil, among: devices)
      }?.description
    }
    #expect(error("abacus", devices)?.contains("called or named “abacus”") == true)
    #expect(error(nil, [])?.hasPrefix("the service debounces no device") == true)
    #expect(error(nil, devices)?.contains("\n  Optical Mouse (/dev/input/event7)") == true)
  }

  @Test("is read from a status and from a file of stored counts, and from nothing else")
  func files() throws {
    let status = try StatusJSON.encode(StatusSamples.wornKeyboard)
    #expect(try DevicesWithCounts.all(in: status, of: "x") == StatusSamples.wornKeyboard.devices)
    let device = StatusSamples.wornKeyboard.devices[0]
    let stored = try StatusJSON.encode(StoredCounts(of: device.device, keys: device.keys))
    #expect(try DevicesWithCounts.all(in: stored, of: "x").first?.keys == device.keys)
    let error = #expect(throws: CountsError.self) {
      try DevicesWithCounts.all(in: Array("{}".utf8), of: "x")
    }
    #expect(error?.description.hasPrefix("x is neither what") == true)
  }
}
